// A pair's schedule (method.md): both sides loaded in turn, in slices A B, then A B B A again and again, each drained before the
// next. All of it is known beforehand, so that drivers on several nodes need not be told at the edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lab::stats {

struct SlotPlan {
  std::int64_t start_ns = 0;  // of the first slot; CLOCK_MONOTONIC
  std::int64_t slice_ns = 0;  // requests start only within it
  std::int64_t gap_ns = 0;    // to drain
  std::size_t warm = 0;       // slots that only warm up, an even number, A B A B …
  std::size_t groups = 0;     // of A B B A, after the first pair

  std::int64_t slot_ns() const { return slice_ns + gap_ns; }
  std::size_t slots() const { return warm + 2 + 4 * groups; }
  std::int64_t begin(std::size_t slot) const { return start_ns + static_cast<std::int64_t>(slot) * slot_ns(); }
  std::int64_t end_ns() const { return begin(slots()); }
  std::size_t side(std::size_t slot) const;         // 0: A, 1: B
  std::size_t slot_at(std::int64_t instant) const;  // slots(): before the first or after the last
  bool open(std::size_t slot, std::int64_t instant) const { return instant >= begin(slot) && instant < begin(slot) + slice_ns; }
};

// For so much warm-up and measurement; at least two groups.
SlotPlan plan_slots(std::int64_t start_ns, std::int64_t slice_ns, std::int64_t gap_ns, std::int64_t warmup_ns, std::int64_t measure_ns);

// What happened in one slot. Of several threads or nodes the counts are added up.
struct Slot {
  std::uint64_t done = 0, failed = 0;
  std::int64_t first_ns = 0, last_ns = 0;  // the first page's beginning, the last response; 0: none
  std::int64_t late_ns = 0;                // how long after the slot's end the last page ended; 0: drained in time

  void merge(const Slot& other);
  double rate() const;  // done pages ÷ (last response − first request), a second; 0: none
};

// Rates by slot, of those after the warm-up, as stats::pair_ratio wants them; 0 where a slot does not count.
std::vector<double> rates_of(const SlotPlan& plan, const std::vector<Slot>& slots);

}  // namespace lab::stats
