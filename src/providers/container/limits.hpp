// A container's control group and processes, as this host sees them.
#pragma once

#include "lab/error.hpp"
#include "providers/local/cgroup.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace lab::providers::container {

// The group that is the container's own, by the texts of /proc/self/mountinfo and of its first process's /proc/PID/cgroup: one whose
// path names the container. Nothing: it shares the groups of whoever started it, as rootless on v1.
std::optional<local::Cgroup> cgroup_of(std::string_view mountinfo, std::string_view groups, const std::string& container_id);

struct Control {
  std::optional<local::Cgroup> cgroup;  // writable by this process
  std::string note;                     // why there is none
};
Control control_of(int pid, const std::string& container_id);

// User and system time, µs, of all processes that share the PID namespace of this one: to a clock tick, ended ones left out.
std::uint64_t namespace_cpu_us(int pid);

}  // namespace lab::providers::container
