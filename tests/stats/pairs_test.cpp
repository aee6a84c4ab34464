#include "stats/pairs.hpp"

#include "catch_result.hpp"

#include <cmath>

using namespace lab::stats;

TEST_CASE("a pair's ratio is the mean of its groups' logs, the first pair dropped") {
  const PairRatio ratio = pair_ratio({1, 900, /**/ 100, 110, 110, 100, /**/ 100, 121, 121, 100});
  CHECK(ratio.ratio == Approx(1.1 * std::sqrt(1.1)));
  CHECK(ratio.n == 2);
  CHECK(ratio.dropped == 0);
  const double half = std::log(1.1) / std::sqrt(2.0) / std::sqrt(2.0) * 12.706;  // deviation of the two ÷ √n × t of one degree
  CHECK(std::log(ratio.high / ratio.ratio) == Approx(half));
  CHECK(std::log(ratio.ratio / ratio.low) == Approx(half));
}

TEST_CASE("A B B A cancels a drift that is the same from slice to slice") {
  std::vector<double> rates{1, 1};
  for (int i = 0; i < 40; ++i) {
    const bool b = i % 4 == 1 || i % 4 == 2;
    rates.push_back(1000 * std::exp(-0.01 * i) * (b ? 1.05 : 1));
  }
  const PairRatio ratio = pair_ratio(rates);
  CHECK(ratio.ratio == Approx(1.05));
  CHECK(ratio.high - ratio.low < 1e-9);
}

TEST_CASE("a slice that does not count drops its group, a torn group at the end is none") {
  const PairRatio ratio = pair_ratio({1, 1, 10, 20, 20, 10, 10, 0, 20, 10, 10, 20});
  CHECK(ratio.n == 1);
  CHECK(ratio.dropped == 1);
  CHECK(ratio.ratio == Approx(2));
  CHECK(ratio.low == ratio.high);
  CHECK(pair_ratio({}).n == 0);
  CHECK(pair_ratio({5, 5}).n == 0);
}

TEST_CASE("Student's t as in the tables") {
  CHECK(student_t95(1) == 12.706);
  CHECK(student_t95(10) == 2.228);
  CHECK(student_t95(40) == Approx(2.021).epsilon(0.001));
  CHECK(student_t95(120) == Approx(1.980).epsilon(0.001));
}

TEST_CASE("a pair whose ratio went up in the second half has drifted by as much; few groups tell nothing") {
  const std::vector<double> flat{100, 110, 110, 100}, risen{100, 132, 132, 100};
  std::vector<double> rates{1, 1};
  for (const auto& group : {flat, flat, risen, risen}) {
    rates.insert(rates.end(), group.begin(), group.end());
  }
  CHECK(pair_drift(rates) == Approx(std::log(1.2)));
  const std::vector<double> noisy{1, 1, 100, 80, 80, 100, 100, 140, 140, 100, 100, 110, 110, 100, 100, 160, 160, 100};
  CHECK(pair_drift(noisy) == 0);
  rates.resize(2 + 3 * 4);
  CHECK(pair_drift(rates) == 0);
}
