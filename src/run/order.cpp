#include "order.hpp"

#include <numeric>
#include <utility>

namespace lab::run {

std::uint64_t Random::next() {
  state_ += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

std::uint64_t Random::below(std::uint64_t bound) {
  const std::uint64_t unbiased = (0 - bound) % bound;  // 2^64 mod bound: that many values would favour the low results
  std::uint64_t value = next();
  while (value < unbiased) {
    value = next();
  }
  return value % bound;
}

std::vector<TrialPlan> in_random_order(const std::vector<Comparison>& comparisons, int block, Random& random) {
  std::vector<std::size_t> places(comparisons.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  for (std::size_t i = places.size(); i > 1; --i) {  // Fisher and Yates
    std::swap(places[i - 1], places[static_cast<std::size_t>(random.below(i))]);
  }
  std::vector<TrialPlan> plans;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Comparison& comparison = comparisons[places[i]];
    plans.push_back({comparison.kind, block, static_cast<int>(i), comparison.sides, comparison.quota});
  }
  return plans;
}

std::vector<TrialPlan> in_random_blocks(const std::vector<Comparison>& comparisons, int repeats, std::uint64_t seed) {
  Random random(seed);
  std::vector<TrialPlan> plans;
  for (int block = 0; block < repeats; ++block) {
    for (TrialPlan& plan : in_random_order(comparisons, block, random)) {
      plans.push_back(std::move(plan));
    }
  }
  return plans;
}

}  // namespace lab::run
