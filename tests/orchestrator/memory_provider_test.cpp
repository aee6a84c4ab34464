#include "memory_provider.hpp"

#include "providers/contract.hpp"

#include <catch2/catch.hpp>

using namespace lab;

namespace {

struct World : contract::Fixture {
  World() : Fixture{[this] { return std::make_unique<fakes::MemoryProvider>(host); }, {"small", "/state/small", lab}} {
    lab.nodes = {Node{"webseal", {Role::gateway}, {}}, Node{"tam", {Role::directory}, {}}};
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  Lab lab;
  fakes::MemoryHost host;
};

}  // namespace

TEST_CASE("the provider in memory keeps the providers' contract") {
  contract::check([] { return std::make_shared<World>(); });
}
