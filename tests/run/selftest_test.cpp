#include "run/selftest.hpp"

#include "config/config.hpp"

#include <catch2/catch.hpp>

using namespace lab;
using namespace lab::run;

TEST_CASE("of ten thousand made-up pairs without an effect 5% are called different") {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const double share = false_alarms(10'000, seed);
    CHECK(share > 0.04);
    CHECK(share < 0.06);
  }
}

TEST_CASE("the self-test's lab is a lab") {
  const auto lab = config::parse_lab(kSelfTestLab, "selftest.yaml");
  REQUIRE(lab);
  CHECK(lab->nodes.size() == 5);
}
