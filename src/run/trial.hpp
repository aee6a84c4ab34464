// Executes one side of a trial on a standing lab: roles restarted, logs emptied, load, samples at the edges, counters.
#pragma once

#include "clock.hpp"
#include "lab/agents.hpp"
#include "lab/cpu_control.hpp"
#include "lab/interrupt.hpp"
#include "lab/standing.hpp"
#include "observation.hpp"
#include "setup.hpp"

namespace lab::run {

struct Bench {  // what trials are made with
  const Standing& standing;
  Agents& agents;
  CpuControl& cpus;
  const Interrupt& interrupt;
  Now now;
  Facts facts;
  std::map<std::string, ClockOffset> clocks;  // by node
};

// Asks every node who it is and what time it is.
Result<void> meet(Bench& bench);
// Measures the clocks' offsets anew: they drift.
Result<void> synchronise(Bench& bench);

// Phases: CPUs · gateway stopped, its logs emptied, started, its crypto switch verified · back ends' counters · drivers started for one
// instant · warm-up, within which they connect: its end is taken for the steady state · CPU samples at the measurement's edges and every
// second between · drivers waited for · counters. An interrupt ends the load and is an error with Failure::interrupted.
Result<Observation> observe(Bench& bench, const Setup& setup, const Timing& timing);

// The gateway and its CPUs as the lab file has them, for whoever comes after the run.
Result<void> restore(Bench& bench, const std::string& gateway);

}  // namespace lab::run
