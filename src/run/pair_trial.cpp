#include "pair_trial.hpp"

#include "check.hpp"
#include "driver_result.hpp"
#include "sampling.hpp"
#include "services.hpp"
#include "store/read.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <future>
#include <optional>
#include <set>

namespace lab::run {

namespace json = boost::json;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

namespace {

constexpr nanoseconds kSlice = milliseconds(100), kQuotaSlice = milliseconds(200), kLongestSlice = std::chrono::seconds(10);
constexpr nanoseconds kTrialSlot = milliseconds(60);   // slice and gap while they are found out
constexpr nanoseconds kShortestGap = milliseconds(8);  // switch and edge have to fit in
constexpr nanoseconds kSwitchLead = milliseconds(5);   // CPUs are set so long before a slice
constexpr nanoseconds kEdgeLead = milliseconds(4);     // and counters read so long before it
constexpr nanoseconds kEdgeLate = milliseconds(3);     // CPU counters read later than so much do not count
constexpr nanoseconds kLongestSleep = milliseconds(200);

using Slots = std::vector<stats::Slot>;  // instants since the first slice

struct Loaded {
  std::vector<json::object> results;  // of the drivers
  std::map<std::string, std::vector<Edge>> edges;
  std::set<std::size_t> late_switches;  // slots before which the CPUs were not set in time
  std::uint64_t pages = 0;              // that the back ends served from before the first request until after the last response
};

std::vector<Driver> with_slots(std::vector<Driver> drivers, const Timing& timing, const SlotTiming& slots) {
  for (Driver& driver : drivers) {
    driver.load.warmup = timing.warmup;
    driver.load.duration = timing.measure;
    driver.load.against->slice = slots.slice;
    driver.load.against->gap = slots.gap;
  }
  return drivers;
}

stats::SlotPlan plan_of(const Timing& timing, const SlotTiming& slots) {
  return stats::plan_slots(0, slots.slice.count(), slots.gap.count(), timing.warmup.count(), timing.measure.count());
}

std::vector<std::int64_t> edges_of(const stats::SlotPlan& plan) {
  std::vector<std::int64_t> instants;
  for (std::size_t slot = 0; slot <= plan.slots(); ++slot) {
    instants.push_back(plan.begin(slot) - kEdgeLead.count());
  }
  return instants;
}

std::optional<double> cpus_of(const Setup& side) { return side.cpus > 0 ? std::optional(side.cpus) : std::nullopt; }

// The first side on each node.
std::vector<const Setup*> by_node(const PairSetup& pair) {
  const auto& [a, b] = pair.sides;
  return a.gateway == b.gateway ? std::vector{&a} : std::vector{&a, &b};
}

// Where both stand on one node, it has the first side's CPUs.
Result<void> start_sides(Bench& bench, const PairSetup& pair, std::array<std::string, 2>& openssl_cpu) {
  for (const Setup* side : by_node(pair)) {
    if (auto set = set_cpus(bench, side->gateway, cpus_of(*side)); !set) {
      return set;
    }
    if (auto stopped = side->external ? Result<void>() : stop_gateways(bench, side->gateway); !stopped) {
      return stopped;
    }
  }
  auto second = std::async(std::launch::async, [&] { return start_gateway(bench, pair.sides[1]); });
  std::array started{start_gateway(bench, pair.sides[0]), second.get()};
  for (std::size_t i = 0; i < 2; ++i) {
    if (!started.at(i)) {
      return started.at(i).error();
    }
    openssl_cpu.at(i) = std::move(*started.at(i));
  }
  return {};
}

void stop_sides(Bench& bench, const PairSetup& pair) {
  for (const Setup* side : by_node(pair)) {
    if (!side->external) {
      (void)stop_gateways(bench, side->gateway);  // the next trial does so too, and says when it can't
    }
  }
}

// Before every slice, also where the side stays the same: each write refills the quota's budget, and that is to be alike for all.
Result<std::set<std::size_t>> switch_cpus(Bench& bench, const PairSetup& pair, const stats::SlotPlan& plan, std::int64_t start) {
  std::set<std::size_t> late;
  for (std::size_t slot = 1; slot < plan.slots(); ++slot) {
    const std::int64_t due = start + plan.begin(slot) - kSwitchLead.count();
    for (std::int64_t now = bench.now(); now < due; now = bench.now()) {
      if (bench.interrupt.requested()) {
        return interrupted();
      }
      bench.sleep_until(std::min(due, now + kLongestSleep.count()));
    }
    const Setup& side = pair.sides.at(plan.side(slot));
    if (auto set = set_cpus(bench, side.gateway, cpus_of(side)); !set) {
      return set.error();
    }
    if (bench.now() > start + plan.begin(slot)) {
      late.insert(slot);
    }
  }
  return late;
}

Result<Loaded> load_sides(Bench& bench, const PairSetup& pair, const std::vector<Driver>& drivers, const stats::SlotPlan& plan,
                          std::int64_t start) {
  Loaded loaded;
  auto sampled = std::async(std::launch::async, [&] { return sample_all(bench, start, edges_of(plan), true); });
  const auto switched = pair.quota ? switch_cpus(bench, pair, plan, start) : Result<std::set<std::size_t>>(std::set<std::size_t>{});
  auto edges = sampled.get();
  auto results = edges && switched ? wait_for_drivers(bench, drivers) : Result<std::vector<json::object>>(std::vector<json::object>{});
  if (!edges || !switched || !results) {
    stop_drivers(bench, drivers);
    return !switched ? switched.error() : !edges ? edges.error() : results.error();
  }
  return Loaded{std::move(*results), std::move(*edges), *switched, 0};
}

std::vector<std::string> back_ends(const PairSetup& pair) {
  std::vector<std::string> nodes = pair.sides[0].pages;
  for (const std::string& node : pair.sides[1].pages) {
    if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) {
      nodes.push_back(node);
    }
  }
  return nodes;
}

// Whether each began its first slice at the instant that it was told; one that began late has its slices elsewhere than the edges.
bool began_at(Bench& bench, const std::vector<Driver>& drivers, const std::vector<json::object>& results, std::int64_t start) {
  for (std::size_t i = 0; i < drivers.size(); ++i) {
    const json::array& slices = store::array_of(store::object_of(results[i], "against"), "slices");
    const std::int64_t told = start + bench.clocks.at(drivers[i].node).offset_ns;
    if (!slices.empty() && slices.front().is_object() && store::integer_of(slices.front().get_object(), "start_ns") != told) {
      return false;
    }
  }
  return true;
}

// Nothing when a driver was late for its first request.
Result<std::optional<Loaded>> load_once(Bench& bench, const PairSetup& pair, const std::vector<Driver>& drivers,
                                        const stats::SlotPlan& plan, nanoseconds lead) {
  const auto& guests = pair.sides[0].guests;
  const auto stop_busy = [&] { return guests.empty() ? Result<void>() : stop_guests(bench, guests); };
  if (auto busy = start_guests(bench, guests, nanoseconds(plan.end_ns()) + kDrain + kStart); !busy) {
    static_cast<void>(stop_busy());
    return busy.error();
  }
  const auto before = pages_served(bench, back_ends(pair));
  const auto start = before ? start_drivers(bench, drivers, lead) : before.error();
  if (!start || !*start) {
    static_cast<void>(stop_busy());
    return start ? Result<std::optional<Loaded>>(std::nullopt) : start.error();
  }
  auto loaded = load_sides(bench, pair, drivers, plan, **start);
  if (auto stopped = stop_busy(); loaded && !stopped) {
    return stopped.error();
  }
  if (!loaded) {
    return loaded.error();
  }
  const auto after = pages_served(bench, back_ends(pair));
  if (!after) {
    return after.error();
  }
  loaded->pages = *after - *before;
  return began_at(bench, drivers, loaded->results, **start) ? std::optional(std::move(*loaded)) : std::nullopt;
}

Result<Loaded> load(Bench& bench, const PairSetup& pair, const std::vector<Driver>& drivers, const stats::SlotPlan& plan) {
  for (const nanoseconds lead : kLeads) {
    if (bench.interrupt.requested()) {
      return interrupted();
    }
    auto loaded = load_once(bench, pair, drivers, plan, lead);
    if (!loaded) {
      return loaded.error();
    }
    if (*loaded) {
      return std::move(**loaded);
    }
  }
  return late_drivers(pair.name());
}

// Instants of one driver's clock become instants since its first slice.
Slots slots_of(const json::object& result, std::size_t expected) {
  const json::array& slices = store::array_of(store::object_of(result, "against"), "slices");
  Slots slots;
  std::int64_t zero = 0;
  for (const json::value& value : slices) {
    const json::object& slice = value.is_object() ? value.get_object() : json::object();
    if (slots.empty()) {
      zero = store::integer_of(slice, "start_ns");
    }
    const auto since_zero = [&](const char* key) {
      const std::int64_t instant = store::integer_of(slice, key);
      return instant == 0 ? 0 : std::max<std::int64_t>(1, instant - zero);
    };
    slots.push_back({store::count_of(slice, "done"), store::count_of(slice, "failed"), since_zero("first_ns"), since_zero("last_ns"),
                     static_cast<std::int64_t>(store::number_of(slice, "late_us") * 1000)});
  }
  return slots.size() == expected ? slots : Slots();
}

// Of all drivers; none where one of them was ended early.
Slots merged_slots(const std::vector<json::object>& results, std::size_t expected) {
  Slots all(expected);
  for (const json::object& result : results) {
    const Slots slots = slots_of(result, expected);
    if (slots.empty()) {
      return {};
    }
    for (std::size_t i = 0; i < expected; ++i) {
      all[i].merge(slots[i]);
    }
  }
  return all;
}

// What a trial's drivers and counters say, slot by slot.
class Slotted {
 public:
  Slotted(const PairSetup& pair, const stats::SlotPlan& plan, const Loaded& loaded, Slots slots)
      : pair_(pair), plan_(plan), loaded_(loaded), slots_(std::move(slots)) {}

  PairObservation observation() const {
    PairObservation seen;
    for (std::size_t slot = plan_.warm; slot < slots_.size(); ++slot) {
      seen.rates.push_back(counts(slot) ? slots_[slot].rate() : 0);
    }
    for (std::size_t slot = first(); slot < slots_.size(); ++slot) {
      ++seen.slots;
      seen.undrained += slots_[slot].late_ns > 0 ? 1 : 0;
      seen.drain = std::max(seen.drain, drain(slot));
    }
    seen.late_switches = loaded_.late_switches.size();
    for (std::size_t side = 0; side < 2; ++side) {
      seen.sides.at(side) = observed(side);
      seen.idle_share = std::max(seen.idle_share, idle_share(side));
    }
    add_pages(seen);
    return seen;
  }

 private:
  std::size_t first() const { return plan_.warm + 2; }  // of those that are measured

  bool counts(std::size_t slot) const {
    return slots_[slot].late_ns == 0 && slots_[slot].rate() > 0 && !loaded_.late_switches.contains(slot);
  }

  nanoseconds drain(std::size_t slot) const {
    const std::int64_t end = plan_.begin(slot) + plan_.slice_ns;
    return nanoseconds(std::max<std::int64_t>(
        0, std::max(slots_[slot].last_ns, slots_[slot].late_ns > 0 ? plan_.begin(slot + 1) + slots_[slot].late_ns : 0) - end));
  }

  template <class Do>
  void each_measured(std::size_t side, Do act) const {
    for (std::size_t slot = first(); slot < slots_.size(); ++slot) {
      if (plan_.side(slot) == side && counts(slot)) {
        act(slot);
      }
    }
  }

  // The edges around a slot, where both were read in time.
  static std::optional<std::pair<const Edge*, const Edge*>> around(const std::vector<Edge>& edges, std::size_t slot) {
    if (edges.size() < slot + 2) {
      return std::nullopt;
    }
    const Edge &begin = edges[slot], &end = edges[slot + 1];
    const auto in_time = [](const Edge& edge) { return edge.taken_ns - edge.at_ns <= kEdgeLate.count(); };
    return in_time(begin) && in_time(end) ? std::optional(std::pair(&begin, &end)) : std::nullopt;
  }

  Stretch stretch(std::size_t slot) const {
    const stats::Slot& seen = slots_[slot];
    Stretch stretch{seen.first_ns, static_cast<double>(seen.last_ns - seen.first_ns) / 1e9, seen.done, {}};
    for (const auto& [node, edges] : loaded_.edges) {
      if (const auto edge = around(edges, slot)) {
        stretch.used[node] = {stretch.s, edge->second->cpu_us - std::min(edge->first->cpu_us, edge->second->cpu_us)};
      }
    }
    return stretch;
  }

  Observation observed(std::size_t side) const {
    Observation seen;
    seen.edges = loaded_.edges;
    double busy = 0;
    each_measured(side, [&](std::size_t slot) {
      seen.slices.push_back(stretch(slot));
      busy += seen.slices.back().s;
    });
    for (std::size_t i = 0; i < loaded_.results.size(); ++i) {
      const json::object& result = loaded_.results[i];
      DriverResult driver =
          driver_result(pair_.drivers[i].node, store::object_of(store::object_of(result, "against"), side == 0 ? "a" : "b"));
      const double all_s = loaded_s(side);
      driver.busy_clients = all_s > 0 ? static_cast<double>(driver.done) * driver.service_us_mean / 1e6 / all_s : 0;
      driver.done = 0;
      driver.duration_s = busy;
      const Slots own = slots_of(result, slots_.size());
      each_measured(side, [&](std::size_t slot) { driver.done += own[slot].done; });
      seen.drivers.push_back(std::move(driver));
    }
    return seen;
  }

  // For how long after the warm-up, slots that do not count included, as the driver's own sums have them.
  double loaded_s(std::size_t side) const {
    std::int64_t sum = 0;
    for (std::size_t slot = plan_.warm; slot < slots_.size(); ++slot) {
      sum += plan_.side(slot) == side ? slots_[slot].last_ns - slots_[slot].first_ns : 0;
    }
    return static_cast<double>(sum) / 1e9;
  }

  // What the other side's gateway used while this side was loaded.
  double idle_share(std::size_t side) const {
    const Setup& other = pair_.sides.at(1 - side);
    const auto at = loaded_.edges.find(other.gateway);
    if (at == loaded_.edges.end()) {
      return 0;
    }
    double used_us = 0, wall_us = 0;
    each_measured(side, [&](std::size_t slot) {
      if (const auto edge = around(at->second, slot)) {
        const auto of = [&](const Edge& one) {
          const auto role = one.roles.find(other.role);
          return role == one.roles.end() ? std::uint64_t{0} : role->second;
        };
        used_us += static_cast<double>(of(*edge->second)) - static_cast<double>(of(*edge->first));
        wall_us += static_cast<double>(edge->second->taken_ns - edge->first->taken_ns) / 1e3;
      }
    });
    return wall_us > 0 ? used_us / wall_us : 0;
  }

  // Every edge was read before the next slice began, and after the one before had drained.
  bool pages_split() const {
    const bool drained = std::all_of(slots_.begin(), slots_.end(), [](const stats::Slot& slot) { return slot.late_ns == 0; });
    for (const auto& [node, edges] : loaded_.edges) {
      for (std::size_t i = 0; i < edges.size(); ++i) {
        const bool early = i > 0 && drain(i - 1).count() + plan_.slice_ns > edges[i].at_ns - plan_.begin(i - 1);
        if (edges[i].pages && i < slots_.size() && (early || edges[i].pages_known_ns > plan_.begin(i))) {
          return false;
        }
      }
    }
    return drained;
  }

  void add_pages(PairObservation& seen) const {
    if (!pages_split()) {
      seen.pages_together = loaded_.pages;
      return;
    }
    for (const auto& [node, edges] : loaded_.edges) {
      for (std::size_t slot = 0; slot + 1 < edges.size(); ++slot) {
        const std::uint64_t pages = edges[slot + 1].pages.value_or(0) - edges[slot].pages.value_or(0);
        const std::size_t side = plan_.side(slot);
        if (has(pair_.sides.at(side).pages, node)) {
          seen.sides.at(side).pages_served += pages;
        }
      }
    }
  }

  static bool has(const std::vector<std::string>& list, const std::string& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
  }

  const PairSetup& pair_;
  const stats::SlotPlan& plan_;
  const Loaded& loaded_;
  Slots slots_;
};

Error cut_short(const PairSetup& pair) {
  return Error{"a driver ended before its last slice", "cells " + pair.name(), "its log: lab logs NODE load", {}};
}

Result<SlotTiming> slots_for(nanoseconds page, nanoseconds drain, const PairSetup& pair) {
  SlotTiming slots;
  slots.slice = std::max(page, pair.quota ? kQuotaSlice : kSlice);
  slots.gap = std::max(kShortestGap, drain + drain / 2 + kEdgeLead);
  if (slots.slice > kLongestSlice || slots.gap > 2 * kLongestSlice) {
    return Error{"a page takes too long for slices: " + std::to_string(std::chrono::duration_cast<milliseconds>(page).count()) + " ms",
                 "cells " + pair.name(),
                 "measure them apart: leave the pair out, or choose smaller pages",
                 {}};
  }
  return slots;
}

nanoseconds page_time(const Observation& side) { return nanoseconds(service_times(side).percentile(90)); }

}  // namespace

Result<SlotTiming> slots_after(const PairObservation& seen, const PairSetup& pair) {
  return slots_for(std::max(page_time(seen.sides[0]), page_time(seen.sides[1])), seen.drain, pair);
}

Result<SlotTiming> calibrate(Bench& bench, const PairSetup& pair) {
  std::array<std::string, 2> ignored;
  if (auto started = start_sides(bench, pair, ignored); !started) {
    return started.error();
  }
  const Setup& slower = pair.sides.at(pair.sides[1].cpus < pair.sides[0].cpus ? 1 : 0);
  if (auto set = set_cpus(bench, slower.gateway, cpus_of(slower)); !set) {
    return set.error();
  }
  const SlotTiming slots{kTrialSlot, kTrialSlot};
  const Timing timing{nanoseconds(0), 10 * (slots.slice + slots.gap)};
  const stats::SlotPlan plan = plan_of(timing, slots);
  PairSetup still = pair;
  still.quota = false;
  const auto loaded = load(bench, still, with_slots(pair.drivers, timing, slots), plan);
  stop_sides(bench, pair);
  if (!loaded) {
    return loaded.error();
  }
  Slots merged = merged_slots(loaded->results, plan.slots());
  if (merged.empty()) {
    return cut_short(pair);
  }
  return slots_after(Slotted(pair, plan, *loaded, std::move(merged)).observation(), pair);
}

Result<PairObservation> observe_pair(Bench& bench, const PairSetup& pair, const Timing& timing, const SlotTiming& slots) {
  std::array<std::string, 2> openssl_cpu;
  if (auto started = start_sides(bench, pair, openssl_cpu); !started) {
    return started.error();
  }
  const stats::SlotPlan plan = plan_of(timing, slots);
  const auto loaded = load(bench, pair, with_slots(pair.drivers, timing, slots), plan);
  if (!loaded) {
    return loaded.error();
  }
  Slots merged = merged_slots(loaded->results, plan.slots());
  if (merged.empty()) {
    return cut_short(pair);
  }
  PairObservation seen = Slotted(pair, plan, *loaded, std::move(merged)).observation();
  for (std::size_t i = 0; i < 2; ++i) {
    seen.sides.at(i).openssl_cpu = openssl_cpu.at(i);
    if (auto read = read_gateway(bench, pair.sides.at(i), seen.sides.at(i)); !read) {
      return read.error();
    }
  }
  stop_sides(bench, pair);
  return seen;
}

}  // namespace lab::run
