// Everything that a run will do, before it does anything.
#pragma once

#include "lab/playbook.hpp"
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
  std::vector<Comparison> comparisons;         // what a pass goes over
  std::vector<TrialPlan> trials;               // in order of execution
  Timing timing;
  int repeats = 1;
  double until = 0;  // after them, more until every interval's half-width is under this share of its value; 0: no more
  std::uint64_t seed = 0;
};

// How many passes a comparison gets at most, however wide its interval stays.
inline constexpr int kMostPasses = 5;  // times the repeats

// The profile's axes have narrowed the cells already.
Plan make_plan(std::vector<Cell> cells, const Playbook& playbook, const Profile& profile, const Standing& standing, const Facts& facts,
               std::uint64_t seed);

// What a trial takes beside warm-up and measurement: restarts, drain, counters.
inline constexpr std::chrono::milliseconds kTrialOverhead{600};
// And a pair's first, in which slices and gaps are found out.
inline constexpr std::chrono::milliseconds kCalibration{1600};

std::chrono::nanoseconds estimated_time(const Plan& plan);

}  // namespace lab::run
