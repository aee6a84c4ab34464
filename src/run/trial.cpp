#include "trial.hpp"

#include "calls.hpp"
#include "config/config.hpp"
#include "crypto.hpp"
#include "driver_result.hpp"
#include "lab/resolve.hpp"
#include "lab/version.hpp"
#include "store/read.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <future>
#include <optional>

namespace lab::run {

namespace json = boost::json;
using std::chrono::nanoseconds;
using namespace std::chrono_literals;

namespace {

constexpr const char* kGateway = "gateway";
constexpr const char* kPages = "pages";
constexpr const char* kLoad = "load";
constexpr const char* kGuest = "guest";
constexpr int kExchanges = 8;
constexpr nanoseconds kQuick = 10s;                // for an answer that waits for nothing
constexpr nanoseconds kStart = 10s;                // for a role to serve
constexpr nanoseconds kDrain = 30s;                // for drivers after the measurement
constexpr nanoseconds kLeads[] = {250ms, 1s, 4s};  // from order to first request: what starting the drivers may take

Error interrupted() { return Error{"interrupted", {}, {}, {}, Failure::interrupted}; }

json::object to_object(const std::map<std::string, std::string>& environment) {
  json::object object;
  for (const auto& [name, value] : environment) {
    object[name] = value;
  }
  return object;
}

Call role_start(const std::string& node, const char* role, json::object config, const std::map<std::string, std::string>& environment) {
  return {node,
          "role.start",
          {{"name", role}, {"role", role}, {"config", std::move(config)}, {"env", to_object(environment)}, {"timeout_ns", kStart.count()}}};
}

std::vector<std::string> log_files(const GatewayLogs& logs) {
  std::vector<std::string> files;
  for (const std::string& file : {logs.request, logs.agent, logs.referer}) {
    if (!file.empty() && file != "/dev/null") {
      files.push_back(file);
    }
  }
  return files;
}

Result<void> verify_crypto(const Setup& setup, const std::string& openssl_cpu) {
  if (setup.crypto == CryptoSwitch::untouched) {
    return {};
  }
  const bool wanted = setup.crypto == CryptoSwitch::hardware;
  const auto used = uses_aes_instructions(openssl_cpu);
  if (used == wanted) {
    return {};
  }
  return Error{std::string("the crypto switch did not take: ") + (wanted ? "hardware" : "software") + " was asked for",
               "node " + setup.gateway + ": the gateway's OPENSSL_info says " + (openssl_cpu.empty() ? "nothing" : openssl_cpu),
               wanted ? "unset OPENSSL_ia32cap and OPENSSL_s390xcap in the node's environment"
                      : "the node's OpenSSL may not know the variable's value: see lab doctor",
               {}};
}

// A fresh process: its counters start at zero. Its OPENSSL_info.
Result<std::string> start_gateway(Bench& bench, const Setup& setup) {
  if (setup.external) {
    return std::string();
  }
  if (auto stopped = call(bench.agents, role_stop(setup.gateway, kGateway), within(kStart)); !stopped) {
    return stopped.error();
  }
  if (const auto files = log_files(setup.config.logs); !files.empty()) {
    if (auto emptied = call(bench.agents, {setup.gateway, "file.truncate", {{"paths", store::to_array(files)}}}, within(kQuick));
        !emptied) {
      return emptied.error();
    }
  }
  auto started =
      call(bench.agents, role_start(setup.gateway, kGateway, config::to_json(setup.config), setup.environment), within(kStart + kQuick));
  if (!started) {
    return started.error();
  }
  std::string openssl_cpu = store::text_of(store::object_of(*started, "ready"), "openssl_cpu");
  if (auto verified = verify_crypto(setup, openssl_cpu); !verified) {
    return verified.error();
  }
  return openssl_cpu;
}

Result<std::uint64_t> pages_served(Bench& bench, const std::vector<std::string>& nodes) {
  std::vector<Call> calls;
  for (const std::string& node : nodes) {
    calls.push_back(role_call(node, kPages, "stats"));
  }
  auto answers = call_all(bench.agents, calls, within(kQuick));
  if (!answers) {
    return answers.error();
  }
  std::uint64_t pages = 0;
  for (const json::object& stats : *answers) {
    pages += store::count_of(stats, "pages");
  }
  return pages;
}

void stop_drivers(Bench& bench, const Setup& setup) {
  std::vector<Call> calls;
  for (const Driver& driver : setup.drivers) {
    calls.push_back(role_stop(driver.node, kLoad));
  }
  (void)call_all(bench.agents, calls, within(kQuick));  // after an error that says more than this one would
}

// As many threads as a guest has CPUs; they end by themselves, should nobody stop them.
Result<void> start_guests(Bench& bench, const Setup& setup, const Timing& timing) {
  std::vector<Call> calls;
  for (const std::string& guest : setup.guests) {
    const Node* const node = bench.standing.lab.find(guest);
    GuestConfig config;
    config.threads = std::max(1, static_cast<int>(std::ceil(node == nullptr ? 1.0 : node->cpus.value_or(1))));
    config.duration = timing.warmup + timing.measure + kDrain + kStart;
    calls.push_back(role_start(guest, kGuest, config::to_json(config), {}));
  }
  const auto started = call_all(bench.agents, calls, within(kStart + kQuick));
  return started ? Result<void>() : Result<void>(started.error());
}

Result<void> stop_guests(Bench& bench, const Setup& setup) {
  std::vector<Call> calls;
  for (const std::string& guest : setup.guests) {
    calls.push_back(role_stop(guest, kGuest));
  }
  const auto stopped = call_all(bench.agents, calls, within(kStart));
  return stopped ? Result<void>() : Result<void>(stopped.error());
}

// The instant of the first request, on the controller's clock; nothing when a driver was not ready by then.
Result<std::optional<std::int64_t>> start_drivers(Bench& bench, const Setup& setup, nanoseconds lead) {
  const std::int64_t start = bench.now() + lead.count();
  std::vector<Call> calls;
  for (const Driver& driver : setup.drivers) {
    LoadConfig load = driver.load;
    load.start_at_ns = start + bench.clocks.at(driver.node).offset_ns;
    calls.push_back(role_start(driver.node, kLoad, config::to_json(load), {}));
  }
  const auto started = call_all(bench.agents, calls, within(kStart + kQuick));
  if (started && bench.now() < start) {
    return std::optional(start);
  }
  stop_drivers(bench, setup);
  if (!started) {
    return started.error();
  }
  return std::optional<std::int64_t>();
}

Edge edge_of(const json::object& sample, std::int64_t zero) {
  const json::object& host = store::object_of(sample, "host");
  Edge edge;
  edge.at_ns = store::integer_of(sample, "at") - zero;
  edge.taken_ns = store::integer_of(sample, "taken") - zero;
  edge.cpu_us = store::count_of(sample, "node");
  edge.user = store::count_of(host, "user");
  edge.system = store::count_of(host, "system");
  edge.idle = store::count_of(host, "idle");
  edge.iowait = store::count_of(host, "iowait");
  edge.steal = store::count_of(host, "steal");
  edge.irq = store::count_of(host, "irq");
  edge.accounted = host.contains("accounted") ? store::count_of(host, "accounted") : 0;
  edge.host_cpus = static_cast<int>(store::count_of(host, "cpus"));
  return edge;
}

// Every second of warm-up and measurement, and the measurement's exact edges; since the trial's start.
std::vector<std::int64_t> instants_of(const Timing& timing) {
  const std::int64_t edge = timing.warmup.count();
  const std::int64_t end = edge + timing.measure.count();
  const std::int64_t second = nanoseconds(1s).count();
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

// One node's samples of the measurement. A call for each instant: an interrupt is heeded within a second.
Result<std::vector<Edge>> sample(Bench& bench, const std::string& node, std::int64_t start, const Timing& timing) {
  const std::int64_t zero = start + bench.clocks.at(node).offset_ns;
  std::vector<Edge> edges;
  for (const std::int64_t instant : instants_of(timing)) {
    if (bench.interrupt.requested()) {
      return interrupted();
    }
    const nanoseconds ahead(std::max<std::int64_t>(0, start + instant - bench.now()));
    auto answer = call(bench.agents, {node, "sample", {{"at", json::array{zero + instant}}}}, within(ahead + kQuick));
    if (!answer) {
      return answer.error();
    }
    const json::array& samples = store::array_of(*answer, "samples");
    if (samples.empty() || !samples.front().is_object()) {
      return Error{
          "the agent's sample is empty", "node " + node + ": sample", "run `lab up` again: it replaces an agent of another build", {}};
    }
    if (instant >= timing.warmup.count()) {
      edges.push_back(edge_of(samples.front().get_object(), zero));
    }
  }
  return edges;
}

Result<std::map<std::string, std::vector<Edge>>> sample_all(Bench& bench, std::int64_t start, const Timing& timing) {
  std::map<std::string, std::future<Result<std::vector<Edge>>>> pending;
  for (const StandingNode& node : bench.standing.nodes) {
    if (!node.external) {
      pending[node.name] =
          std::async(std::launch::async, [&bench, &node, start, &timing] { return sample(bench, node.name, start, timing); });
    }
  }
  std::map<std::string, std::vector<Edge>> edges;
  Result<void> outcome;
  for (auto& [node, samples] : pending) {
    auto answer = samples.get();
    if (answer) {
      edges[node] = std::move(*answer);
    } else {
      outcome = answer.error();
    }
  }
  if (!outcome) {
    return outcome.error();
  }
  return edges;
}

Result<json::object> wait_for_driver(Bench& bench, const std::string& node) {
  return call(bench.agents, {node, "role.wait", {{"name", kLoad}, {"timeout_ns", kDrain.count()}}}, within(kDrain + kQuick));
}

Result<std::vector<DriverResult>> wait_for_drivers(Bench& bench, const Setup& setup) {
  std::vector<std::future<Result<json::object>>> pending;
  for (const Driver& driver : setup.drivers) {
    pending.push_back(std::async(std::launch::async, [&bench, &driver] { return wait_for_driver(bench, driver.node); }));
  }
  std::vector<DriverResult> results;
  Result<void> outcome;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    const std::string& node = setup.drivers[i].node;
    const auto answer = pending[i].get();
    const json::object& result = answer ? store::object_of(*answer, "result") : json::object();
    if (!answer) {
      outcome = answer.error();
    } else if (result.empty()) {
      outcome = Error{"the driver ended without a result", "node " + node + ": load", "its log: lab logs " + node + " load", {}};
    } else {
      results.push_back(driver_result(node, result));
    }
  }
  return outcome ? Result<std::vector<DriverResult>>(std::move(results)) : outcome.error();
}

// Its log flushed and counted, or its counter where the log is not written.
Result<void> read_gateway(Bench& bench, const Setup& setup, Observation& into) {
  if (setup.external) {
    return {};
  }
  if (auto flushed = call(bench.agents, role_call(setup.gateway, kGateway, "logs.flush"), within(kQuick)); !flushed) {
    return flushed.error();
  }
  const auto stats = call(bench.agents, role_call(setup.gateway, kGateway, "stats"), within(kQuick));
  if (!stats) {
    return stats.error();
  }
  into.retries = store::count_of(*stats, "retries");
  into.log_errors = store::count_of(*stats, "log_errors");
  const std::string& file = setup.config.logs.request;
  into.gateway_counter = file.empty() || file == "/dev/null";
  if (into.gateway_counter) {
    for (const auto& [status, count] : store::counts_of(*stats, "responses")) {
      into.gateway_responses += count;
    }
    return {};
  }
  const auto counted = call(bench.agents, {setup.gateway, "file.count", {{"path", file}}}, within(kQuick));
  if (!counted) {
    return counted.error();
  }
  into.gateway_responses = store::count_of(*counted, "lines");
  return {};
}

Result<void> observe_load(Bench& bench, const Setup& setup, const Timing& timing, std::int64_t start, Observation& into) {
  auto edges = sample_all(bench, start, timing);
  if (!edges) {
    stop_drivers(bench, setup);
    return edges.error();
  }
  into.edges = std::move(*edges);
  auto drivers = wait_for_drivers(bench, setup);
  if (!drivers) {
    stop_drivers(bench, setup);
    return drivers.error();
  }
  into.drivers = std::move(*drivers);
  return {};
}

// Nothing when a driver was late for its first request.
Result<std::optional<Observation>> observe_once(Bench& bench, const Setup& setup, const Timing& timing, nanoseconds lead) {
  Observation seen;
  auto openssl_cpu = start_gateway(bench, setup);
  if (!openssl_cpu) {
    return openssl_cpu.error();
  }
  seen.openssl_cpu = std::move(*openssl_cpu);
  const auto before = pages_served(bench, setup.pages);
  if (!before) {
    return before.error();
  }
  if (auto busy = start_guests(bench, setup, timing); !busy) {
    static_cast<void>(stop_guests(bench, setup));
    return busy.error();
  }
  const auto start = start_drivers(bench, setup, lead);
  Result<void> loaded = !start ? Result<void>(start.error()) : *start ? observe_load(bench, setup, timing, **start, seen) : Result<void>();
  if (auto stopped = stop_guests(bench, setup); loaded && !stopped) {
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

// To the cell's number, else as the lab file has it: whatever the trial before left.
Result<void> set_cpus(Bench& bench, const std::string& gateway, std::optional<double> lab_cpus) {
  const StandingNode* const node = bench.standing.find(gateway);
  if (bench.standing.cpu_method == CpuMethod::none || (node != nullptr && node->external)) {
    return {};
  }
  const Node* described = bench.standing.lab.find(gateway);
  return bench.cpus.set(gateway, lab_cpus || described == nullptr ? lab_cpus : described->cpus);
}

}  // namespace

Result<void> meet(Bench& bench) {
  for (const StandingNode& node : bench.standing.nodes) {
    if (node.external) {
      continue;
    }
    const auto hello = call(bench.agents, {node.name, "hello", {{"protocol", 1}, {"build", build_id()}}}, within(kQuick));
    if (!hello) {
      return hello.error();
    }
    bench.facts[node.name] = {store::text_of(*hello, "arch"),    store::text_of(*hello, "kernel"),
                              store::text_of(*hello, "openssl"), static_cast<int>(store::count_of(*hello, "cpus")),
                              store::texts_of(*hello, "crypto"), store::text_of(*hello, "log_disk")};
  }
  return synchronise(bench);
}

Result<void> synchronise(Bench& bench) {
  for (const StandingNode& node : bench.standing.nodes) {
    if (node.external) {
      continue;
    }
    const auto offset = measure_offset(bench.agents, node.name, kExchanges, bench.now, within(kQuick));
    if (!offset) {
      return offset.error();
    }
    bench.clocks[node.name] = *offset;
  }
  return {};
}

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
  return Error{"the drivers were not ready in time for their first request",
               "cell " + setup.cell,
               "the load nodes are overloaded: see lab status",
               {}};
}

Result<void> restore(Bench& bench, const std::string& gateway) {
  const StandingNode* node = bench.standing.find(gateway);
  const Node* described = bench.standing.lab.find(gateway);
  if (node == nullptr || described == nullptr || node->external) {
    return {};
  }
  const auto config = resolve_gateway(bench.standing, *node);
  if (!config) {
    return config.error();
  }
  if (auto set = set_cpus(bench, gateway, std::nullopt); !set) {
    return set;
  }
  if (auto stopped = call(bench.agents, role_stop(gateway, kGateway), within(kStart)); !stopped) {
    return stopped.error();
  }
  const auto started = call(bench.agents, role_start(gateway, kGateway, config::to_json(*config), {}), within(kStart + kQuick));
  return started ? Result<void>() : Result<void>(started.error());
}

}  // namespace lab::run
