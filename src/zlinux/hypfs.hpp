// The hypervisor's own view of its guests: s390_hypfs, which only a privileged guest can mount.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace lab::zlinux {

struct HypervisorTimes {
  std::uint64_t busy_us = 0;  // CPU time of all systems that it carries
  int cpus = 0;               // of the hypervisor; 0: not said
  int systems = 0;
};

// Has the kernel read them anew (it does so once a second at most), then adds them up. Nothing: not mounted, or not allowed.
// Linux: Documentation/arch/s390/ "hypfs"; under z/VM systems/GUEST/cpus/cputime_us, in an LPAR systems/LPAR/cpus/CPU/cputime.
std::optional<HypervisorTimes> read_hypfs(const std::filesystem::path& root = "/sys/hypervisor/s390");

}  // namespace lab::zlinux
