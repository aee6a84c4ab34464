// A standing lab in hand: connected to every agent, its state locked for as long as this lives. Agents and roles go on afterwards.
#pragma once

#include "agent/client.hpp"
#include "lab/cpu_control.hpp"
#include "lab/error.hpp"
#include "lab/standing.hpp"
#include "lab/units.hpp"

#include <memory>
#include <string>

namespace lab::orchestrator {

class Lock;

struct Attached {
  std::unique_ptr<Lock> lock;  // nobody else may bring this lab up, down, or measure it
  Standing standing;
  std::unique_ptr<agent::Fleet> agents;
  std::unique_ptr<CpuControl> cpus;  // refers to the agents

  Attached();
  Attached(Attached&&) noexcept;
  Attached& operator=(Attached&&) = delete;
  ~Attached();
};

// `name` is the instance's; empty: the only one standing (none or several: an error that says what to do). `command` is what
// holds the lock, for others' messages: "lab run". Errors name the node that cannot be reached.
Result<Attached> attach(const std::string& name, const std::string& command, Deadline deadline);

}  // namespace lab::orchestrator
