#include "zvm_world.hpp"

TEST_CASE("provider zvm keeps the providers' contract") {
  contract::check([] { return std::make_shared<zvm_test::World>(); });
}
