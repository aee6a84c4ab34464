// How nodes come to be. Six verbs; one contract suite runs over all implementations (tests/providers/contract.hpp).
#pragma once

#include "lab/error.hpp"
#include "lab/standing.hpp"
#include "lab/units.hpp"

#include <boost/json/object.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lab::providers {

inline constexpr int kSlots = 150;

// What a provider is told of the lab that it works for. Its keys are in state/keys: id_ed25519 and id_ed25519.pub.
struct Site {
  std::string name;             // of the standing lab: with `state`, the label on everything created
  std::filesystem::path state;  // the lab's state folder, absolute
  const Lab& lab;
  double cpu_unit = 1;                           // host CPUs that a lab CPU is worth
  std::map<std::string, std::vector<int>> pins;  // node to the host CPUs that it is pinned to; absent: all
  int slot = 1;                                  // which address range, 1 … kSlots; distinct among standing labs
};

struct Step {          // of a plan
  std::string action;  // "create", "keep", "repair", "start"
  std::string what;    // "node webseal", "cgroup …"
  std::string detail;
  std::vector<std::string> calls;  // what will be asked of a REST interface for it, in this order
};

// Written into the state before a thing is created: what it will be. `details` are the provider's own.
struct NodeRecord {
  StandingNode node;
  boost::json::object details;
};
using RecordIntent = std::function<Result<void>(const NodeRecord&)>;

// Something that carries a lab's label.
struct Found {
  std::string node;  // that it belongs to: destroy() of a record with this name removes it
  std::string what;  // "process 4711: sshd …", "cgroup /sys/fs/…", "folder …"
};

struct CpuLimit {
  CpuMethod method = CpuMethod::none;
  std::string note;
  bool agent_lifts = false;  // the agent may hold the node to something from before: it must lift that
};

struct CpuTimes {
  std::uint64_t node_us = 0;  // of the node
  std::uint64_t machine_busy_us = 0, machine_idle_us = 0, machine_steal_us = 0;
  int machine_cpus = 0;
  bool lower_bound = false;  // the machine did more than machine_busy_us: only some of what it carries is known
  std::string note;          // what does not add up
};

class Provider {
 public:
  virtual ~Provider() = default;
  // What create() would do for each node; checks everything that can be checked beforehand (programs, ports, rights). Touches nothing.
  virtual Result<std::vector<Step>, Errors> plan(const Site& site, const std::vector<NodeRecord>& standing) = 0;
  // Makes a node reachable by SSH; what is already there is kept. Calls record before each creation. Safe to call for several nodes at
  // once.
  virtual Result<NodeRecord> create(const Site& site, const Node& node, const RecordIntent& record, Deadline deadline) = 0;
  // Ends all that runs on it and removes it, in whatever state it is; absent is success. Needs no more of the record than the node's name,
  // and of the site than name and state: what was recorded only helps. Safe to call for several nodes at once.
  virtual Result<void> destroy(const Site& site, const NodeRecord& record, Deadline deadline) = 0;
  // Everything that carries the lab's label, also what no state file knows. Empty: nothing is left.
  virtual Result<std::vector<Found>> list(const std::string& name, const std::filesystem::path& state) = 0;
  // Limits a node to so many host CPUs, live; nothing: lifts the limit. stop_continue: the provider cannot, for the reason in `note`; the
  // agent must.
  virtual Result<CpuLimit> limit_cpus(const Site& site, const NodeRecord& record, std::optional<double> host_cpus) = 0;
  virtual Result<CpuTimes> cpu_times(const Site& site, const NodeRecord& record) = 0;
};

}  // namespace lab::providers
