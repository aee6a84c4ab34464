// What this host lacks for measuring, each finding with its remedy. Facts are gathered first and judged apart from the host.
#pragma once

#include "lab/error.hpp"
#include "lab/lab.hpp"
#include "lab/units.hpp"
#include "orchestrator/world.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lab::orchestrator {

struct HostFacts {
  std::optional<std::string> sshd, keygen, ssh, engine;  // where the programs are
  Errors engine_lacks;                                   // why it makes no containers here; empty: it does
  std::string engine_ways;                               // what was found out about it: "4.3.1, rootless, cgroups v1, runtime runc"
  bool engine_limits = true;                             // it can limit CPUs and memory
  bool image = false;                                    // the one of this build is there
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

// What a node says of itself over SSH: lines "key value" of kNodeQuestions.
std::vector<Finding> judge_node(const Node& node, std::string_view answers);

struct NodeFindings {
  std::string node;
  std::vector<Finding> findings;
};
// Every node of a standing lab, asked at once; one that cannot be reached is a finding.
Result<std::vector<NodeFindings>> examine_nodes(const World& world, const std::string& name, Deadline deadline);

}  // namespace lab::orchestrator
