// Two independent samples of a few values: by how much do they differ, and how surely? By relabelling (Fisher 1935, Pitman 1937): had
// the two nothing between them, each way to deal the values to the two would have been as likely as the one that was seen.
#pragma once

#include <cstddef>
#include <vector>

namespace lab::stats {

// Assumes that the values of each sample are exchangeable and that both have the same spread and shape, whatever that is: logs of rates,
// not rates. Takes no normal distribution for granted, and says nothing about what all values of a sample share (the hour, the host).
// m + n values allow no p under 2 ÷ C(m + n, m): 0.1 with 3 + 3, 0.029 with 4 + 4, 0.0022 with 6 + 6. What that cannot decide is not
// "no difference", it is unknown. Means are compared, so a single wild value widens the interval.
struct Shift {
  double by = 0;             // mean of b − mean of a
  double low = 0, high = 0;  // the shifts that relabelling does not reject: its interval, two-sided
  double coverage = 0;       // of the interval: 0.95 or more; what the widest there is has where that is less; 0: there is none
  double p = 1;              // of no shift, two-sided; at most 1 − coverage exactly where the interval leaves out 0
  double least_p = 1;        // what so many values could show at best
};

struct Permutation {
  Shift shift;
  double t = 0;                       // |Student's t|, pooled variance: comparable between cells; infinite where nothing varies within
  std::vector<float> others;          // |t| of every other relabelling, ascending
  double reached(double size) const;  // the share of all relabellings, this one included, with |t| of at least `size`
};

inline constexpr std::size_t kRelabellings = 20'000;

// How many to look at of each of so many comparisons: bounds what all of them keep, 80 MB.
std::size_t relabellings_for(std::size_t comparisons);

// Exact where there are at most `most` relabellings, else that many at random, the same ones every time. Fewer than two values in
// either sample: no interval, p = 1.
Permutation permute(const std::vector<double>& a, const std::vector<double>& b, std::size_t most = kRelabellings);

}  // namespace lab::stats
