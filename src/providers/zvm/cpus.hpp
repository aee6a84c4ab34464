// A guest's virtual CPUs, changed while it runs. None is ever detached: that would clear the guest's memory.
#pragma once

#include "lab/error.hpp"
#include "lab/units.hpp"
#include "remote/remote.hpp"
#include "zlinux/sysinfo.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lab::providers::zvm {

struct Inside {  // what a guest says of itself
  std::string home, architecture;
  std::optional<zlinux::Sysinfo> sysinfo;
  std::vector<int> online, present;                      // CPUs that Linux uses, and knows
  std::uint64_t busy_us = 0, idle_us = 0, steal_us = 0;  // since it started, of all its CPUs
  std::optional<std::uint64_t> hypervisor_us;            // CPU time of all guests, where it may mount hypfs
  int hypervisor_cpus = 0;

  bool on_zvm() const { return sysinfo && sysinfo->on_zvm(); }
};

Result<Inside> look_inside(remote::Remote& remote, const std::string& node, Deadline deadline);
Inside parse_inside(std::string_view text);

struct CpuChange {
  std::vector<int> off, on;  // chcpu -d, chcpu -e
  int define = 0;            // more CPUs that z/VM has to give it first
};
// From those that are there to so many. CPU 0 stays; the highest go first.
CpuChange change_of(const Inside& now, int wanted);

// Sets the CPUs that are online, and looks that they are. `define`: has z/VM give the guest CPUs until it has so many; empty: the guest
// asks CP itself (vmcp define cpu).
using Define = std::function<Result<void>(int cpus)>;
Result<void> set_cpus(remote::Remote& remote, const std::string& node, int wanted, const Define& define, Deadline deadline);
// Exactly these online, of those that are there.
Result<void> restore_cpus(remote::Remote& remote, const std::string& node, const std::vector<int>& online, Deadline deadline);

}  // namespace lab::providers::zvm
