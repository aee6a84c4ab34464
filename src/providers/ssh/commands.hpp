// The shell commands that provider ssh runs on a host: few, since each costs a shell there. All take the lab's directory as $1.
#pragma once

#include "lab/error.hpp"
#include "remote/remote.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace lab::providers::ssh {

// Makes the directory (0700) and writes the label into it; one with that label is kept. Errors carry the host's message.
Result<void> make_directory(remote::Remote& remote, const std::string& directory, const std::string& label, Deadline deadline);

// Whether it is there.
Result<bool> has_directory(remote::Remote& remote, const std::string& directory, Deadline deadline);

struct HostProcess {
  int pid = 0;
  std::string title;
  std::uint64_t cpu_us = 0;  // with its reaped children
};
struct HostLoad {
  std::vector<HostProcess> processes;  // those of the node
  std::uint64_t busy_us = 0, idle_us = 0, steal_us = 0;
  int cpus = 0;
};
// The node's processes: what runs a binary of the directory, works in a folder of its roles, or carries LAB_NODE=<directory>.
Result<HostLoad> look_at_processes(remote::Remote& remote, const std::string& directory, Deadline deadline);

// Ends the agent with its roles, then whatever else of the node runs: SIGTERM, after a second SIGKILL.
Result<void> end_processes(remote::Remote& remote, const std::string& directory, const std::string& node, Deadline deadline);

// Removes the directory, when it carries the label or is empty.
Result<void> remove_directory(remote::Remote& remote, const std::string& directory, const std::string& label, Deadline deadline);

}  // namespace lab::providers::ssh
