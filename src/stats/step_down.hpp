// Many comparisons at once: which of them hold when none of them may be wrong?
#pragma once

#include "stats/permutation.hpp"

#include <vector>

namespace lab::stats {

inline constexpr double kFamilyError = 0.05;  // how probably any comparison at all is called a difference where there is none

// p of each comparison, corrected for all of them; at most kFamilyError: it holds. Holm's step-down (1979) on |t| (Westfall and Young
// 1993): the largest |t| is held against the sum, over all comparisons, of the shares of their relabellings that reach it (Boole's
// inequality: however they depend on each other); the next one against the sum over the rest; and so on. Assumes that the passes of
// both runs are exchangeable, each with all its comparisons.
// Holm with p itself multiplies it by the number of comparisons, and p has a least value: with 6 + 6 values and more than 23
// comparisons that could not call anything, however large.
// A comparison whose least p is above kFamilyError could never be called: it stays out, is given 1, and costs the others nothing.
std::vector<double> corrected(const std::vector<const Permutation*>& comparisons);

}  // namespace lab::stats
