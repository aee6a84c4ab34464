// The processes of a lab's nodes, found by their label and not by any record: sessions carry LAB_NODE=<node folder> in their
// environment, a node's sshd names its configuration on its command line, and children belong where their parent does.
#pragma once

#include "lab/error.hpp"
#include "lab/units.hpp"
#include "remote/process.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace lab::providers::local {

inline constexpr const char* kLabel = "LAB_NODE";

struct NodeProcess {
  remote::ProcessIdentity identity;
  std::string node;
  std::string title;  // its command line
};

// Of the nodes whose folders are in `nodes`; this process and PID 1 are never among them.
std::vector<NodeProcess> find_processes(const std::filesystem::path& nodes);
// Those that a cgroup.procs file names, in this format; `node` is what they are reported as.
std::vector<NodeProcess> processes_in(const std::filesystem::path& procs, const std::string& node);

// SIGTERM, after `grace` SIGKILL, until find() comes back empty. An error names those that are left at the deadline.
Result<void> end_all(const std::function<std::vector<NodeProcess>()>& find, std::chrono::nanoseconds grace, Deadline deadline);

// User and system time of all of them, µs, from /proc: to a clock tick.
std::uint64_t cpu_time_us(const std::vector<NodeProcess>& processes);

}  // namespace lab::providers::local
