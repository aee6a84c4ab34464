// Executes a trial of one variant on a standing lab: roles restarted, logs emptied, load, samples at the edges, counters.
#pragma once

#include "bench.hpp"
#include "observation.hpp"
#include "setup.hpp"

namespace lab::run {

// Phases: CPUs · gateway stopped, its logs emptied, started, its crypto switch verified · back ends' counters · drivers started for one
// instant · warm-up, within which they connect: its end is taken for the steady state · CPU samples at the measurement's edges and every
// second between · drivers waited for · counters. An interrupt ends the load and is an error with Failure::interrupted.
Result<Observation> observe(Bench& bench, const Setup& setup, const Timing& timing);

}  // namespace lab::run
