#include "services.hpp"

#include "calls.hpp"
#include "config/config.hpp"
#include "crypto.hpp"
#include "lab/resolve.hpp"
#include "store/read.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <future>

namespace lab::run {

namespace json = boost::json;
using std::chrono::nanoseconds;

namespace {

constexpr const char* kPages = "pages";
constexpr const char* kLoad = "load";
constexpr const char* kGuest = "guest";
constexpr std::chrono::seconds kQuick{10};  // for an answer that waits for nothing

Call role_start(const std::string& node, const std::string& name, const char* role, json::object config,
                const std::map<std::string, std::string>& environment) {
  return {node,
          "role.start",
          {{"name", name},
           {"role", role},
           {"config", std::move(config)},
           {"env", store::to_object(environment)},
           {"timeout_ns", nanoseconds(kStart).count()}}};
}

Call gateway_start(const std::string& node, const std::string& name, const GatewayConfig& config,
                   const std::map<std::string, std::string>& environment) {
  return role_start(node, name, "gateway", config::to_json(config), environment);
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

Result<void> verify_adapter(const Setup& setup, const json::object& ready) {
  const auto providers = store::texts_of(ready, "openssl_providers");
  if (std::find(providers.begin(), providers.end(), "ibmca") != providers.end()) {
    return {};
  }
  return Error{"the crypto switch did not take: adapter was asked for",
               "node " + setup.gateway + ": the gateway's OpenSSL has loaded no provider ibmca",
               "`openssl list -providers` with the OPENSSL_CONF in the role's folder there says why"};
}

Result<void> verify_crypto(const Setup& setup, const json::object& ready) {
  if (setup.crypto == CryptoSwitch::untouched) {
    return {};
  }
  if (setup.crypto == CryptoSwitch::adapter) {
    return verify_adapter(setup, ready);
  }
  const std::string openssl_cpu = store::text_of(ready, "openssl_cpu");
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

Result<json::object> wait_for_driver(Bench& bench, const std::string& node) {
  return call(bench.agents, {node, "role.wait", {{"name", kLoad}, {"timeout_ns", nanoseconds(kDrain).count()}}}, within(kDrain + kQuick));
}

Result<void> done(const Result<std::vector<json::object>>& answers) { return answers ? Result<void>() : Result<void>(answers.error()); }

}  // namespace

Result<void> stop_gateways(Bench& bench, const std::string& node) {
  std::vector<Call> calls;
  for (const Place place : {Place::alone, Place::a, Place::b}) {
    calls.push_back(role_stop(node, gateway_role(place)));
  }
  return done(call_all(bench.agents, calls, within(kStart)));
}

Result<std::string> start_gateway(Bench& bench, const Setup& setup) {
  if (setup.external) {
    return std::string();
  }
  if (const auto files = log_files(setup.config.logs); !files.empty()) {
    if (auto emptied = call(bench.agents, {setup.gateway, "file.truncate", {{"paths", store::to_array(files)}}}, within(kQuick));
        !emptied) {
      return emptied.error();
    }
  }
  Call order = gateway_start(setup.gateway, setup.role, setup.config, setup.environment);
  order.params["adapter"] = setup.crypto == CryptoSwitch::adapter;
  auto started = call(bench.agents, order, within(kStart + kQuick));
  if (!started) {
    return started.error();
  }
  const json::object& ready = store::object_of(*started, "ready");
  if (auto verified = verify_crypto(setup, ready); !verified) {
    return verified.error();
  }
  return store::text_of(ready, "openssl_cpu");
}

Result<void> read_gateway(Bench& bench, const Setup& setup, Observation& into) {
  if (setup.external) {
    return {};
  }
  if (auto flushed = call(bench.agents, role_call(setup.gateway, setup.role, "logs.flush"), within(kQuick)); !flushed) {
    return flushed.error();
  }
  const auto stats = call(bench.agents, role_call(setup.gateway, setup.role, "stats"), within(kQuick));
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

Result<void> start_guests(Bench& bench, const std::vector<std::string>& guests, nanoseconds longest) {
  std::vector<Call> calls;
  for (const std::string& guest : guests) {
    const Node* const node = bench.standing.lab.find(guest);
    GuestConfig config;
    config.threads = std::max(1, static_cast<int>(std::ceil(node == nullptr ? 1.0 : node->cpus.value_or(1))));
    config.duration = longest;
    calls.push_back(role_start(guest, kGuest, kGuest, config::to_json(config), {}));
  }
  return done(call_all(bench.agents, calls, within(kStart + kQuick)));
}

Result<void> stop_guests(Bench& bench, const std::vector<std::string>& guests) {
  std::vector<Call> calls;
  for (const std::string& guest : guests) {
    calls.push_back(role_stop(guest, kGuest));
  }
  return done(call_all(bench.agents, calls, within(kStart)));
}

Result<std::optional<std::int64_t>> start_drivers(Bench& bench, const std::vector<Driver>& drivers, nanoseconds lead) {
  const std::int64_t start = bench.now() + lead.count();
  std::vector<Call> calls;
  for (const Driver& driver : drivers) {
    LoadConfig load = driver.load;
    load.start_at_ns = start + bench.clocks.at(driver.node).offset_ns;
    calls.push_back(role_start(driver.node, kLoad, kLoad, config::to_json(load), {}));
  }
  const auto started = call_all(bench.agents, calls, within(kStart + kQuick));
  if (started && bench.now() < start) {
    return std::optional(start);
  }
  stop_drivers(bench, drivers);
  if (!started) {
    return started.error();
  }
  return std::optional<std::int64_t>();
}

void stop_drivers(Bench& bench, const std::vector<Driver>& drivers) {
  std::vector<Call> calls;
  for (const Driver& driver : drivers) {
    calls.push_back(role_stop(driver.node, kLoad));
  }
  (void)call_all(bench.agents, calls, within(kQuick));  // after an error that says more than this one would
}

Result<std::vector<json::object>> wait_for_drivers(Bench& bench, const std::vector<Driver>& drivers) {
  std::vector<std::future<Result<json::object>>> pending;
  for (const Driver& driver : drivers) {
    pending.push_back(std::async(std::launch::async, [&bench, &driver] { return wait_for_driver(bench, driver.node); }));
  }
  std::vector<json::object> results;
  Result<void> outcome;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    const auto answer = pending[i].get();
    const json::object& result = answer ? store::object_of(*answer, "result") : json::object();
    if (!answer) {
      outcome = answer.error();
    } else if (result.empty()) {
      outcome = Error{
          "the driver ended without a result", "node " + drivers[i].node + ": load", "its log: lab logs " + drivers[i].node + " load", {}};
    } else {
      results.push_back(result);
    }
  }
  return outcome ? Result<std::vector<json::object>>(std::move(results)) : outcome.error();
}

Error late_drivers(const std::string& cell) {
  return Error{
      "the drivers were not ready in time for their first request", "cell " + cell, "the load nodes are overloaded: see lab status", {}};
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
  if (auto stopped = stop_gateways(bench, gateway); !stopped) {
    return stopped;
  }
  const auto started = call(bench.agents, gateway_start(gateway, gateway_role(Place::alone), *config, {}), within(kStart + kQuick));
  return started ? Result<void>() : Result<void>(started.error());
}

}  // namespace lab::run
