#include "orchestrator/attach.hpp"
#include "orchestrator/down.hpp"
#include "orchestrator/state.hpp"
#include "orchestrator/status.hpp"
#include "orchestrator/up.hpp"

#include "config/config.hpp"
#include "fake_world.hpp"

#include <catch2/catch.hpp>
#include <fstream>

using namespace lab;
using namespace lab::orchestrator;

namespace {

Lab lab_of(const std::string& text) {
  auto lab = config::parse_lab(text, "small.yaml");
  REQUIRE(lab);
  return std::move(*lab);
}

Lab small() { return lab_of(fakes::small_lab().source); }

Deadline soon() { return Clock::now() + std::chrono::seconds(10); }

Error first_error(const Result<Raised, Errors>& raised) {
  REQUIRE(!raised);
  REQUIRE_FALSE(raised.error().empty());
  return raised.error().front();
}

}  // namespace

TEST_CASE("up creates every node, limits the gateway and starts its roles; down leaves nothing") {
  fakes::FakeWorld fake;
  const auto raised = up(fake.world, small(), "small", fake.operation());
  REQUIRE(raised);
  CHECK(raised->changed);
  CHECK(raised->standing.nodes.size() == 4);
  CHECK(raised->standing.cpu_method == CpuMethod::quota);
  CHECK(fake.host.nodes[(fake.world.root / "small").string()]["webseal"] == Approx(raised->standing.cpu_unit));
  CHECK(fake.agents.roles["webseal"].contains("gateway"));
  CHECK(fake.agents.roles["tam"].contains("directory"));
  CHECK(fake.agents.roles["was"].contains("pages"));
  CHECK(fake.agents.roles["client"].empty());

  const auto taken = down(fake.world, "small", fake.operation());
  REQUIRE(taken);
  CHECK(taken->was_there);
  CHECK(fake.machines("small") == 0);
  CHECK_FALSE(std::filesystem::exists(fake.world.root / "small"));
}

TEST_CASE("the database's password is each lab's own, and stays while it stands") {
  fakes::FakeWorld fake;
  const Lab lab = lab_of(
      "lab: small\nnodes:\n  gw: {roles: [gateway], cpus: 1}\n  was: {roles: [pages], pages: {source: postgresql}}\n"
      "  db: {roles: [database]}\n");
  const auto password_of = [&](const char* node, const char* role) {
    const auto& config = fake.agents.roles[node][role];
    const auto& user = std::string(role) == "pages" ? config.at("database").as_object() : config;
    return std::string(user.at("password").as_string());
  };
  REQUIRE(up(fake.world, lab, "small", fake.operation()));
  const std::string first = password_of("db", "database");
  CHECK(first.size() == 32);
  CHECK(password_of("was", "pages") == first);
  const auto file = StateFiles(fake.world.root / "small").database_password;
  CHECK(std::filesystem::status(file).permissions() == static_cast<std::filesystem::perms>(0600));

  fake.agents.roles["was"].clear();
  REQUIRE(up(fake.world, lab, "small", fake.operation()));
  CHECK(password_of("was", "pages") == first);

  REQUIRE(down(fake.world, "small", fake.operation()));
  fake.agents.roles.clear();
  REQUIRE(up(fake.world, lab, "small", fake.operation()));
  CHECK(password_of("db", "database") != first);
}

TEST_CASE("up twice does nothing the second time") {
  fakes::FakeWorld fake;
  REQUIRE(up(fake.world, small(), "small", fake.operation()));
  const int installs = fake.agents.installs;
  const auto again = up(fake.world, small(), "small", fake.operation());
  REQUIRE(again);
  CHECK_FALSE(again->changed);
  CHECK(fake.agents.installs == installs);
}

TEST_CASE("up does only what is missing") {
  fakes::FakeWorld fake;
  REQUIRE(up(fake.world, small(), "small", fake.operation()));
  const int installs = fake.agents.installs;
  SECTION("an agent is gone") {
    fake.agents.installed.erase("tam");
    REQUIRE(up(fake.world, small(), "small", fake.operation()));
    CHECK(fake.agents.installs == installs + 1);
  }
  SECTION("a role has ended") {
    fake.agents.roles["was"].clear();
    const auto again = up(fake.world, small(), "small", fake.operation());
    REQUIRE(again);
    CHECK(again->changed);
    CHECK(fake.agents.installs == installs);
    CHECK(fake.agents.roles["was"].contains("pages"));
  }
}

TEST_CASE("what is found before anything is touched leaves nothing behind") {
  fakes::FakeWorld fake;
  fake.host.busy_ports = {"webseal", "was"};
  const auto raised = up(fake.world, small(), "small", fake.operation());
  REQUIRE(!raised);
  CHECK(raised.error().size() == 2);
  CHECK_FALSE(std::filesystem::exists(fake.world.root / "small"));
}

TEST_CASE("what this build cannot raise is refused before anything is touched") {
  fakes::FakeWorld fake;
  const Lab lab = lab_of("lab: small\nprovider: zvm\nnodes:\n  gw: {roles: [gateway], host: linux1}\n");
  const auto raised = up(fake.world, lab, "small", fake.operation());
  CHECK(first_error(raised).what == "provider zvm is not in this build of lab");
  CHECK(first_error(raised).where == "small.yaml");
  CHECK_FALSE(plan(fake.world, lab, "small"));
  CHECK(fake.machines("small") == 0);
  CHECK_FALSE(std::filesystem::exists(fake.world.root / "small"));
}

TEST_CASE("how CPUs are limited is found out for a gateway without a limit, which stays without") {
  fakes::FakeWorld fake;
  const Lab lab = lab_of("lab: small\nnodes: {gw: {roles: [gateway]}, driver: {roles: [load]}}\n");
  const auto raised = up(fake.world, lab, "small", fake.operation());
  REQUIRE(raised);
  CHECK(raised->standing.cpu_method == CpuMethod::quota);
  CHECK(fake.host.nodes[(fake.world.root / "small").string()]["gw"] == 0);
}

TEST_CASE("a fresh lab that fails half-way is removed again, and says so after what went wrong") {
  fakes::FakeWorld fake;
  SECTION("a node cannot be created") { fake.host.broken = {"was"}; }
  SECTION("a role does not start") { fake.agents.failing = {"was"}; }
  SECTION("a node cannot be reached") { fake.agents.unreachable = {"was"}; }
  const Error error = first_error(up(fake.world, small(), "small", fake.operation()));
  CHECK(error.where.starts_with("node was"));
  CHECK(error.remedy == "what was created has been removed again");
  CHECK(fake.machines("small") == 0);
  CHECK_FALSE(std::filesystem::exists(fake.world.root / "small"));
}

TEST_CASE("a failed role is told with the end of its log") {
  fakes::FakeWorld fake;
  fake.agents.failing = {"was"};
  CHECK(first_error(up(fake.world, small(), "small", fake.operation())).detail == "bind: Address already in use");
}

TEST_CASE("a node that there is no binary for is told before certificates are pushed to it") {
  fakes::FakeWorld fake;
  fake.agents.without_binary = {"client", "webseal", "was", "tam"};
  const auto raised = up(fake.world, small(), "small", fake.operation());
  CHECK(first_error(raised).what == "no binary for it");
  CHECK(fake.agents.uploads == 0);
}

TEST_CASE("a node whose binary is of another build fails at hello, with what to do") {
  fakes::FakeWorld fake;
  fake.agents.builds["webseal"] = "another build";
  const auto raised = up(fake.world, small(), "small", fake.operation());
  CHECK(to_string(first_error(raised)) ==
        "the agent is of another build of lab\n  at node webseal\n"
        "  its binary is not of the same source as this one: build both again\n  what was created has been removed again");
}

TEST_CASE("an interrupted up keeps what is there, for up to go on or for down") {
  fakes::FakeWorld fake;
  fake.on_progress = [&](const Progress& progress) {
    if (progress.step == "node" && progress.kind == Progress::Kind::done) {
      fake.interrupt.raise();
    }
  };
  const Error error = first_error(up(fake.world, small(), "small", fake.operation()));
  CHECK(error.failure == Failure::interrupted);
  CHECK(fake.machines("small") > 0);

  SECTION("up goes on") {
    fakes::FakeWorld& same = fake;
    same.on_progress = {};
    const Interrupt none;
    auto operation = same.operation();
    CHECK(up(same.world, small(), "small", {none, operation.tell, {}, operation.deadline}));
    CHECK(same.machines("small") == 4);
  }
  SECTION("down removes it") {
    CHECK(down(fake.world, "small", fake.operation()));
    CHECK(fake.machines("small") == 0);
  }
}

TEST_CASE("a stuck node is told when the rest is gone, and down works once it can be ended") {
  fakes::FakeWorld fake;
  REQUIRE(up(fake.world, small(), "small", fake.operation()));
  fake.host.stuck = {"tam"};
  const auto taken = down(fake.world, "small", fake.operation());
  REQUIRE(!taken);
  CHECK(fake.machines("small") == 1);
  CHECK(taken.error().back().what == "left behind: machine tam");
  CHECK(first_error(up(fake.world, small(), "small", fake.operation())).remedy == "finish that first: lab down small");

  fake.host.stuck.clear();
  CHECK(down(fake.world, "small", fake.operation()));
  CHECK(fake.machines("small") == 0);
}

TEST_CASE("down goes by labels when the state is lost or broken") {
  fakes::FakeWorld fake;
  REQUIRE(up(fake.world, small(), "small", fake.operation()));
  const auto folder = fake.world.root / "small";
  SECTION("the state file is gone") {
    std::filesystem::remove(folder / "state.json");
    std::filesystem::remove(folder / "state.json.1");
  }
  SECTION("the whole folder is gone") { std::filesystem::remove_all(folder); }
  SECTION("both states are broken") {
    std::ofstream(folder / "state.json") << "{";
    std::ofstream(folder / "state.json.1") << "";
  }
  SECTION("the lab file as deployed is broken") { std::ofstream(folder / "lab.yaml") << "lab: ["; }
  const auto taken = down(fake.world, "small", fake.operation());
  REQUIRE(taken);
  CHECK(taken->was_there);
  CHECK(fake.machines("small") == 0);
  CHECK_FALSE(std::filesystem::exists(folder));
}

TEST_CASE("a lab that is not there is no error") {
  fakes::FakeWorld fake;
  const auto taken = down(fake.world, "small", fake.operation());
  REQUIRE(taken);
  CHECK_FALSE(taken->was_there);
  CHECK_FALSE(std::filesystem::exists(fake.world.root / "small"));
}

TEST_CASE("a lab stands as deployed: another file of its name is refused, the same one in another place is not") {
  fakes::FakeWorld fake;
  REQUIRE(up(fake.world, small(), "small", fake.operation()));
  Lab moved = small();
  moved.path = "elsewhere.yaml";
  CHECK(up(fake.world, moved, "small", fake.operation()));
  Lab renamed = small();
  renamed.nodes.back().name = "was2";
  CHECK(first_error(up(fake.world, renamed, "small", fake.operation())).what == "lab small stands as another file described it");
}

TEST_CASE("labs of several names stand at once, each in an address range of its own") {
  fakes::FakeWorld fake;
  for (int slot = 1; slot <= providers::kSlots; ++slot) {
    fake.slots_of_others.insert(slot);
  }
  CHECK(first_error(up(fake.world, small(), "one", fake.operation())).what == "no address range is left for another lab");
  fake.slots_of_others.erase(7);
  fake.slots_of_others.erase(150);
  REQUIRE(up(fake.world, small(), "one", fake.operation()));
  REQUIRE(up(fake.world, small(), "two", fake.operation()));
  const int one = (*load(fake.world.root / "one"))->slot, two = (*load(fake.world.root / "two"))->slot;
  CHECK(std::set<int>{one, two} == std::set<int>{7, 150});
  REQUIRE(down(fake.world, "one", fake.operation()));
  CHECK(fake.machines("two") == 4);
}

TEST_CASE("an attached lab is locked, its agents answer, and its CPUs can be set") {
  fakes::FakeWorld fake;
  REQUIRE(up(fake.world, small(), "small", fake.operation()));
  const auto attached = attach(fake.world, "", "lab run", fake.interrupt, soon());
  REQUIRE(attached);
  CHECK(attached->standing.name == "small");
  CHECK(attached->agents->call("webseal", "role.list", {}, soon()));
  REQUIRE(attached->cpus->set("webseal", 2));
  CHECK(fake.host.nodes[(fake.world.root / "small").string()]["webseal"] == Approx(2 * attached->standing.cpu_unit));

  const auto refused = down(fake.world, "small", fake.operation());
  REQUIRE(!refused);
  CHECK(refused.error().front().what == "lab small is in the hands of `lab run` (process " + std::to_string(getpid()) + ")");
}

TEST_CASE("attaching names every node that cannot be reached") {
  fakes::FakeWorld fake;
  REQUIRE(up(fake.world, small(), "small", fake.operation()));
  fake.agents.unreachable = {"tam", "was"};
  const auto attached = attach(fake.world, "small", "lab run", fake.interrupt, soon());
  REQUIRE(!attached);
  CHECK(attached.error().size() == 2);
}

TEST_CASE("status tells which node does not answer, and which role") {
  fakes::FakeWorld fake;
  REQUIRE(up(fake.world, small(), "small", fake.operation()));
  CHECK(look(fake.world, "small", soon())->ok());
  fake.agents.unreachable = {"tam"};
  fake.agents.roles["was"].clear();
  const auto status = look(fake.world, "small", soon());
  REQUIRE(status);
  CHECK_FALSE(status->ok());
  CHECK(status->nodes[0].health == Health::ok);
  CHECK(status->nodes[2].health == Health::down);
  CHECK(status->nodes[2].why == "connection refused");
  CHECK(status->nodes[3].why == "pages does not answer: lab logs was pages");
}

TEST_CASE("an external node is neither made nor started nor asked, only written down") {
  fakes::FakeWorld fake;
  const Lab lab = lab_of(
      "lab: driven\nprovider: local\nnodes:\n  client: {roles: [load]}\n  webseal: {roles: [gateway], kind: external, address: "
      "203.0.113.9}\n");
  const auto raised = up(fake.world, lab, "driven", fake.operation());
  REQUIRE(raised);
  CHECK(fake.machines("driven") == 1);
  CHECK_FALSE(fake.agents.installed.contains("webseal"));
  const StandingNode* const node = raised->standing.find("webseal");
  REQUIRE(node != nullptr);
  CHECK(node->external);
  CHECK(node->address == "203.0.113.9");
  CHECK(attach(fake.world, "driven", "lab run", fake.interrupt, soon()));
  const auto status = look(fake.world, "driven", soon());
  REQUIRE(status);
  CHECK(status->ok());
  CHECK(status->nodes[1].health == Health::unknown);
  CHECK_FALSE(up(fake.world, lab, "driven", fake.operation())->changed);
  REQUIRE(down(fake.world, "driven", fake.operation()));
}
