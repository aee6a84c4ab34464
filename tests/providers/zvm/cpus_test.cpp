#include "providers/zvm/cpus.hpp"

#include "providers/zvm/cpu_time.hpp"
#include "zvm_world.hpp"

using zvm_test::World;
using namespace lab;
using namespace lab::providers;

namespace {

zvm::Inside with(std::vector<int> online, std::vector<int> present) {
  zvm::Inside inside;
  inside.online = std::move(online);
  inside.present = std::move(present);
  return inside;
}

}  // namespace

TEST_CASE("CPUs go from the highest on, come back from the lowest on, and only what is missing is defined") {
  const auto down = zvm::change_of(with({0, 1, 2, 3}, {0, 1, 2, 3}), 2);
  CHECK(down.off == std::vector<int>{3, 2});
  CHECK(down.on.empty());
  CHECK(down.define == 0);
  const auto up = zvm::change_of(with({0}, {0, 1, 2}), 4);
  CHECK(up.on == std::vector<int>{1, 2});
  CHECK(up.define == 1);
  const auto same = zvm::change_of(with({0, 1}, {0, 1}), 2);
  CHECK((same.off.empty() && same.on.empty() && same.define == 0));
  CHECK(zvm::change_of(with({0, 1}, {0, 1}), 0).off == std::vector<int>{1});  // one stays
}

TEST_CASE("a created guest gets more CPUs from Feilong, and is looked at whether it runs them") {
  World world;
  const auto node = world.raise();
  REQUIRE(node);
  const auto limit = world.open()->limit_cpus(world.site, *node, 3);
  REQUIRE(limit);
  CHECK(limit->method == CpuMethod::quota);
  CHECK(limit->agent_lifts);
  CHECK(world.guest("LINUX1").defined == 3);
  CHECK(world.linux_of("webseal").online == std::vector<int>{0, 1, 2});
  CHECK(world.linux_of("webseal").commands == std::vector<std::string>{"chcpu -r", "chcpu -e 2"});
}

TEST_CASE("parts of a CPU are left to stopping and continuing, on as many CPUs as they need") {
  World world;
  const auto node = world.raise();
  REQUIRE(node);
  const auto limit = world.open()->limit_cpus(world.site, *node, 0.4);
  REQUIRE(limit);
  CHECK(limit->method == CpuMethod::stop_continue);
  CHECK(limit->note == "a guest of z/VM has whole CPUs; parts of one are made by stopping and continuing");
  CHECK(world.linux_of("webseal").online == std::vector<int>{0});
}

TEST_CASE("a guest that does not run the CPUs which it was given is an error") {
  World world;
  const auto node = world.raise();
  REQUIRE(node);
  world.linux_of("webseal").may_change = false;
  const auto limit = world.open()->limit_cpus(world.site, *node, 1);
  REQUIRE(!limit);
  CHECK(
      to_string(limit.error()) ==
      "the guest's CPUs cannot be changed\n  at node webseal: chcpu -d 1\nsudo: a password is required\n  it takes root, or sudo without a "
      "password");
}

TEST_CASE("what is no guest of z/VM keeps its CPUs") {
  World world;
  const auto node = world.raise();
  REQUIRE(node);
  world.linux_of("webseal").on_zvm = false;
  const auto limit = world.open()->limit_cpus(world.site, *node, 1);
  REQUIRE(limit);
  CHECK(limit->method == CpuMethod::stop_continue);
  CHECK(world.linux_of("webseal").commands.empty());
}

TEST_CASE("the machine's CPU time is the hypervisor's where a guest may ask it, else a lower bound: the sum of the lab's guests") {
  World world;
  const auto first = world.raise(0), second = world.raise(1);
  REQUIRE((first && second));
  world.server.with([](standin::Hypervisor& there) {
    there.guests.at("LINUX1").cpu_us = 3'000'000;
    there.guests.at("LINUX2").cpu_us = 4'000'000;
  });
  const auto sum = world.open()->cpu_times(world.site, *first);
  REQUIRE(sum);
  CHECK(sum->lower_bound);
  CHECK(sum->machine_busy_us >= 7'000'000);
  CHECK(sum->machine_busy_us < 7'100'000);
  CHECK(sum->machine_cpus == 10);
  CHECK(sum->machine_steal_us == 70'000);
  world.linux_of("webseal").hypfs = "hypfs 99000000\nhypcpus 12\n";
  const auto all = world.open()->cpu_times(world.site, *first);
  REQUIRE(all);
  CHECK_FALSE(all->lower_bound);
  CHECK(all->machine_busy_us == 99'000'000);
  CHECK(all->machine_cpus == 12);
}

TEST_CASE("a guest that says it used more CPU time than z/VM gave it is said to") {
  CHECK(zvm::reconcile({10'000'000, 9'500'000}).empty());
  CHECK(zvm::reconcile({10'000'000, 11'000'000}).empty());  // ticks, and time between the readings
  CHECK(zvm::reconcile({10'000'000, std::nullopt}).empty());
  CHECK(zvm::reconcile({10'000'000, 20'000'000}) == "its Linux says that it used 20.0 s of CPU time, and z/VM gave it only 10.0 s");
}
