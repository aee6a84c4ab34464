// How a lab is doing, asked of every node at once.
#pragma once

#include "lab/error.hpp"
#include "orchestrator/state.hpp"
#include "orchestrator/world.hpp"

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

namespace lab::orchestrator {

enum class Health { ok, down, unknown };  // ok: every role answers; unknown: never created
std::string to_string(Health health);

struct NodeStatus {
  std::string name, address;
  std::vector<Role> roles;
  Health health = Health::unknown;
  std::string why;            // not ok: which role or what does not answer; ok: what to know all the same
  std::optional<double> cpu;  // host CPUs in use while it was looked at
  bool external = false;      // only driven: not looked at
};

struct MachineStatus {
  std::string name;
  double cpu = 0;            // CPUs in use while it was looked at
  int cpus = 0;              // that it has
  bool lower_bound = false;  // only the lab's part of its use is known
};

struct Status {
  std::string name;
  ProviderKind provider = ProviderKind::local;
  Phase phase = Phase::creating;
  double cpu_unit = 1;
  CpuMethod cpu_method = CpuMethod::none;
  std::string cpu_note;
  std::vector<NodeStatus> nodes;        // in the order of the lab file
  std::vector<MachineStatus> machines;  // provider zvm: what carries the guests

  bool ok() const;
};

// An unreachable node is a finding, not an error.
Result<Status> look(const World& world, const std::string& name, Deadline deadline);

boost::json::object to_json(const Status& status);  // design: `lab status --json`

}  // namespace lab::orchestrator
