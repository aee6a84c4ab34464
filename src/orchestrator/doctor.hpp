// What this host lacks for measuring, each finding with its remedy. Facts are gathered first and judged apart from the host.
#pragma once

#include "lab/error.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lab::orchestrator {

struct HostFacts {
  std::optional<std::string> sshd, keygen, ssh, engine;  // where the programs are
  std::string account;                                   // why the user cannot log in; empty: fine
  std::string cgroup;                                    // why no quota can be set; empty: it can
  std::size_t cpus = 1;
  std::uint64_t open_files = 0;  // the soft limit
  std::uint64_t free_bytes = 0;  // where state is kept
  std::string architecture;
  std::vector<std::string> cpu_flags;  // of /proc/cpuinfo: "flags" or "features"
  std::string governor, clock_source;  // empty: the kernel does not say
};

struct Finding {
  enum class Grade { good, note, bad } grade = Grade::good;  // note: measures all the same, with a remark
  std::string topic, found, remedy;
};

// Makes and removes a control group to see whether it may; changes nothing else.
HostFacts gather_facts(const std::filesystem::path& state_root);
std::vector<Finding> judge(const HostFacts& facts);

}  // namespace lab::orchestrator
