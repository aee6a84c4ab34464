#include "bench.hpp"

#include "calls.hpp"
#include "lab/version.hpp"
#include "store/read.hpp"

#include <boost/json.hpp>

namespace lab::run {

namespace {

constexpr int kExchanges = 8;
constexpr std::chrono::seconds kQuick{10};  // for an answer that waits for nothing

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
                              store::texts_of(*hello, "crypto"), store::text_of(*hello, "adapter"),
                              store::text_of(*hello, "log_disk")};
    const boost::json::object& carrier = store::object_of(*hello, "carrier");
    bench.facts[node.name].carrier_cpus = static_cast<int>(store::count_of(carrier, "cpus"));
    bench.facts[node.name].carrier_known = carrier.contains("all") && carrier.at("all") == true;
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

Result<void> set_cpus(Bench& bench, const std::string& gateway, std::optional<double> lab_cpus) {
  const StandingNode* const node = bench.standing.find(gateway);
  if (bench.standing.cpu_method == CpuMethod::none || (node != nullptr && node->external)) {
    return {};
  }
  const Node* described = bench.standing.lab.find(gateway);
  return bench.cpus.set(gateway, lab_cpus || described == nullptr ? lab_cpus : described->cpus);
}

Error interrupted() { return Error{"interrupted", {}, {}, {}, Failure::interrupted}; }

}  // namespace lab::run
