#include "plan.hpp"

namespace lab::run {

Plan make_plan(std::vector<Cell> cells, const Standing& standing, const Facts& facts, const Timing& timing, int repeats,
               std::uint64_t seed) {
  Plan plan;
  plan.timing = timing;
  plan.repeats = repeats;
  plan.seed = seed;
  std::vector<Comparison> comparisons;
  for (const Cell& cell : cells) {
    if (std::string reason = why_not_here(cell, standing, facts); !reason.empty()) {
      plan.skipped[cell.id] = std::move(reason);
    } else {
      comparisons.push_back({"single", {cell.id}});
    }
  }
  plan.trials = in_random_blocks(comparisons, repeats, seed);
  plan.cells = std::move(cells);
  return plan;
}

std::chrono::nanoseconds estimated_time(const Plan& plan) {
  return static_cast<std::int64_t>(plan.trials.size()) * (plan.timing.warmup + plan.timing.measure + kTrialOverhead);
}

}  // namespace lab::run
