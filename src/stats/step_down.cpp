#include "step_down.hpp"

#include <algorithm>

namespace lab::stats {

std::vector<double> corrected(const std::vector<const Permutation*>& comparisons) {
  std::vector<double> result(comparisons.size(), 1.0);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    if (comparisons[i]->shift.least_p <= kFamilyError) {
      order.push_back(i);
    }
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return comparisons[x]->t > comparisons[y]->t; });
  double before = 0;
  for (std::size_t i = 0; i < order.size() && before < 1; ++i) {
    const Permutation& mine = *comparisons[order[i]];
    double sum = 0;
    for (std::size_t j = i; j < order.size() && sum < 1; ++j) {
      sum += comparisons[order[j]]->reached(mine.t);
    }
    before = std::min(1.0, std::max({before, sum, mine.shift.p}));
    result[order[i]] = before;
  }
  return result;
}

}  // namespace lab::stats
