// Child processes of the controller and the agent (Boost.Process v2), each in a process group of its own, ended by recorded identity.
#pragma once

#include "lab/error.hpp"
#include "lab/units.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lab::remote {

// A process by pid and start time: a pid that was given to another process since does not match.
struct ProcessIdentity {
  int pid = 0;
  std::uint64_t start_ticks = 0;  // field 22 of /proc/PID/stat
  bool operator==(const ProcessIdentity&) const = default;
};

std::optional<ProcessIdentity> identify(int pid);     // nothing when it is gone or a zombie
bool is_running(const ProcessIdentity& process);
// SIGTERM to its process group; SIGKILL once grace is over; waits until it is gone. Not running: nothing to do.
Result<void> end_process_group(const ProcessIdentity& process, std::chrono::nanoseconds grace, Deadline deadline);

struct Finished {
  int exit = 0;
  std::string out, err;
};
// Runs a program to its end; killed at the deadline, which is an error. Output is bounded (1 MiB each).
Result<Finished> run(const std::vector<std::string>& arguments, const std::map<std::string, std::string>& environment, Deadline deadline);

// Where a program is: PATH, then /usr/sbin and /sbin.
std::optional<std::string> find_program(const std::string& name);

}  // namespace lab::remote
