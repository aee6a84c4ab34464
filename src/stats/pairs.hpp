// The ratio of a pair's two sides out of the rates of its slices (method.md).
#pragma once

#include <cstddef>
#include <vector>

namespace lab::stats {

struct PairRatio {
  double ratio = 0;          // B ÷ A: exp of the mean over groups of log(B ÷ A)
  double low = 0, high = 0;  // 95% interval of it by Student's t; equal to the ratio with one group
  std::size_t n = 0;         // groups that count
  std::size_t dropped = 0;   // groups with a slice that does not
};

// Rates in order: A B (dropped), then groups of A B B A. A rate of 0 or less drops its group. n is 0 where none is left.
PairRatio pair_ratio(const std::vector<double>& rates);

// The log ratio of the later half of the groups − that of the earlier half, where Student's t tells the two apart (95%): whether the sides
// settled. 0 with fewer than four groups.
double pair_drift(const std::vector<double>& rates);

// The two-sided 95% quantile of Student's t with so many degrees of freedom, at least one.
double student_t95(std::size_t degrees);

}  // namespace lab::stats
