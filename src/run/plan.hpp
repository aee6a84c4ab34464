// Everything that a run will do, before it does anything.
#pragma once

#include "lab/standing.hpp"
#include "matrix.hpp"
#include "order.hpp"
#include "setup.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lab::run {

struct Plan {
  std::vector<Cell> cells;                     // in file order
  std::map<std::string, std::string> skipped;  // by id: why it cannot run here
  std::vector<TrialPlan> trials;               // in order of execution
  Timing timing;
  int repeats = 1;
  std::uint64_t seed = 0;
};

Plan make_plan(std::vector<Cell> cells, const Standing& standing, const Facts& facts, const Timing& timing, int repeats,
               std::uint64_t seed);

// What a trial takes beside warm-up and measurement: restarts, drain, counters.
inline constexpr std::chrono::milliseconds kTrialOverhead{600};

std::chrono::nanoseconds estimated_time(const Plan& plan);

}  // namespace lab::run
