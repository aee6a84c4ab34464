// A role's processes: most have one, other people's programs have many.
#pragma once

#include <cstdint>
#include <vector>

namespace lab::agent {

// The process and its descendants (proc(5), /proc/PID/task/TID/children), itself first; bounded.
std::vector<int> family_of(int pid);

// CPU time in µs of a process's descendants that have ended and were waited for: to a clock tick.
std::uint64_t ended_children_us(int pid);

}  // namespace lab::agent
