#include "providers/local/processes.hpp"

#include "temporary_folder.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>

using namespace lab;
using namespace lab::providers::local;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;

// Ended, and reaped, with the test.
class Running {
 public:
  explicit Running(const remote::Command& command) : identity_(remote::start(command).value()) {}
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    kill(-identity_.pid, SIGKILL);
    while (!remote::reap(identity_.pid)) {
      poll_again();
    }
  }
  const remote::ProcessIdentity& identity() const { return identity_; }

 private:
  void poll_again() const { static_cast<void>(remote::end_process_group(identity_, 0ns, Clock::now() + 5s)); }
  remote::ProcessIdentity identity_;
};

bool holds(const std::vector<NodeProcess>& found, int pid) {
  return std::any_of(found.begin(), found.end(), [&](const NodeProcess& process) { return process.identity.pid == pid; });
}

// Once the shell has written it.
int read_pid(const fs::path& file) {
  int pid = 0;
  for (const Deadline deadline = Clock::now() + 10s; !(std::ifstream(file) >> pid) && Clock::now() < deadline;) {
    static_cast<void>(remote::run({"true"}, {}, deadline));
  }
  return pid;
}

// Once the process shows there: a child that has just been started has no command line of its own yet.
std::vector<NodeProcess> find_with(const fs::path& nodes, int pid) {
  auto found = find_processes(nodes);
  for (const Deadline deadline = Clock::now() + 10s; !holds(found, pid) && Clock::now() < deadline;) {
    found = find_processes(nodes);
  }
  return found;
}

}  // namespace

TEST_CASE("only an sshd is a node's for naming its configuration") {
  const TemporaryFolder folder;
  const fs::path nodes = folder / "nodes";
  fs::create_directories(nodes / "web/ssh");
  const fs::path config = nodes / "web/ssh/sshd_config";
  std::ofstream(config) << "# a node's\n";
  fs::copy_file(remote::find_program("tail").value(), folder / "sshd");

  const Running reader({{"tail", "-f", config.string()}, {}, {}, {}});
  const Running server({{(folder / "sshd").string(), "-f", config.string()}, {}, {}, {}});

  const auto found = find_with(nodes, server.identity().pid);
  CHECK_FALSE(holds(found, reader.identity().pid));
  REQUIRE(holds(found, server.identity().pid));
  CHECK(found.front().node == "web");
}

TEST_CASE("the parent of a node's process is not the node's, whatever it is called, nor are its other children") {
  const TemporaryFolder folder;
  const fs::path nodes = folder / "nodes";
  fs::create_directories(nodes / "web");
  fs::copy_file(remote::find_program("sh").value(), folder / "sshd");
  const std::string script = "LAB_NODE=" + (nodes / "web").string() + " sleep 1000 & echo $! >node; sleep 1000 & echo $! >other; wait";

  const Running init({{(folder / "sshd").string(), "-c", script}, {}, folder.path(), {}});
  const int other = read_pid(folder / "other"), ours = read_pid(folder / "node");

  auto found = find_processes(nodes);
  for (const Deadline deadline = Clock::now() + 10s; !holds(found, ours) && Clock::now() < deadline;) {
    found = find_processes(nodes);  // until it has become `sleep`, with its environment
  }
  CHECK(holds(found, ours));
  CHECK_FALSE(holds(found, other));
  CHECK_FALSE(holds(found, init.identity().pid));
  CHECK_FALSE(holds(found, 1));
}
