// Executes a pair on a standing lab: two gateways at once, loaded in turn in slices known beforehand (method.md).
#pragma once

#include "bench.hpp"
#include "observation.hpp"
#include "pair_setup.hpp"
#include "stats/slices.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace lab::run {

struct SlotTiming {
  std::chrono::nanoseconds slice{0}, gap{0};
};

struct PairObservation {
  std::array<Observation, 2> sides;      // edges are the same in both
  std::vector<double> rates;             // pages a second by slot, as stats::pair_ratio wants them; 0: the slot does not count
  std::chrono::nanoseconds drain{0};     // the longest of a measured slot
  std::size_t slots = 0, undrained = 0;  // measured ones; of these, those not drained in time
  std::size_t late_switches = 0;         // those before which the CPUs were not set in time
  double idle_share = 0;                 // of a host CPU, used by the gateway that was not loaded: the worse of both
  // Served to both sides together, where the back ends' pages could not be told apart: an edge was read late, or a slice not drained.
  std::optional<std::uint64_t> pages_together;
};

// What slices and gaps take: both sides loaded for a moment, on gateways of their own. The slice is the longest of 100 ms (200 ms where
// CPUs switch) and the time of a page on the slower side; the gap 1.5 × the longest drain, and the time to read counters. Errors: pages too
// slow for slices.
Result<SlotTiming> calibrate(Bench& bench, const PairSetup& pair);

// Likewise, after a trial: for the next one of the pair.
Result<SlotTiming> slots_after(const PairObservation& seen, const PairSetup& pair);

// As observe(), for both sides: every counter is read at the drained edges, so that it belongs to one of them.
Result<PairObservation> observe_pair(Bench& bench, const PairSetup& pair, const Timing& timing, const SlotTiming& slots);

}  // namespace lab::run
