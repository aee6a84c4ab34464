#include "lab/units.hpp"
#include "roles/load/outcome.hpp"

#include <algorithm>
#include <array>

namespace lab::load {

namespace {

constexpr double kBusy = 0.9;          // of the driver's threads
constexpr double kFewestBegun = 0.99;  // of the pages that were due

bool littles_law_holds(const Tally& tally) { return tally.busy_ns == tally.overlap_ns; }

bool missed_rate(const Outcome& outcome) {
  const Tally& tally = outcome.tally;
  const auto due = static_cast<double>(tally.scheduled);
  return outcome.target_rate && static_cast<double>(tally.scheduled - tally.unstarted) < kFewestBegun * due;
}

// The first pair does not count: connections are opened in it.
bool undrained(const Outcome& outcome) {
  const std::size_t first = outcome.slot_plan ? std::min(outcome.slot_plan->warm + 2, outcome.slots.size()) : 0;
  return std::any_of(outcome.slots.begin() + static_cast<std::ptrdiff_t>(first), outcome.slots.end(),
                     [](const stats::Slot& slot) { return slot.late_ns > 0; });
}

}  // namespace

bool counts_add_up(const Tally& tally) {
  const PageCounts all = all_pages(tally);
  std::uint64_t errors = 0;
  for (const Counts& window : tally.windows) {
    for (const std::uint64_t count : window.errors) {
      errors += count;
    }
  }
  return all.started == all.done + all.failed + all.in_flight && all.failed == errors &&
         tally.service.count() == tally.in(Window::measure).done && pages_in(tally, Window::drain).in_flight == all.in_flight;
}

const char* name_of(Flag flag) {
  static constexpr std::array<const char*, 4> names{"unreconciled", "rate-missed", "driver-bound", "drain"};
  return names[static_cast<std::size_t>(flag)];
}

std::vector<Flag> flags_of(const Outcome& outcome) {
  std::vector<Flag> flags;
  if (!counts_add_up(outcome.tally) || !littles_law_holds(outcome.tally)) {
    flags.push_back(Flag::unreconciled);
  }
  if (missed_rate(outcome)) {
    flags.push_back(Flag::rate_missed);
  }
  if (cpu_share(outcome) > kBusy) {
    flags.push_back(Flag::driver_bound);
  }
  if (undrained(outcome)) {
    flags.push_back(Flag::drain);
  }
  return flags;
}

std::string explain(const Outcome& outcome, Flag flag) {
  const Tally& tally = outcome.tally;
  switch (flag) {
    case Flag::unreconciled:
      return "counts do not add up, or the time of pages under way is not the sum of the pages' times: a fault of the driver";
    case Flag::rate_missed:
      return "the rate asked for was missed: " + std::to_string(tally.unstarted) + " of " + std::to_string(tally.scheduled) +
             " requests that were due found no free connection, the first of them for " +
             format_duration(std::chrono::nanoseconds(tally.oldest_unstarted_ns)) + "; allow more with -c, or ask for less with -R";
    case Flag::driver_bound: return "the driver's threads were busy nearly all the time: its own speed was measured; give it more with -t";
    case Flag::drain: return "slices were not drained when the next began, and do not count; lengthen the gap with --gap";
  }
  return {};
}

Little littles_law(const Outcome& outcome) {
  const double length = seconds(outcome);
  if (length <= 0) {
    return {};
  }
  const Tally& tally = outcome.tally;
  return {static_cast<double>(tally.busy_ns) / 1e9 / length, static_cast<double>(tally.page.sum()) / 1e9 / length};
}

}  // namespace lab::load
