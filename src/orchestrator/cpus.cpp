#include "orchestrator/cpus.hpp"

#include <sched.h>

namespace lab::orchestrator {

namespace {

constexpr std::size_t kRoomy = 6;
constexpr double kShareOfHalf = 0.7;  // more, and what loads the larger gateway on the other half cannot keep up
constexpr double kLabCpus = 2;        // the study's larger gateway

}  // namespace

CpuLayout lay_out_cpus(const Lab& lab, const std::vector<int>& host) {
  CpuLayout layout;
  const std::size_t half = host.size() / 2;
  const bool here = lab.provider == ProviderKind::local || lab.provider == ProviderKind::container;
  if (here && host.size() < kRoomy) {
    layout.unit = kShareOfHalf / kLabCpus * static_cast<double>(half == 0 ? 1 : half);
    for (const Node& node : lab.nodes) {
      const auto middle = host.begin() + static_cast<std::ptrdiff_t>(half);
      if (half > 0) {
        layout.pins[node.name] = node.has(Role::gateway) || node.has(Role::guest) ? std::vector<int>(host.begin(), middle)
                                                                                  : std::vector<int>(middle, host.end());
      }
    }
  }
  layout.unit = lab.cpu_unit.value_or(layout.unit);
  return layout;
}

std::vector<int> allowed_cpus() {
  std::vector<int> cpus;
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) {
      cpus.push_back(cpu);
    }
  }
  return cpus;
}

}  // namespace lab::orchestrator
