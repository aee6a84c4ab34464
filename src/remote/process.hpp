// Child processes of the controller and the agent, each in a process group of its own, ended by recorded identity.
#pragma once

#include "lab/error.hpp"
#include "lab/units.hpp"
#include "remote/descriptor.hpp"

#include <cstdint>
#include <filesystem>
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

std::optional<ProcessIdentity> identify(int pid);  // nothing when it is gone or a zombie
bool is_running(const ProcessIdentity& process);
// Readable once the process has ended (pidfd_open(2)). Not open on kernels before 5.3.
Descriptor watch_end(int pid);
// SIGTERM to its process group; SIGKILL once grace is over; waits until it is gone. Not running: nothing to do.
Result<void> end_process_group(const ProcessIdentity& process, std::chrono::nanoseconds grace, Deadline deadline);

struct Command {
  std::vector<std::string> arguments;              // the program first: a path, or a name for find_program
  std::map<std::string, std::string> environment;  // added to, or replacing, what this process has
  std::filesystem::path directory;                 // to run in; empty: this process's
  std::map<int, int> descriptors;                  // the child's to this process's; 0, 1 and 2 default to /dev/null, all others are closed
};
// Starts a program in a process group of its own, with default signals. It outlives this process; a parent that stays reaps it.
Result<ProcessIdentity> start(const Command& command);

struct Ended {
  int exit = 0;              // 128 + n when ended by signal n
  std::uint64_t cpu_us = 0;  // user and system, its reaped children included
};
std::optional<Ended> reap(int pid);  // of a child that has ended; nothing while it runs

struct Finished {
  int exit = 0;  // 128 + n when ended by signal n
  std::string out, err;
};
// Runs a program to its end; its group is killed at the deadline, which is an error. Output is bounded (the first 1 MiB each).
Result<Finished> run(const std::vector<std::string>& arguments, const std::map<std::string, std::string>& environment, Deadline deadline);

// Where a program is: PATH, then /usr/sbin and /sbin.
std::optional<std::string> find_program(const std::string& name);

}  // namespace lab::remote
