// A mixed lab: guests that Feilong creates beside hosts and guests that exist.
#include "providers/zvm/guest_record.hpp"
#include "zvm_world.hpp"

using zvm_test::World;
using namespace lab;
using namespace lab::providers;

namespace {

// An sshd of the test's own as a host that exists.
struct Mixed {
  Mixed() {
    Node given{"client", {Role::load}};
    given.host = "127.0.0.1";
    given.port = sshd.target().port;
    given.user = sshd.target().user;
    given.key = sshd.target().private_key.string();
    given.host_key = sshd.target().host_key;
    world.lab.nodes.push_back(std::move(given));
  }
  test::TemporaryFolder home;
  test::Sshd sshd{"SetEnv SHLVL=1 \"HOME=" + home.path().string() + "\""};
  World world;
};

}  // namespace

TEST_CASE("a lab has guests to create and hosts that exist side by side") {
  Mixed mixed;
  World& world = mixed.world;
  const auto steps = world.open()->plan(world.site, {});
  REQUIRE(steps);
  REQUIRE(steps->size() == 3);
  CHECK((*steps)[2].what == "node client");
  CHECK((*steps)[2].calls.empty());
  const auto guest = world.raise(0), host = world.raise(2);
  REQUIRE(guest);
  REQUIRE(host);
  CHECK(host->node.ssh_port == mixed.sshd.target().port);
  CHECK(contract::left(world).size() == 2);
  REQUIRE(world.destroy(0));
  REQUIRE(world.destroy(2));
  CHECK(contract::left(world).empty());
  CHECK(std::filesystem::is_empty(mixed.home.path()));
}

TEST_CASE("a given guest gets its CPUs from CP, and has those that it had when the lab is gone") {
  Mixed mixed;
  World& world = mixed.world;
  world.linux_of("client").online = {0, 1};
  world.linux_of("client").present = {0, 1};
  const auto node = world.raise(2);
  REQUIRE(node);
  REQUIRE(world.open()->limit_cpus(world.site, *node, 3));
  CHECK(world.linux_of("client").commands == std::vector<std::string>{"vmcp define cpu 02", "chcpu -r", "chcpu -e 2"});
  REQUIRE(world.open()->limit_cpus(world.site, *node, 1));
  CHECK(world.linux_of("client").online == std::vector<int>{0});
  REQUIRE(world.destroy(2));
  CHECK(world.linux_of("client").online == std::vector<int>{0, 1});
}

TEST_CASE("a given guest whose CPUs may not be changed is limited by stopping and continuing") {
  Mixed mixed;
  World& world = mixed.world;
  world.linux_of("client").online = {0, 1};
  world.linux_of("client").present = {0, 1};
  world.linux_of("client").may_change = false;
  const auto node = world.raise(2);
  REQUIRE(node);
  const auto limit = world.open()->limit_cpus(world.site, *node, 1);
  REQUIRE(limit);
  CHECK(limit->method == CpuMethod::stop_continue);
  CHECK(limit->note == "the guest's CPUs cannot be changed: it takes root, or sudo without a password");
  CHECK(world.destroy(2));
}
