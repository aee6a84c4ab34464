// What Feilong does that one would not expect, each met by the provider: shared facts about its REST interface, 1 to 10.
#include "providers/zvm/guest_record.hpp"
#include "zvm_world.hpp"

#include <mutex>
#include <thread>

using zvm_test::World;
using namespace lab;
using namespace lab::providers;

TEST_CASE("a Feilong whose server is down, answering 200 with an empty list, is not believed to have no guests left") {
  World world;
  REQUIRE(world.raise());
  world.server.with([](standin::Hypervisor& there) { there.server_down = true; });
  const auto found = world.open()->list(world.site.name, world.site.state);
  REQUIRE(!found);
  CHECK(to_string(found.error()) ==
        "Feilong refuses: Failed to connect SDK server\n  at GET /guests (HTTP 200, overallRC 101, rc 101, rs 2)\n"
        "  look whether sdkserver runs on its host: systemctl status sdkserver");
  CHECK_FALSE(world.destroy());
  world.server.with([](standin::Hypervisor& there) { there.server_down = false; });
  CHECK(world.destroy());
  CHECK(contract::left(world).empty());
}

TEST_CASE("a guest without disks is created all the same, with an empty list of them") {
  World world;
  world.lab.nodes[0].guest.disks.clear();
  REQUIRE(world.raise());
  CHECK(world.asked(R"(POST /guests {"guest":{"userid":"LINUX1","vcpus":2,"memory":2048,"disk_list":[],)") == 1);
}

TEST_CASE("a guest that is gone already is success") {
  World world;
  REQUIRE(world.raise());
  world.server.with([](standin::Hypervisor& there) { there.guests.clear(); });
  CHECK(world.destroy());
  CHECK(contract::left(world).empty());
}

TEST_CASE("a guest that z/VM's directory has and Feilong does not know is left, and said to be") {
  World world;
  REQUIRE(world.raise());
  world.server.with([](standin::Hypervisor& there) {
    there.guests.clear();
    there.strays = {"LINUX1"};
  });
  const auto destroyed = world.destroy();
  REQUIRE(!destroyed);
  CHECK(destroyed.error().what == "guest LINUX1 is in z/VM's directory, but Feilong does not know it");
  CHECK(destroyed.error().remedy == "remove it there: dirm for LINUX1 purge; then run `lab down` again");
  const auto left = contract::left(world);
  REQUIRE(left.size() == 1);
  CHECK(left[0].node == "webseal");
  world.server.with([](standin::Hypervisor& there) { there.strays.clear(); });
  CHECK(world.destroy());
  CHECK(contract::left(world).empty());
}

TEST_CASE("starting a guest that runs and stopping one that does not change nothing") {
  World world;
  REQUIRE(world.raise());
  world.server.forget_journal();
  REQUIRE(world.raise());
  CHECK(world.asked("POST ") == 0);
  world.server.with([](standin::Hypervisor& there) { there.guests.at("LINUX1").on = false; });
  const auto steps = world.open()->plan(world.site, {});
  REQUIRE(steps);
  CHECK(steps->front().action == "repair");
  CHECK(steps->front().detail == "guest LINUX1 is off");
  REQUIRE(world.raise());
  CHECK(world.guest("LINUX1").on);
  world.server.with([](standin::Hypervisor& there) { there.guests.at("LINUX1").on = false; });
  CHECK(world.destroy());
}

TEST_CASE("more CPUs for a guest that is off, or than it may have, are errors that say what to do") {
  World world;
  const auto node = world.raise();
  REQUIRE(node);
  const auto beyond = world.open()->limit_cpus(world.site, *node, 5);
  REQUIRE(!beyond);
  CHECK(beyond.error().remedy == "raise `max-cpus`, then have the guest created anew: lab down, lab up");
  CHECK(beyond.error().where == "node webseal: POST /guests/LINUX1/action live_resize_cpus (HTTP 409, overallRC 409, rc 409, rs 4)");
  world.server.with([](standin::Hypervisor& there) { there.guests.at("LINUX1").on = false; });
  world.always_reachable = true;
  const auto off = world.open()->limit_cpus(world.site, *node, 3);
  REQUIRE(!off);
  CHECK(off.error().remedy == "start it: lab up");
  CHECK(off.error().where == "node webseal: POST /guests/LINUX1/action live_resize_cpus (HTTP 409, overallRC 409, rc 409, rs 1)");
}

TEST_CASE("a soft stop that does not reach the guest is followed by a hard one") {
  World world;
  REQUIRE(world.raise());
  world.server.with([](standin::Hypervisor& there) { there.guests.at("LINUX1").deaf = true; });
  REQUIRE(world.destroy());
  CHECK(world.asked(R"(POST /guests/LINUX1/action {"action":"softstop"})") == 1);
  CHECK(world.asked(R"(POST /guests/LINUX1/action {"action":"stop"})") == 1);
  CHECK_FALSE(world.has_guest("LINUX1"));
}

TEST_CASE("a guest that stops softly is not stopped hard") {
  World world;
  REQUIRE(world.raise());
  REQUIRE(world.destroy());
  CHECK(world.asked(R"(POST /guests/LINUX1/action {"action":"softstop"})") == 1);
  CHECK(world.asked(R"(POST /guests/LINUX1/action {"action":"stop"})") == 0);
}

TEST_CASE("CPU time is what /info says now, never the statistics of minutes ago") {
  World world;
  const auto node = world.raise();
  REQUIRE(node);
  const auto set = [&](std::uint64_t us) { world.server.with([&](standin::Hypervisor& there) { there.guests.at("LINUX1").cpu_us = us; }); };
  set(5'000'000);
  const auto before = world.open()->cpu_times(world.site, *node);
  set(9'000'000);
  const auto after = world.open()->cpu_times(world.site, *node);
  REQUIRE(before);
  REQUIRE(after);
  CHECK(after->node_us - before->node_us >= 4'000'000);
  CHECK(world.asked("GET /guests/stats") == 0);
}

TEST_CASE("an order that is longer than Feilong takes is refused before it is sent, with the reason") {
  World world;
  world.lab.nodes[0].guest.disks.assign(200, std::uint64_t{1} << 30);
  const auto made = world.raise();
  REQUIRE(!made);
  CHECK(made.error().what.ends_with(" bytes is more than Feilong takes, which is about 4 KB"));
  CHECK(world.asked("POST /guests ") == 0);
}

TEST_CASE("no more deployments at once than are asked for, and a 503 is waited out with growing pauses") {
  World world;
  for (int i = 3; i <= 9; ++i) {
    world.add_guest("n" + std::to_string(i), Role::load, "LINUX" + std::to_string(i), "10.1.0." + std::to_string(10 + i));
  }
  world.server.hold_deployments(4);
  world.server.misbehave({standin::Fault::busy, R"(POST /guests/LINUX1/action {"action":"deploy")", 3});
  const auto provider = world.open();
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::vector<std::string> failures;
  for (const Node& node : world.lab.nodes) {
    threads.emplace_back([&] {
      if (const auto made = provider->create(world.site, node, contract::accept, contract::soon()); !made) {
        const std::lock_guard guard(mutex);
        failures.push_back(to_string(made.error()));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(failures == std::vector<std::string>{});
  CHECK(world.server.most_deploying() == 4);
  using namespace std::chrono_literals;
  CHECK(world.pauses == std::vector<std::chrono::nanoseconds>{1s, 2s, 4s});
}

TEST_CASE("fewer CPUs are only taken offline: none is detached, and all come back") {
  World world;
  const auto node = world.raise();
  REQUIRE(node);
  REQUIRE(world.open()->limit_cpus(world.site, *node, 4));
  CHECK(world.linux_of("webseal").online.size() == 4);
  REQUIRE(world.open()->limit_cpus(world.site, *node, 1));
  CHECK(world.linux_of("webseal").online == std::vector<int>{0});
  CHECK(world.guest("LINUX1").defined == 4);
  REQUIRE(world.open()->limit_cpus(world.site, *node, std::nullopt));
  CHECK(world.linux_of("webseal").online.size() == 4);
  for (const std::string& command : world.linux_of("webseal").commands) {
    CHECK(command.find("detach") == std::string::npos);
  }
}
