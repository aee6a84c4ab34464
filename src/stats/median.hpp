// Medians with distribution-free intervals: a sample's order statistics bound the median of what it was drawn from, whatever its shape.
#pragma once

#include "lab/results.hpp"

#include <vector>

namespace lab::stats {

inline constexpr int kEnoughForInterval = 6;  // the range of 6 covers the median in 96.9% of cases, of 5 in 93.8% only

double median(std::vector<double> values);  // of an even number: the mean of the middle two; of none: 0

// The narrowest pair of order statistics, the same number from each end, that holds the median with 95% (the sign test's interval).
// Under kEnoughForInterval values there is none: then the range, whose coverage is range_coverage(n). It is what the percentile bootstrap
// gives, too (over a fortieth of all resamples have the least value as their median), so nothing is drawn at random.
Interval median_interval(std::vector<double> values);

// How probably n values' range holds the median: 1 − 2^(1−n).
double range_coverage(int n);

}  // namespace lab::stats
