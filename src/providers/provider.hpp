// How nodes come to be. Six verbs; one contract suite runs over all implementations (tests/providers/contract.hpp).
#pragma once

#include "lab/error.hpp"
#include "lab/standing.hpp"
#include "lab/units.hpp"

#include <boost/json/object.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace lab::providers {

// What a provider is told of the lab that it works for.
struct Site {
  std::string name;              // of the standing lab: the label on everything created
  std::filesystem::path state;   // the lab's state folder
  const Lab& lab;
  double cpu_unit;
  int slot;                      // which address range, 1 … 200; distinct among standing labs
};

struct Step {  // of a plan
  std::string action;  // "create", "keep", "start", "remove"
  std::string what;    // "node webseal", "cgroup …"
  std::string detail;
};

// Written into the state before a thing is created: what it will be. `details` are the provider's own.
struct NodeRecord {
  StandingNode node;
  boost::json::object details;
};
using RecordIntent = std::function<Result<void>(const NodeRecord&)>;

struct CpuTimes {
  std::uint64_t node_us = 0;               // of the node
  std::uint64_t machine_busy_us = 0, machine_idle_us = 0, machine_steal_us = 0;
  int machine_cpus = 0;
};

class Provider {
 public:
  virtual ~Provider() = default;
  // What create() would do for each node; checks everything that can be checked beforehand (programs, ports, rights). Touches nothing.
  virtual Result<std::vector<Step>, Errors> plan(const Site& site, const std::vector<NodeRecord>& standing) = 0;
  // Makes a node reachable by SSH; what is already there is kept. Calls record before each creation. Safe to call for several nodes at once.
  virtual Result<NodeRecord> create(const Site& site, const Node& node, const RecordIntent& record, Deadline deadline) = 0;
  // Removes it in whatever state it is; absent is success.
  virtual Result<void> destroy(const Site& site, const NodeRecord& record, Deadline deadline) = 0;
  // Everything that carries the lab's label, also what no state file knows: a line each. Empty: nothing is left.
  virtual Result<std::vector<std::string>> list(const std::string& name, const std::filesystem::path& state) = 0;
  // Limits a node to so many host CPUs. stop_continue: the provider cannot, the agent must. Changed live.
  virtual Result<CpuMethod> limit_cpus(const Site& site, const NodeRecord& record, double host_cpus) = 0;
  virtual Result<CpuTimes> cpu_times(const Site& site, const NodeRecord& record) = 0;
};

}  // namespace lab::providers
