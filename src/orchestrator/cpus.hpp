// What a lab CPU is worth on this host, and who runs where.
#pragma once

#include "lab/lab.hpp"

#include <map>
#include <string>
#include <vector>

namespace lab::orchestrator {

struct CpuLayout {
  double unit = 1;                               // host CPUs that a lab CPU is worth
  std::map<std::string, std::vector<int>> pins;  // node to host CPUs; absent: all
};

// With six CPUs or more a lab CPU is a host CPU and nobody is pinned. With two to five, gateways have the first half of them to
// themselves (and guests, which are there to share them), two lab CPUs fill 70% of that half, and all other nodes share the rest: driver
// and back end keep room while the gateway's limit is real (two CPUs: 0.35). One CPU alone: 0.35, unpinned. A `cpu-unit` in the lab file
// replaces the unit only. Where nodes stand on other machines than this one, a lab CPU is one of theirs and nobody is pinned.
CpuLayout lay_out_cpus(const Lab& lab, const std::vector<int>& host);

// Those that this process may run on: sched_getaffinity(2).
std::vector<int> allowed_cpus();

}  // namespace lab::orchestrator
