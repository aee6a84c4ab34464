#include "plan.hpp"

#include "pairs.hpp"

#include <algorithm>

namespace lab::run {

Plan make_plan(std::vector<Cell> cells, const Playbook& playbook, const Profile& profile, const Standing& standing, const Facts& facts,
               std::uint64_t seed) {
  Plan plan;
  plan.timing = {profile.warmup, profile.measure};
  plan.repeats = profile.repeats;
  plan.seed = seed;
  std::vector<Cell> runnable;
  for (const Cell& cell : cells) {
    if (std::string reason = why_not_here(cell, standing, facts); !reason.empty()) {
      plan.skipped[cell.id] = std::move(reason);
    } else {
      runnable.push_back(cell);
    }
  }
  plan.comparisons = comparisons_of(runnable, playbook, profile.aa, standing);
  plan.trials = in_random_blocks(plan.comparisons, profile.repeats, seed);
  plan.cells = std::move(cells);
  return plan;
}

std::chrono::nanoseconds estimated_time(const Plan& plan) {
  const auto pairs =
      std::count_if(plan.comparisons.begin(), plan.comparisons.end(), [](const Comparison& one) { return one.sides.size() > 1; });
  return static_cast<std::int64_t>(plan.trials.size()) * (plan.timing.warmup + plan.timing.measure + kTrialOverhead) + pairs * kCalibration;
}

}  // namespace lab::run
