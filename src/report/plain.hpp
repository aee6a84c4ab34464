// The formats to work with: Markdown to paste, CSV for a spreadsheet, JSON for programs.
#pragma once

#include "report/report.hpp"

#include <string>

namespace lab::report {

// GitHub's tables; summary, claims, flags, scenarios, environment, method. `charts`: the folder, as a link reaches it, where the files of
// chart_files() are; empty: no pictures.
std::string render_markdown(const Run& run, const std::string& charts = {});
std::string render_csv(const Run& run);   // RFC 4180; a row a cell, figures in full
std::string render_json(const Run& run);  // results.json, with the report's sentences under "report"

}  // namespace lab::report
