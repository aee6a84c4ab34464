#include "median.hpp"

#include <algorithm>
#include <cmath>

namespace lab::stats {

namespace {

// The greatest k for which P(k-th smallest ≤ median ≤ k-th greatest) = 1 − 2 P(Bin(n, ½) < k) is at least 95%; at least 1.
std::size_t rank_from_end(std::size_t n) {
  double tail = 0;
  double term = std::pow(0.5, static_cast<double>(n));  // P(Bin(n, ½) = i)
  std::size_t rank = 0;
  for (std::size_t i = 0; i < n / 2; ++i) {
    tail += term;
    if (2 * tail > 0.05) {
      break;
    }
    rank = i + 1;
    term *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  }
  return std::max<std::size_t>(rank, 1);
}

double middle(const std::vector<double>& sorted) {
  const std::size_t n = sorted.size();
  return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

}  // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0.0 : middle(values);
}

Interval median_interval(std::vector<double> values) {
  if (values.empty()) {
    return {};
  }
  std::sort(values.begin(), values.end());
  const std::size_t rank = rank_from_end(values.size());
  return {middle(values), values[rank - 1], values[values.size() - rank], static_cast<int>(values.size())};
}

double range_coverage(int n) { return n < 1 ? 0.0 : 1 - std::pow(2.0, 1 - n); }

}  // namespace lab::stats
