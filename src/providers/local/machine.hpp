// This host's CPU time.
#pragma once

#include "providers/provider.hpp"

namespace lab::providers::local {

// Of all CPUs together, from /proc/stat: to a clock tick. `node_us` is 0.
CpuTimes machine_times();

}  // namespace lab::providers::local
