// What Linux on IBM Z says of where it runs: /proc/sysinfo, lscpu(1). Text in, values out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lab::zlinux {

struct Sysinfo {
  std::string machine_type;     // "8561"
  std::string lpar;             // "LP05"
  int lpar_cpus = 0;            // configured there; 0: not said
  std::string guest;            // of z/VM or KVM; empty: Linux has the LPAR to itself
  std::string control_program;  // "z/VM 7.3.0", "KVM/Linux"
  int guest_cpus = 0;           // configured
  int guest_standby_cpus = 0;   // and those that could be

  bool on_zvm() const { return control_program.starts_with("z/VM"); }
};

// Of /proc/sysinfo; the level VM00 is the innermost. Nothing where the text has no LPAR: it is no mainframe's.
std::optional<Sysinfo> parse_sysinfo(std::string_view text);

struct Lscpu {
  std::string architecture;
  int cpus = 0;  // online or not
  std::vector<int> online, offline;
  std::string hypervisor;  // "z/VM 7.3.0"
};

// Of `LC_ALL=C lscpu`.
Lscpu parse_lscpu(std::string_view text);

// "0-2,5" as the kernel writes lists of CPUs; what is no list is empty. At most 4,096.
std::vector<int> parse_cpu_list(std::string_view text);

}  // namespace lab::zlinux
