// Runs in memory for the report's tests, built cell by cell.
#pragma once

#include "report/report.hpp"

#include <string>
#include <utility>
#include <vector>

namespace lab::report::test {

using Axes = std::vector<std::pair<std::string, std::string>>;

// A measured cell, one trial a block at each of `rates`, limited by webseal.
inline CellResult& add_cell(Run& run, const std::string& scenario, const Axes& axes, const std::vector<double>& rates) {
  CellResult cell;
  cell.scenario = scenario;
  cell.id = scenario;
  for (const auto& [name, value] : axes) {
    cell.id += "/" + name + "=" + value;
  }
  cell.axes = axes;
  cell.trials = static_cast<int>(rates.size());
  cell.limited_by = "webseal";
  cell.cpu["webseal"] = 0.99;
  double sum = 0, low = rates.front(), high = rates.front();
  for (std::size_t block = 0; block < rates.size(); ++block) {
    Trial trial;
    trial.trial = static_cast<int>(run.trials.size()) + 1;
    trial.block = static_cast<int>(block);
    trial.sides.resize(1);
    trial.sides.front().cell = cell.id;
    trial.sides.front().pages_per_s = rates[block];
    run.trials.push_back(std::move(trial));
    sum += rates[block];
    low = std::min(low, rates[block]);
    high = std::max(high, rates[block]);
  }
  cell.pages_per_s = {sum / static_cast<double>(rates.size()), low, high, cell.trials};
  return run.results.cells.emplace_back(std::move(cell));
}

// Six trials around a rate, ± 1%.
inline std::vector<double> around(double rate) { return {rate * 0.99, rate, rate * 1.01, rate, rate * 0.995, rate * 1.005}; }

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline std::string all_of(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) {
    text += sentence + "\n";
  }
  return text;
}

}  // namespace lab::report::test
