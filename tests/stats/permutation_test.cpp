#include "stats/permutation.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using namespace lab::stats;

TEST_CASE("three against three, worked out by hand") {
  // 20 ways to deal six values to two hands of three; only the one seen and its mirror image are as far apart.
  const Permutation found = permute({1, 2, 3}, {4, 5, 6});
  CHECK(found.shift.by == Approx(3));
  CHECK(found.shift.p == Approx(2.0 / 20));
  CHECK(found.shift.least_p == Approx(2.0 / 20));
  CHECK(found.shift.coverage == Approx(0.9));
  CHECK(found.shift.low == Approx(1));   // 4 − 3
  CHECK(found.shift.high == Approx(5));  // 6 − 1
  CHECK(found.t == Approx(3 / std::sqrt(2.0 / 3)));
  CHECK(found.others.size() == 19);
  CHECK(found.reached(found.t) == Approx(2.0 / 20));
  CHECK(found.reached(0) == Approx(1));
}

TEST_CASE("four against four can be sure of what lies apart") {
  const Permutation found = permute({1, 2, 3, 4}, {5, 6, 7, 9});
  CHECK(found.shift.p == Approx(2.0 / 70));
  CHECK(found.shift.coverage == Approx(1 - 2.0 / 70));
  CHECK(found.shift.low == Approx(1));
  CHECK(found.shift.high == Approx(8));
}

TEST_CASE("a published example: the survival of mice (Efron and Tibshirani 1993, tables 2.1 and 15.1)") {
  // There 0.132 one-sided, from 1,000 relabellings; all 11,440 of them give 1,613 ÷ 11,440 = 0.141.
  const Permutation found = permute({52, 104, 146, 10, 51, 30, 40, 27, 46}, {94, 197, 16, 38, 99, 141, 23});
  CHECK(found.shift.by == Approx(30.63).epsilon(0.001));
  CHECK(found.shift.p == Approx(2 * 1613.0 / 11440));
  CHECK(found.shift.low == Approx(-28.5));
  CHECK(found.shift.high == Approx(89));
  CHECK(found.shift.coverage == Approx(0.95));
}

TEST_CASE("the interval leaves out a shift exactly where the test rejects it") {
  const std::vector<double> a{1, 3, 2, 5, 4, 8}, b{2, 6, 7, 9, 5, 11};
  const Shift shift = permute(a, b).shift;
  const auto p_at = [&](double by) {
    std::vector<double> moved = b;
    for (double& value : moved) {
      value -= by;
    }
    return permute(a, moved).shift.p;
  };
  const double level = 1 - shift.coverage + 1e-12;  // two ways to round one number
  CHECK(p_at(shift.low) > level);
  CHECK(p_at(shift.high) > level);
  CHECK(p_at(shift.low - 0.01) <= level);
  CHECK(p_at(shift.high + 0.01) <= level);
}

TEST_CASE("what never varies differs by nothing, or surely") {
  CHECK(permute({2, 2, 2, 2}, {2, 2, 2, 2}).shift.p == 1);
  CHECK(permute({2, 2, 2, 2}, {2, 2, 2, 2}).t == 0);
  const Permutation apart = permute({2, 2, 2, 2}, {3, 3, 3, 3});
  CHECK(std::isinf(apart.t));
  CHECK(apart.shift.p == Approx(2.0 / 70));
  CHECK(apart.reached(apart.t) == Approx(2.0 / 70));
}

TEST_CASE("single values have a difference and no interval") {
  const Permutation one = permute({1}, {3, 4});
  CHECK(one.shift.by == 2.5);
  CHECK(one.shift.coverage == 0);
  CHECK(one.shift.p == 1);
  CHECK(one.shift.least_p == 1);
  CHECK(permute({}, {1, 2}).shift.coverage == 0);
}

TEST_CASE("relabellings at random come near all of them, and are the same every time") {
  const std::vector<double> a{5.1, 4.8, 5.6, 5.0, 4.9, 5.3, 5.2, 4.7, 5.5, 5.4}, b{5.3, 5.2, 5.9, 5.1, 5.6, 5.8, 5.0, 5.7, 5.45, 5.65};
  const Permutation all = permute(a, b, 200'000), some = permute(a, b, 10'000);
  CHECK(all.others.size() == 184'755);
  CHECK(some.others.size() == 10'000);
  CHECK(some.shift.p == Approx(all.shift.p).margin(0.008));
  CHECK(some.shift.low == Approx(all.shift.low).margin(0.02));
  CHECK(some.shift.high == Approx(all.shift.high).margin(0.02));
  CHECK(permute(a, b, 10'000).shift.p == some.shift.p);
}

TEST_CASE("the interval holds the true shift in 95 of 100 samples, skewed ones too") {
  std::mt19937_64 random(20260101);
  std::exponential_distribution<double> skewed(1);
  constexpr int kSamples = 1000;
  int held = 0, called = 0;
  for (int i = 0; i < kSamples; ++i) {
    std::vector<double> a(6), b(7);
    for (double& value : a) {
      value = skewed(random);
    }
    for (double& value : b) {
      value = skewed(random) + 0.5;
    }
    const Shift shift = permute(a, b).shift;
    held += shift.low <= 0.5 && shift.high >= 0.5;
    for (double& value : b) {
      value -= 0.5;
    }
    called += permute(a, b).shift.p <= 0.05;
  }
  // Three standard errors of a share of 5% in 1,000 are 2.1%.
  CHECK(held > 929);
  CHECK(held < 975);
  CHECK(called < 71);
}
