#include "trial.hpp"

#include "driver_result.hpp"
#include "sampling.hpp"
#include "services.hpp"

#include <boost/json/object.hpp>
#include <optional>

namespace lab::run {

using std::chrono::nanoseconds;

namespace {

// Every second of warm-up and measurement, and the measurement's exact edges; since the trial's start.
std::vector<std::int64_t> instants_of(const Timing& timing) {
  const std::int64_t edge = timing.warmup.count();
  const std::int64_t end = edge + timing.measure.count();
  const std::int64_t second = nanoseconds(std::chrono::seconds(1)).count();
  std::vector<std::int64_t> instants;
  for (std::int64_t at = second; at < edge; at += second) {
    instants.push_back(at);
  }
  for (std::int64_t at = edge; at < end; at += second) {
    instants.push_back(at);
  }
  instants.push_back(end);
  return instants;
}

Result<void> observe_load(Bench& bench, const Setup& setup, const Timing& timing, std::int64_t start, Observation& into) {
  auto edges = sample_all(bench, start, instants_of(timing), false);
  if (!edges) {
    stop_drivers(bench, setup.drivers);
    return edges.error();
  }
  for (auto& [node, samples] : *edges) {
    std::erase_if(samples, [&](const Edge& edge) { return edge.at_ns < timing.warmup.count(); });
  }
  into.edges = std::move(*edges);
  const auto results = wait_for_drivers(bench, setup.drivers);
  if (!results) {
    stop_drivers(bench, setup.drivers);
    return results.error();
  }
  for (std::size_t i = 0; i < results->size(); ++i) {
    into.drivers.push_back(driver_result(setup.drivers[i].node, (*results)[i]));
  }
  return {};
}

// Nothing when a driver was late for its first request.
Result<std::optional<Observation>> observe_once(Bench& bench, const Setup& setup, const Timing& timing, nanoseconds lead) {
  Observation seen;
  if (auto stopped = setup.external ? Result<void>() : stop_gateways(bench, setup.gateway); !stopped) {
    return stopped.error();
  }
  auto openssl_cpu = start_gateway(bench, setup);
  if (!openssl_cpu) {
    return openssl_cpu.error();
  }
  seen.openssl_cpu = std::move(*openssl_cpu);
  const auto before = pages_served(bench, setup.pages);
  if (!before) {
    return before.error();
  }
  if (auto busy = start_guests(bench, setup.guests, timing.warmup + timing.measure + kDrain + kStart); !busy) {
    static_cast<void>(stop_guests(bench, setup.guests));
    return busy.error();
  }
  const auto start = start_drivers(bench, setup.drivers, lead);
  Result<void> loaded = !start ? Result<void>(start.error()) : *start ? observe_load(bench, setup, timing, **start, seen) : Result<void>();
  if (auto stopped = stop_guests(bench, setup.guests); loaded && !stopped) {
    loaded = stopped;
  }
  if (!loaded || !*start) {
    return loaded ? Result<std::optional<Observation>>(std::nullopt) : loaded.error();
  }
  if (auto read = read_gateway(bench, setup, seen); !read) {
    return read.error();
  }
  const auto after = pages_served(bench, setup.pages);
  if (!after) {
    return after.error();
  }
  seen.pages_served = *after - *before;
  return std::optional(std::move(seen));
}

}  // namespace

Result<Observation> observe(Bench& bench, const Setup& setup, const Timing& timing) {
  if (auto set = set_cpus(bench, setup.gateway, setup.cpus > 0 ? std::optional(setup.cpus) : std::nullopt); !set) {
    return set.error();
  }
  for (const nanoseconds lead : kLeads) {
    if (bench.interrupt.requested()) {
      return interrupted();
    }
    auto seen = observe_once(bench, setup, timing, lead);
    if (!seen) {
      return seen.error();
    }
    if (*seen) {
      return std::move(**seen);
    }
  }
  return late_drivers(setup.cell);
}

}  // namespace lab::run
