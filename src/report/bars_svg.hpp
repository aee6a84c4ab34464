// A chart of horizontal bars as an SVG file of its own: for places that show images and run no script.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lab::report {

struct BarRow {
  std::string heading;  // above the row; empty: none
  std::string label;
  std::vector<std::pair<std::string, double>> segments;  // colour of the palette ("h1-0", "n3") and length, stacked from 0
  std::optional<std::pair<double, double>> whisker;
  std::vector<double> dots;
  std::optional<double> mark;  // what was published
  std::string value;           // beside the bar
  bool flagged = false;
};

struct BarChart {
  std::string title;
  std::string unit;                                         // of the axis
  std::vector<std::pair<std::string, std::string>> legend;  // colour and text
  std::vector<BarRow> rows;
};

// 860 units wide, on white, in the palette's light colours. Its text alternative is the title; a table is to stand beside it.
std::string bars_svg(const BarChart& chart);

}  // namespace lab::report
