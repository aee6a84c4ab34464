#include "zlinux/hypfs.hpp"

#include <fstream>

namespace lab::zlinux {

namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> number_in(const fs::path& file) {
  std::uint64_t value = 0;
  std::ifstream in(file);
  return in >> value ? std::optional(value) : std::nullopt;
}

std::optional<std::uint64_t> cpu_time_of(const fs::path& system) {
  if (const auto all = number_in(system / "cpus" / "cputime_us")) {
    return all;
  }
  std::optional<std::uint64_t> sum;
  std::error_code missing;
  for (const auto& cpu : fs::directory_iterator(system / "cpus", missing)) {
    if (const auto one = number_in(cpu.path() / "cputime")) {
      sum = sum.value_or(0) + *one;
    }
  }
  return sum;
}

}  // namespace

std::optional<HypervisorTimes> read_hypfs(const fs::path& root) {
  std::error_code missing;
  if (!fs::is_directory(root / "systems", missing)) {
    return std::nullopt;
  }
  std::ofstream(root / "update") << "1" << std::flush;
  HypervisorTimes times;
  for (const auto& system : fs::directory_iterator(root / "systems", missing)) {
    if (const auto busy = cpu_time_of(system.path())) {
      times.busy_us += *busy;
      ++times.systems;
    }
  }
  times.cpus = static_cast<int>(number_in(root / "cpus" / "count").value_or(0));
  return times.systems > 0 ? std::optional(times) : std::nullopt;
}

}  // namespace lab::zlinux
