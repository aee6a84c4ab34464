#include "run/order.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

using namespace lab::run;

namespace {

const std::vector<Comparison> kFour{{"single", {"a"}}, {"single", {"b"}}, {"single", {"c"}}, {"pair", {"a", "b"}}};

}  // namespace

TEST_CASE("the generator is SplitMix64 as published") {
  Random random(1234567);  // the test vector that comes with its reference implementation
  CHECK(random.next() == 6457827717110365317U);
  CHECK(random.next() == 3203168211198807973U);
  CHECK(random.next() == 9817491932198370423U);
  CHECK(random.next() == 4593380528125082431U);
  CHECK(random.next() == 16408922859458223821U);
}

TEST_CASE("a bounded number takes every value below the bound") {
  Random random(1);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 200; ++i) {
    seen.insert(random.below(5));
  }
  CHECK(seen == std::set<std::uint64_t>{0, 1, 2, 3, 4});
}

TEST_CASE("every block is a pass over all comparisons, pairs like singles") {
  const auto plans = in_random_blocks(kFour, 5, 42);
  REQUIRE(plans.size() == 20);
  for (int block = 0; block < 5; ++block) {
    std::set<std::vector<std::string>> sides;
    for (int place = 0; place < 4; ++place) {
      const TrialPlan& plan = plans[static_cast<std::size_t>(block * 4 + place)];
      CHECK(plan.block == block);
      CHECK(plan.order == place);
      CHECK(plan.kind == (plan.sides.size() == 2 ? "pair" : "single"));
      sides.insert(plan.sides);
    }
    CHECK(sides.size() == 4);
  }
}

TEST_CASE("the same seed gives the same order, another seed another") {
  CHECK(in_random_blocks(kFour, 5, 42) == in_random_blocks(kFour, 5, 42));
  CHECK(in_random_blocks(kFour, 5, 42) != in_random_blocks(kFour, 5, 43));
  // Resuming a run depends on this order in every later build.
  std::string order;
  for (const TrialPlan& plan : in_random_blocks({{"single", {"a"}}, {"single", {"b"}}, {"single", {"c"}}, {"single", {"d"}}}, 3, 42)) {
    order += plan.sides.front();
  }
  CHECK(order == "cadbcdbaadcb");
}
