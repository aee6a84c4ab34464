// What `lab run` prints at its end, and for --list.
#pragma once

#include "lab/results.hpp"
#include "run/plan.hpp"

#include <boost/json/object.hpp>
#include <string>

namespace lab::cli {

std::string rate_text(double pages_per_s);  // "16,250", "29.3", "0.52": about four digits

std::string plan_text(const run::Plan& plan);
boost::json::object plan_json(const run::Plan& plan);

// A table of cells a scenario, skipped and failed ones with their reasons; flags, those of every cell said once; the claims that could be
// told.
std::string summary_text(const Results& results);

}  // namespace lab::cli
