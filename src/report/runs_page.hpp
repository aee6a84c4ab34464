// An index page of all runs: what was run, where the reports are, and each cell's trend as a small picture.
#pragma once

#include "store/index.hpp"

#include <string>
#include <vector>

namespace lab::report {

struct ListedRun {
  store::RunSummary run;
  std::string report;  // where its report.html is, as seen from the page; empty: there is none
};

// Runs the latest first, trends the oldest first, as the index gives them.
std::string runs_page(const std::vector<ListedRun>& runs, const std::vector<store::Trend>& trends);

// A path as it stands in an address: everything but letters, digits, "-._~/" as %XX.
std::string url_path(const std::string& path);

}  // namespace lab::report
