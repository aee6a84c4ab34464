// What percentiles are called, and what must be said beside them.
#pragma once

#include "report/report.hpp"
#include "report/scenario.hpp"

#include <string>

namespace lab::report {

// Of cells that are timed: whether any has latency, or service times.
bool has_times(const Run& run, const Cells& cells, bool latency);

std::string times_title(const Run& run, const Cells& cells);    // "Service times", "Latency", or both
std::string times_meaning(const Run& run, const Cells& cells);  // sentences: what the figures must not be taken for

}  // namespace lab::report
