#include "stats/median.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace lab;
using namespace lab::stats;

namespace {

std::vector<double> one_to(int n) {
  std::vector<double> values;
  for (int i = n; i >= 1; --i) {
    values.push_back(i);
  }
  return values;
}

// All equally likely resamples with replacement, in place of random ones.
std::vector<double> medians_of_resamples(const std::vector<double>& values) {
  const std::size_t n = values.size();
  const auto ways = static_cast<std::size_t>(std::llround(std::pow(n, n)));
  std::vector<double> medians;
  for (std::size_t way = 0; way < ways; ++way) {
    std::vector<double> resample;
    for (std::size_t i = 0, rest = way; i < n; ++i, rest /= n) {
      resample.push_back(values[rest % n]);
    }
    medians.push_back(median(std::move(resample)));
  }
  std::sort(medians.begin(), medians.end());
  return medians;
}

}  // namespace

TEST_CASE("a median is the middle value, or the mean of the middle two") {
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 3, 2}) == 2.5);
  CHECK(median({7}) == 7);
  CHECK(median({}) == 0);
}

TEST_CASE("the interval's ranks are those of the sign test") {
  // n and the rank from each end: the tables of the sign test, two-sided 5% (Conover, Practical Nonparametric Statistics).
  const std::vector<std::pair<int, int>> table{{6, 1},  {8, 1},  {9, 2},   {11, 2},  {12, 3},  {15, 4},
                                               {20, 6}, {25, 8}, {30, 10}, {50, 18}, {100, 40}};
  for (const auto& [n, rank] : table) {
    const Interval interval = median_interval(one_to(n));
    CAPTURE(n);
    CHECK(interval.low == rank);
    CHECK(interval.high == n + 1 - rank);
    CHECK(interval.n == n);
  }
}

TEST_CASE("under six values the interval is the range, and its coverage is told") {
  const Interval three = median_interval({2, 9, 4});
  CHECK(three.median == 4);
  CHECK(three.low == 2);
  CHECK(three.high == 9);
  CHECK(range_coverage(3) == Approx(0.75));
  CHECK(range_coverage(5) == Approx(0.9375));
  CHECK(range_coverage(6) == Approx(0.96875));
}

TEST_CASE("under six values the range is also what the bootstrap would give: its 2.5th and 97.5th percentiles") {
  for (const std::vector<double>& values : {std::vector<double>{2, 9}, {2, 9, 4}, {2, 9, 4, 30}, {2, 9, 4, 30, 5}}) {
    const auto medians = medians_of_resamples(values);
    const auto percentile = [&](double share) {
      return medians[static_cast<std::size_t>(std::ceil(share * static_cast<double>(medians.size()))) - 1];
    };
    const Interval interval = median_interval(values);
    CAPTURE(values.size());
    CHECK(interval.low == percentile(0.025));
    CHECK(interval.high == percentile(0.975));
  }
}

TEST_CASE("one value is its own interval, none is none") {
  const Interval one = median_interval({5});
  CHECK(one.low == 5);
  CHECK(one.high == 5);
  CHECK(one.n == 1);
  CHECK(median_interval({}).n == 0);
  CHECK(range_coverage(1) == 0);
  CHECK(range_coverage(0) == 0);
}
