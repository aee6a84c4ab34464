// Holds a playbook's claims against what was measured.
#pragma once

#include "lab/playbook.hpp"
#include "lab/results.hpp"

#include <vector>

namespace lab::stats {

// In the playbook's order; a result for each combination of the values of the axes that the claim leaves open (`of` names it).
// Ratios come from pairs of the two cells where there are any, else from what was measured of both in the same block; block by block, then
// the median with its interval. An order wants more than the pairs' noise floor between its steps. A claim agrees when the interval lies
// within what it says (published ± tolerance, an order, a limit), differs when it lies outside, else it cannot be told; likewise with fewer
// than kEnoughForInterval blocks, for there is no 95% interval then, and where most trials of a side were not limited by the gateway.
std::vector<ClaimResult> judge(const std::vector<Claim>& claims, const std::vector<CellResult>& cells, const std::vector<PairResult>& pairs,
                               const std::vector<Trial>& trials, int host_cpus);

}  // namespace lab::stats
