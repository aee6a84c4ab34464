// The sections of the page, in its order.
#pragma once

#include "report/report.hpp"
#include "report/scenario.hpp"

#include <string>
#include <vector>

namespace lab::report {

std::string run_title(const Run& run);                 // "webseal-2007, quick profile"
std::string run_lead(const Run& run);                  // what was measured, where and when: plain text
std::string instant_text(const std::string& instant);  // "2026-11-30T18:00:00Z" → "30 November 2026, 18:00 UTC"
std::string command_text(const Run& run);              // as a shell takes it

std::string summary_html(const Run& run);
std::string claims_html(const Run& run);
std::string flags_section_html(const Run& run);
std::string scenario_html(const Run& run, const ScenarioView& scenario);
std::string percentiles_html(const Run& run, const ScenarioView& scenario);  // "" where no cell of it has a histogram
std::string scenario_setting(const ScenarioView& scenario);                  // what is measured, as a sentence or two of plain text
std::string trials_html(const Run& run);                                     // where a trial is shown over time; "" where none can be
std::string appendix_html(const Run& run);                                   // topology, environment, method, every cell, how to repeat it
std::string topology_svg(const Run& run);

std::string flag_meaning(const std::string& flag);
std::string flagged_cells(const Run& run, const std::vector<std::string>& cells);  // their ids, or how many where many

}  // namespace lab::report
