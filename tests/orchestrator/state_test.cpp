#include "orchestrator/state.hpp"

#include "fake_world.hpp"
#include "orchestrator/lock.hpp"

#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch.hpp>
#include <fstream>
#include <thread>

using namespace lab;
using namespace lab::orchestrator;

namespace {

Deadline soon() { return Clock::now() + std::chrono::seconds(10); }

State some_state(Phase phase) {
  State state;
  state.name = "small";
  state.lab = fakes::small_lab();
  state.phase = phase;
  state.slot = 7;
  state.cpu_unit = 0.4;
  state.cpu_method = CpuMethod::stop_continue;
  state.cpu_note = "no rights";
  providers::NodeRecord record;
  record.node = {"webseal", "127.107.1.2", "host", "127.107.1.2", "me", "SHA256:x", 2022, "/nodes/webseal", {0}};
  record.details["host_key"] = "ssh-ed25519 AAAA";
  state.put(record);
  return state;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a state survives its way to disk") {
  const TemporaryFolder folder;
  REQUIRE(save(folder.path(), some_state(Phase::running)));
  const auto loaded = load(folder.path());
  REQUIRE(loaded);
  REQUIRE(*loaded);
  const State& state = **loaded;
  CHECK(state.name == "small");
  CHECK(state.lab.nodes.size() == 4);
  CHECK(state.phase == Phase::running);
  CHECK(state.slot == 7);
  CHECK(state.cpu_unit == 0.4);
  CHECK(state.cpu_method == CpuMethod::stop_continue);
  CHECK(state.cpu_note == "no rights");
  REQUIRE(state.nodes.size() == 1);
  CHECK(state.nodes[0].node.host_cpus == std::vector<int>{0});
  CHECK(state.nodes[0].node.ssh_port == 2022);
  CHECK(state.nodes[0].details.at("host_key") == "ssh-ed25519 AAAA");
}

TEST_CASE("no state is nothing, not an error") {
  const TemporaryFolder folder;
  const auto loaded = load(folder.path());
  REQUIRE(loaded);
  CHECK_FALSE(*loaded);
}

TEST_CASE("a state cut short by a crash gives way to the one before it") {
  const TemporaryFolder folder;
  REQUIRE(save(folder.path(), some_state(Phase::creating)));
  REQUIRE(save(folder.path(), some_state(Phase::running)));
  const std::string whole = text_of(folder / "state.json");
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, whole.size() / 2, whole.size() - 2}) {
    std::ofstream(folder / "state.json", std::ios::trunc) << whole.substr(0, length);
    const auto loaded = load(folder.path());
    REQUIRE(loaded);
    REQUIRE(*loaded);
    CHECK((*loaded)->phase == Phase::creating);
  }
  std::filesystem::remove(folder / "state.json");
  CHECK((*load(folder.path()))->phase == Phase::creating);
}

TEST_CASE("a state that nobody can read is told with what helps") {
  const TemporaryFolder folder;
  std::ofstream(folder / "state.json") << "[]";
  const auto loaded = load(folder.path());
  REQUIRE(!loaded);
  CHECK(to_string(loaded.error()) == "the lab's state cannot be read: not an object\n  at " + (folder / "state.json").string() +
                                         "\n  `lab down` removes the lab all the same: it goes by labels");
}

TEST_CASE("names that would leave the state folder are refused") {
  for (const char* name : {"", ".", "..", "../x", "a/b", "-x", "a b", "naïve"}) {
    CHECK(!check_name(name));
  }
  for (const char* name : {"local", "webseal-2007", "a.b_c", "7"}) {
    CHECK(check_name(name));
  }
}

TEST_CASE("the second to take a lock waits for the first, and finds the folder anew when that removed it") {
  const Interrupt never;
  const TemporaryFolder folder;
  const auto lab = folder / "small";
  auto first = Lock::take(lab, "lab down", {}, never, soon());
  REQUIRE(first);
  std::string told;
  std::thread second([&] {
    const auto waited = Lock::take(
        lab, "lab up",
        [&](const std::string& holder) {
          told = holder;
          std::filesystem::remove_all(lab);  // as `lab down` does while it holds the lock
          first->reset();
        },
        never, soon());
    CHECK(waited);
    CHECK(std::filesystem::is_directory(lab));
  });
  second.join();
  CHECK(told == "`lab down` (process " + std::to_string(getpid()) + ")");
}

TEST_CASE("a lock ends with its holder, however that ends") {
  const Interrupt never;
  const TemporaryFolder folder;
  const pid_t holder = fork();
  if (holder == 0) {
    const auto taken = Lock::take(folder.path(), "lab up", {}, never, soon());
    raise(SIGKILL);
  }
  waitpid(holder, nullptr, 0);
  CHECK(Lock::take(folder.path(), "lab down", {}, never, soon()));
}

TEST_CASE("an interrupt ends the waiting for a lock") {
  const TemporaryFolder folder;
  const Interrupt never;
  const auto first = Lock::take(folder.path(), "lab up", {}, never, soon());
  REQUIRE(first);
  Interrupt interrupt;
  const auto waited = Lock::take(
      folder.path(), "lab down", [&](const std::string&) { interrupt.raise(); }, interrupt, soon());
  REQUIRE(!waited);
  CHECK(waited.error().failure == Failure::interrupted);
}

TEST_CASE("nobody waits for a run") {
  const Interrupt never;
  const TemporaryFolder folder;
  const auto run = Lock::take(folder.path(), "lab run", {}, never, soon());
  REQUIRE(run);
  const auto refused = Lock::take(folder.path(), "lab up", {}, never, soon());
  REQUIRE(!refused);
  CHECK(refused.error().remedy == "wait for it, or end it: kill -INT " + std::to_string(getpid()));
}
