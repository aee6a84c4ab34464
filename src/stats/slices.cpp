#include "stats/slices.hpp"

#include <algorithm>

namespace lab::stats {

std::size_t SlotPlan::side(std::size_t slot) const {
  if (slot < warm + 2) {
    return slot % 2;
  }
  const std::size_t in_group = (slot - warm - 2) % 4;
  return in_group == 1 || in_group == 2 ? 1 : 0;
}

std::size_t SlotPlan::slot_at(std::int64_t instant) const {
  return instant < start_ns ? slots() : std::min(static_cast<std::size_t>((instant - start_ns) / slot_ns()), slots());
}

SlotPlan plan_slots(std::int64_t start_ns, std::int64_t slice_ns, std::int64_t gap_ns, std::int64_t warmup_ns, std::int64_t measure_ns) {
  SlotPlan plan{start_ns, slice_ns, gap_ns};
  const std::int64_t pair = 2 * plan.slot_ns();
  plan.warm = 2 * static_cast<std::size_t>((warmup_ns + pair - 1) / pair);
  plan.groups = static_cast<std::size_t>(std::max<std::int64_t>(2, (measure_ns - pair) / (2 * pair)));
  return plan;
}

void Slot::merge(const Slot& other) {
  done += other.done;
  failed += other.failed;
  if (other.first_ns != 0) {
    first_ns = first_ns == 0 ? other.first_ns : std::min(first_ns, other.first_ns);
  }
  last_ns = std::max(last_ns, other.last_ns);
  late_ns = std::max(late_ns, other.late_ns);
}

double Slot::rate() const {
  return last_ns > first_ns && done > 0 ? 1e9 * static_cast<double>(done) / static_cast<double>(last_ns - first_ns) : 0;
}

std::vector<double> rates_of(const SlotPlan& plan, const std::vector<Slot>& slots) {
  std::vector<double> rates;
  for (std::size_t i = plan.warm; i < slots.size(); ++i) {
    rates.push_back(slots[i].late_ns > 0 ? 0 : slots[i].rate());
  }
  return rates;
}

}  // namespace lab::stats
