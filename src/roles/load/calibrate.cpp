#include "roles/load/calibrate.hpp"

#include <algorithm>

namespace lab::load {

namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds kGenerous = std::chrono::milliseconds(200);
constexpr nanoseconds kShortestGap = std::chrono::milliseconds(1);

}  // namespace

LoadConfig calibration(const LoadConfig& pair) {
  LoadConfig config = pair;
  LoadAgainst& other = *config.against;
  other.gap = std::max(kGenerous, 2 * other.slice);
  config.warmup = nanoseconds(0);
  config.duration = 10 * (other.slice + *other.gap);  // the first pair and two groups
  return config;
}

LoadAgainst calibrated(const LoadAgainst& asked, const Outcome& outcome) {
  LoadAgainst result = asked;
  std::int64_t page = 0;
  for (const Tally& side : outcome.sides) {
    page = std::max(page, static_cast<std::int64_t>(side.page.percentile(90)));
  }
  result.slice = std::max(asked.slice, nanoseconds(page));
  std::int64_t drain = 0;
  const stats::SlotPlan& plan = *outcome.slot_plan;
  for (std::size_t i = 2; i < outcome.slots.size(); ++i) {  // the first of each side opens connections
    drain = std::max(drain, outcome.slots[i].last_ns - plan.begin(i) - plan.slice_ns);
  }
  result.gap = std::max(kShortestGap, nanoseconds(drain + drain / 2));
  return result;
}

}  // namespace lab::load
