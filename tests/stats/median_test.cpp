#include "stats/median.hpp"

#include <catch2/catch.hpp>

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

TEST_CASE("one value is its own interval, none is none") {
  const Interval one = median_interval({5});
  CHECK(one.low == 5);
  CHECK(one.high == 5);
  CHECK(one.n == 1);
  CHECK(median_interval({}).n == 0);
  CHECK(range_coverage(1) == 0);
  CHECK(range_coverage(0) == 0);
}
