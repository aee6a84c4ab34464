// A standing lab in hand: connected to every agent, its state locked for as long as this lives. Agents and roles go on afterwards.
#pragma once

#include "lab/agents.hpp"
#include "lab/cpu_control.hpp"
#include "lab/error.hpp"
#include "lab/interrupt.hpp"
#include "lab/standing.hpp"
#include "lab/units.hpp"
#include "orchestrator/world.hpp"

#include <memory>
#include <string>

namespace lab::orchestrator {

struct Attached {
  std::unique_ptr<Lock> lock;  // nobody else may bring this lab up, down, or measure it
  Standing standing;
  std::unique_ptr<Agents> agents;
  std::unique_ptr<CpuControl> cpus;  // refers to the agents
};

// `name` is the instance's; empty: the only one standing (none or several: an error that says what to do). `command` is what
// holds the lock, for others' messages: "lab run". Errors name the nodes that cannot be reached.
Result<Attached, Errors> attach(const World& world, const std::string& name, const std::string& command, const Interrupt& interrupt,
                                Deadline deadline);

}  // namespace lab::orchestrator
