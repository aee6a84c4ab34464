// Trials → what is said of each cell.
#pragma once

#include "allotment.hpp"
#include "lab/results.hpp"
#include "plan.hpp"

#include <vector>

namespace lab::run {

// In the plan's order. Numbers are medians over a cell's trials (failed ones left out), throughput with its interval; flags are all that
// its trials carry, and `indicative` under six. A cell without a good trial has failed, or was not reached.
std::vector<CellResult> summarise(const Plan& plan, const std::vector<Trial>& trials, const Standing& standing, const Facts& facts);

}  // namespace lab::run
