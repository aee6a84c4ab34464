// What every provider promises (src/providers/provider.hpp), as one suite. Run it over each of them, fakes included.
#pragma once

#include "providers/provider.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace contract {

using namespace lab;

struct Fixture {
  std::function<std::unique_ptr<providers::Provider>()> open;  // each sees the same world, as each `lab` command does
  providers::Site site;                                        // its lab has two nodes or more
};

inline Deadline soon() { return Clock::now() + std::chrono::seconds(30); }
inline Result<void> accept(const providers::NodeRecord&) { return {}; }

inline providers::NodeRecord named(const std::string& node) {
  providers::NodeRecord record;
  record.node.name = node;
  return record;
}

inline std::vector<providers::Found> left(const Fixture& fixture) {
  const auto found = fixture.open()->list(fixture.site.name, fixture.site.state);
  REQUIRE(found);
  return *found;
}

inline void plan_touches_nothing(const Fixture& fixture) {
  const auto steps = fixture.open()->plan(fixture.site, {});
  REQUIRE(steps);
  CHECK(steps->size() == fixture.site.lab.nodes.size());
  for (const auto& step : *steps) {
    CHECK(step.action == "create");
  }
  CHECK(left(fixture).empty());
}

inline void intent_comes_first(const Fixture& fixture) {
  std::size_t there_at_intent = 0;
  std::string recorded;
  const auto made = fixture.open()->create(
      fixture.site, fixture.site.lab.nodes[0],
      [&](const providers::NodeRecord& record) -> Result<void> {
        there_at_intent = left(fixture).size();
        recorded = record.node.name;
        return {};
      },
      soon());
  REQUIRE(made);
  CHECK(there_at_intent == 0);
  CHECK(recorded == fixture.site.lab.nodes[0].name);
}

inline void a_refused_intent_creates_nothing(const Fixture& fixture) {
  const auto made = fixture.open()->create(
      fixture.site, fixture.site.lab.nodes[0],
      [](const providers::NodeRecord&) -> Result<void> {
        return Error{"the disk is full", "state.json"};
      },
      soon());
  REQUIRE(!made);
  CHECK(made.error().what == "the disk is full");
  CHECK(left(fixture).empty());
}

inline void a_node_is_reachable_and_kept(const Fixture& fixture) {
  const Node& node = fixture.site.lab.nodes[0];
  const auto made = fixture.open()->create(fixture.site, node, accept, soon());
  REQUIRE(made);
  CHECK(made->node.name == node.name);
  CHECK_FALSE(made->node.address.empty());
  CHECK_FALSE(made->node.machine.empty());
  CHECK_FALSE(made->node.ssh_user.empty());
  CHECK(made->node.ssh_host_key.starts_with("SHA256:"));
  CHECK(std::filesystem::path(made->node.directory).is_absolute());

  const auto again = fixture.open()->create(fixture.site, node, accept, soon());
  REQUIRE(again);
  CHECK(again->node.ssh_host_key == made->node.ssh_host_key);
  CHECK(again->node.address == made->node.address);

  const auto steps = fixture.open()->plan(fixture.site, {*again});
  REQUIRE(steps);
  CHECK(steps->front().action == "keep");
}

inline void nodes_are_created_at_once_and_all_found(const Fixture& fixture) {
  const auto provider = fixture.open();
  std::mutex mutex;
  std::set<std::string> addresses;
  std::vector<std::thread> threads;
  for (const Node& node : fixture.site.lab.nodes) {
    threads.emplace_back([&] {
      const auto made = provider->create(fixture.site, node, accept, soon());
      const std::lock_guard guard(mutex);
      addresses.insert(made ? made->node.address : to_string(made.error()));
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(addresses.size() == fixture.site.lab.nodes.size());
  std::set<std::string> found;
  for (const auto& thing : left(fixture)) {
    found.insert(thing.node);
  }
  for (const Node& node : fixture.site.lab.nodes) {
    CHECK(found.contains(node.name));
  }
}

inline void destroy_leaves_nothing_and_the_others_alone(const Fixture& fixture) {
  const Node &first = fixture.site.lab.nodes[0], &second = fixture.site.lab.nodes[1];
  REQUIRE(fixture.open()->create(fixture.site, first, accept, soon()));
  const auto kept = fixture.open()->create(fixture.site, second, accept, soon());
  REQUIRE(kept);

  REQUIRE(fixture.open()->destroy(fixture.site, named(first.name), soon()));
  const auto rest = left(fixture);
  CHECK_FALSE(rest.empty());
  CHECK(std::all_of(rest.begin(), rest.end(), [&](const providers::Found& found) { return found.node == second.name; }));

  REQUIRE(fixture.open()->destroy(fixture.site, *kept, soon()));
  CHECK(left(fixture).empty());
  CHECK(fixture.open()->destroy(fixture.site, *kept, soon()));  // absent is success
}

inline void cpus_are_limited_and_counted(const Fixture& fixture) {
  const auto made = fixture.open()->create(fixture.site, fixture.site.lab.nodes[0], accept, soon());
  REQUIRE(made);
  const auto limit = fixture.open()->limit_cpus(fixture.site, *made, 0.4);
  REQUIRE(limit);
  CHECK(limit->method != CpuMethod::none);
  CHECK((limit->method == CpuMethod::quota || !limit->note.empty()));
  REQUIRE(fixture.open()->limit_cpus(fixture.site, *made, 0.8));
  const auto before = fixture.open()->cpu_times(fixture.site, *made);
  const auto after = fixture.open()->cpu_times(fixture.site, *made);
  REQUIRE(before);
  REQUIRE(after);
  CHECK(after->node_us >= before->node_us);
  CHECK(after->machine_busy_us >= before->machine_busy_us);
  CHECK(after->machine_cpus >= 1);
}

// `make` gives a fresh world each time; what is left in it when it is destroyed is the fixture's to remove.
inline void check(const std::function<std::shared_ptr<Fixture>()>& make) {
  const auto run = [&](const char* promise, void (*test)(const Fixture&)) {
    INFO(promise);
    const auto fixture = make();
    test(*fixture);
    for (const Node& node : fixture->site.lab.nodes) {
      CHECK(fixture->open()->destroy(fixture->site, named(node.name), soon()));
    }
    CHECK(left(*fixture).empty());
  };
  run("plan touches nothing", plan_touches_nothing);
  run("the intent is recorded before anything is created", intent_comes_first);
  run("an intent that cannot be recorded creates nothing", a_refused_intent_creates_nothing);
  run("a node is reachable, and kept when created again", a_node_is_reachable_and_kept);
  run("nodes are created at once and all found by label", nodes_are_created_at_once_and_all_found);
  run("destroy leaves nothing of the node, and the others alone", destroy_leaves_nothing_and_the_others_alone);
  run("CPUs are limited and counted", cpus_are_limited_and_counted);
}

}  // namespace contract
