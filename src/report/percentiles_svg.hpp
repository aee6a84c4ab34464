// A scenario's percentiles as an SVG file of its own: a row a cell, on a logarithmic axis.
#pragma once

#include "report/report.hpp"
#include "report/scenario.hpp"

#include <string>

namespace lab::report {

std::string percentiles_svg(const std::string& title, const Run& run, const Cells& cells);

}  // namespace lab::report
