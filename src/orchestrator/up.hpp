// Stands a lab up, or brings it to what its file says: only what is missing is done.
#pragma once

#include "lab/error.hpp"
#include "lab/lab.hpp"
#include "lab/standing.hpp"
#include "orchestrator/cpus.hpp"
#include "orchestrator/world.hpp"

#include <string>
#include <vector>

namespace lab::orchestrator {

struct Plan {
  bool fresh = true;  // nothing of it stands
  int slot = 1;
  CpuLayout cpus;
  std::vector<providers::Step> steps;  // a node each, then the roles
};

// What up() would do; every reason why it could not. Touches nothing.
Result<Plan, Errors> plan(const World& world, const Lab& lab, const std::string& name);

struct Raised {
  Standing standing;
  bool changed = false;
};

// Phases: lock · plan · intent · keys and authority · nodes (a thread each) · agents, CPU limits and roles (a thread each) · running.
// Errors before the intent leave nothing. A fresh lab that fails afterwards is removed again; one that is interrupted stays as it is,
// for `lab up` or `lab down`.
Result<Raised, Errors> up(const World& world, const Lab& lab, const std::string& name, const Operation& operation);

}  // namespace lab::orchestrator
