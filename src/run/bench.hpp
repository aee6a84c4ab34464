// What trials are made with: a standing lab, its agents, and what is known of its nodes.
#pragma once

#include "clock.hpp"
#include "lab/agents.hpp"
#include "lab/cpu_control.hpp"
#include "lab/interrupt.hpp"
#include "lab/standing.hpp"
#include "setup.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace lab::run {

struct Bench {
  const Standing& standing;
  Agents& agents;
  CpuControl& cpus;
  const Interrupt& interrupt;
  Now now;
  SleepUntil sleep_until;
  Facts facts;
  std::map<std::string, ClockOffset> clocks;                               // by node
  std::function<void(const std::string& node, double cpus)> sampled = {};  // told of host CPUs in use about every second; from any thread
};

// Asks every node who it is and what time it is.
Result<void> meet(Bench& bench);
// Measures the clocks' offsets anew: they drift.
Result<void> synchronise(Bench& bench);

// Limits the gateway's node to so many lab CPUs; nothing: to what its lab file says. Where CPUs cannot be limited it does nothing.
Result<void> set_cpus(Bench& bench, const std::string& gateway, std::optional<double> lab_cpus);

Error interrupted();

}  // namespace lab::run
