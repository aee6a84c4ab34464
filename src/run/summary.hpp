// Trials → what is said of each cell.
#pragma once

#include "allotment.hpp"
#include "lab/results.hpp"
#include "plan.hpp"

#include <vector>

namespace lab::run {

// Of the pairs that have a trial with a ratio: median, interval and noise floor, which is the upper bound of the |log ratio| of the A/A
// pair that was switched in the same way, or else of the other one; 0: there was none.
std::vector<PairResult> summarise_pairs(const Plan& plan, const std::vector<Trial>& trials);

// Comparisons whose interval, of a pair's ratio or of a cell's pages a second, reaches further than plan.until to either side of its
// median, or of which too few trials are there for one. A/A pairs are among them as long as any other is.
std::vector<Comparison> too_wide(const Plan& plan, const std::vector<Trial>& trials);

// In the plan's order. Numbers are medians over a cell's sides (failed ones and A/A pairs left out), throughput with its interval; flags
// are all that its trials carry, and `indicative` under six. A cell without a good trial has failed, or was not reached.
std::vector<CellResult> summarise(const Plan& plan, const std::vector<Trial>& trials, const Standing& standing, const Facts& facts);

}  // namespace lab::run
