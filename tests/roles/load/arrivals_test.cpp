#include "roles/load/arrivals.hpp"

#include "catch_result.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace lab::load;

namespace {

std::vector<std::int64_t> first(Arrivals arrivals, std::size_t count) {
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < count; ++i, arrivals.pop()) {
    all.push_back(arrivals.next());
  }
  return all;
}

}  // namespace

TEST_CASE("the arrivals of all threads together are evenly spaced, whatever the rate") {
  for (const double rate : {0.5, 78.0, 230.0, 3333.0, 1e6}) {
    std::vector<std::int64_t> all;
    for (std::uint64_t thread = 0; thread < 3; ++thread) {
      const auto own = first(Arrivals({rate, false, 1, 3, thread}, 1000), 1000);
      all.insert(all.end(), own.begin(), own.end());
    }
    std::sort(all.begin(), all.end());
    const double gap = 1e9 / rate;
    CHECK(all.front() == 1000);
    for (std::size_t i = 0; i < all.size(); ++i) {
      REQUIRE(std::abs(static_cast<double>(all[i]) - 1000 - static_cast<double>(i) * gap) <= 1);
    }
  }
}

TEST_CASE("a rate holds over a day: no error adds up") {
  Arrivals arrivals({7.0, false, 1, 1, 0}, 0);
  for (std::uint64_t i = 0; i < 7ULL * 86'400; ++i) {
    arrivals.pop();
  }
  CHECK(arrivals.next() == 86'400'000'000'000);
}

TEST_CASE("Poisson arrivals: gaps have the mean and the spread of an exponential, threads differ, seeds repeat") {
  constexpr std::size_t kCount = 100'000;
  const auto all = first(Arrivals({1000.0, true, 42, 1, 0}, 0), kCount);
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const auto gap = static_cast<double>(all[i] - all[i - 1]);
    sum += gap;
    squares += gap * gap;
  }
  const double mean = sum / (kCount - 1);
  CHECK(mean == Approx(1e6).epsilon(0.015));  // the seed is fixed
  CHECK(std::sqrt(squares / (kCount - 1) - mean * mean) == Approx(mean).epsilon(0.02));
  CHECK(first(Arrivals({1000.0, true, 42, 1, 0}, 0), 10) == first(Arrivals({1000.0, true, 42, 1, 0}, 0), 10));
  CHECK(first(Arrivals({1000.0, true, 42, 2, 0}, 0), 10) != first(Arrivals({1000.0, true, 42, 2, 1}, 0), 10));
  CHECK(first(Arrivals({1000.0, true, 42, 1, 0}, 0), 10) != first(Arrivals({1000.0, true, 43, 1, 0}, 0), 10));
}

TEST_CASE("what is due before an instant is counted without waiting for it") {
  const Arrivals arrivals({1000.0, false, 1, 1, 0}, 0);
  CHECK(arrivals.due_before(0) == 0);
  CHECK(arrivals.due_before(1) == 1);
  CHECK(arrivals.due_before(1'000'000) == 1);
  CHECK(arrivals.due_before(1'000'001) == 2);
  CHECK(arrivals.due_before(10'000'000'000) == 10'000);
  Arrivals poisson({1000.0, true, 5, 1, 0}, 0);
  std::uint64_t count = 0;
  for (Arrivals each = poisson; each.next() < 3'000'000'000; each.pop()) {
    ++count;
  }
  CHECK(poisson.due_before(3'000'000'000) == count);
  CHECK(static_cast<double>(poisson.due_before(3'600'000'000'000)) == Approx(3.6e6).epsilon(0.01));
}
