#include "providers/local/machine.hpp"

#include <unistd.h>
#include <fstream>

namespace lab::providers::local {

// proc(5), /proc/stat: user nice system idle iowait irq softirq steal, in clock ticks
CpuTimes machine_times() {
  const auto us = [tick = 1'000'000 / static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK))](std::uint64_t ticks) { return ticks * tick; };
  CpuTimes times;
  std::ifstream stat("/proc/stat");
  std::string label;
  std::uint64_t user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
  stat >> label >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
  times.machine_busy_us = us(user + nice + system + irq + softirq);
  times.machine_idle_us = us(idle + iowait);
  times.machine_steal_us = us(steal);
  times.machine_cpus = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  return times;
}

}  // namespace lab::providers::local
