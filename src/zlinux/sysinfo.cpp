#include "zlinux/sysinfo.hpp"

#include "zlinux/lines.hpp"

namespace lab::zlinux {

namespace {

constexpr std::size_t kMostCpus = 4096;

void add_range(std::vector<int>& cpus, std::string_view text) {
  const std::size_t dash = text.find('-');
  const std::string_view low = text.substr(0, dash), high = dash == std::string_view::npos ? low : text.substr(dash + 1);
  int first = -1, last = -1;
  const auto [low_end, low_error] = std::from_chars(low.data(), low.data() + low.size(), first);
  const auto [high_end, high_error] = std::from_chars(high.data(), high.data() + high.size(), last);
  if (low_error != std::errc{} || high_error != std::errc{} || first < 0) {
    return;
  }
  for (int cpu = first; cpu <= last && cpus.size() < kMostCpus; ++cpu) {
    cpus.push_back(cpu);
  }
}

}  // namespace

std::optional<Sysinfo> parse_sysinfo(std::string_view text) {
  Sysinfo info;
  for_each_field(text, [&](const std::string& key, const std::string& value) {
    if (key == "Type") {
      info.machine_type = value;
    } else if (key == "LPAR Name") {
      info.lpar = value;
    } else if (key == "LPAR CPUs Configured") {
      info.lpar_cpus = whole_number(value);
    } else if (key == "VM00 Name") {
      info.guest = value;
    } else if (key == "VM00 Control Program") {
      info.control_program = value;
    } else if (key == "VM00 CPUs Configured") {
      info.guest_cpus = whole_number(value);
    } else if (key == "VM00 CPUs Standby") {
      info.guest_standby_cpus = whole_number(value);
    }
  });
  return info.lpar.empty() ? std::nullopt : std::optional(info);
}

std::vector<int> parse_cpu_list(std::string_view text) {
  std::vector<int> cpus;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    add_range(cpus, text.substr(0, comma));
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return cpus;
}

Lscpu parse_lscpu(std::string_view text) {
  Lscpu found;
  for_each_field(text, [&](const std::string& key, const std::string& value) {
    if (key == "Architecture") {
      found.architecture = value;
    } else if (key == "CPU(s)") {
      found.cpus = whole_number(value);
    } else if (key == "On-line CPU(s) list") {
      found.online = parse_cpu_list(value);
    } else if (key == "Off-line CPU(s) list") {
      found.offline = parse_cpu_list(value);
    } else if (key == "Hypervisor") {
      found.hypervisor = value;
    }
  });
  return found;
}

}  // namespace lab::zlinux
