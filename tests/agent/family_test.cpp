#include "agent/family.hpp"

#include "agent/disks.hpp"
#include "agent/limiter.hpp"
#include "agent_test.hpp"

#include <catch2/catch.hpp>
#include <csignal>

namespace fs = std::filesystem;
namespace agent = lab::agent;
using namespace std::chrono_literals;

TEST_CASE("a role's CPU time is that of all its processes, also of those that have ended, and they end with it") {
  const lab::test::TestAgent running;
  running.start("busy",
                "sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'; setsid sh -c 'while :; do :; done' & "
                "trap 'kill $!; exit 0' TERM; echo '{\"listen\": []}' >&3; exec 3>&-; wait");
  const auto used = [&] {
    const auto sample = running.result("sample", {{"at", boost::json::array()}}).at("samples").at(0);
    return sample.at("roles").at("busy").to_number<std::int64_t>();
  };
  const std::int64_t first = used();
  CHECK(first > 20'000);  // the child that has ended
  while (used() < first + 50'000) {
  }
}

TEST_CASE("a limit holds for a process that left the group of the one that is watched") {
  const auto leader = lab::remote::start({{"sh", "-c", "setsid sh -c 'while :; do :; done' & wait"}, {}, {}, {}}).value();
  std::vector<int> family;
  while (family.size() < 2) {
    family = agent::family_of(leader.pid);
  }
  const int child = family.at(1);
  while (getpgid(child) == leader.pid) {
  }
  {
    agent::Limiter limiter;
    limiter.watch(leader.pid);
    limiter.watch_family(leader.pid, family);
    limiter.limit(0.1);
    const auto begin = lab::Clock::now();
    const std::int64_t before = agent::process_cpu_ns(child);
    while (agent::process_cpu_ns(child) < before + 50'000'000) {
      std::this_thread::yield();
    }
    CHECK(lab::Clock::now() - begin > 400ms);
  }
  kill(child, SIGKILL);
  kill(-leader.pid, SIGKILL);
  static_cast<void>(lab::remote::end_process_group(leader, 0s, lab::Clock::now() + 5s));
  lab::remote::reap(leader.pid);
}

TEST_CASE("a partition is on its disk, and a mapped device on the disks below it") {
  const lab::test::TemporaryFolder folder;
  const fs::path sys = folder.path();
  const auto device = [&](const std::string& number, const fs::path& block) {
    fs::create_directories(sys / "devices" / block);
    fs::create_directories(sys / "dev" / "block");
    fs::create_symlink(sys / "devices" / block, sys / "dev" / "block" / number);
  };
  device("8:0", "sda");
  device("8:1", "sda/sda1");
  device("8:16", "sdb");
  device("253:0", "dm-0");
  lab::test::write_file(sys / "devices/sda/sda1/partition", "1");
  fs::create_directories(sys / "devices/dm-0/slaves");
  fs::create_symlink(sys / "devices/sda/sda1", sys / "devices/dm-0/slaves/sda1");
  fs::create_symlink(sys / "devices/sdb", sys / "devices/dm-0/slaves/sdb");
  using Disks = std::set<std::string>;
  CHECK(agent::disks_under("8:1", sys) == Disks{"sda"});
  CHECK(agent::disks_under("8:0", sys) == Disks{"sda"});
  CHECK(agent::disks_under("253:0", sys) == Disks{"sda", "sdb"});
  CHECK(agent::disks_under("0:42", sys) == Disks{"0:42"});  // memory, the network
}

TEST_CASE("two folders of one file system are on one device, memory is another") {
  const lab::test::TemporaryFolder folder;
  fs::create_directories(folder.path() / "logs" / "own");
  CHECK(agent::why_same_disk(folder.path(), folder.path() / "logs" / "own")
            .starts_with("log-dir " + (folder.path() / "logs").string() + " is on the same device as the node's other files, "));
  CHECK(agent::why_same_disk(folder.path(), "/proc/self").empty());
  CHECK(agent::why_same_disk(folder.path(), "/nowhere/own") == "log-dir /nowhere/own: No such file or directory");
}
