// The report's charts as SVG files, for Markdown.
#pragma once

#include "report/report.hpp"
#include "report/scenario.hpp"

#include <string>
#include <vector>

namespace lab::report {

struct ChartFile {
  std::string name;   // "throughput-2.svg"
  std::string title;  // also its text alternative
  std::string svg;
};

// Throughput, CPU, the gain from hardware crypto where both were measured, percentiles where there are histograms.
std::vector<ChartFile> chart_files(const Run& run, const ScenarioView& scenario);

}  // namespace lab::report
