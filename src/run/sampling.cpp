#include "sampling.hpp"

#include "calls.hpp"
#include "store/read.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <future>

namespace lab::run {

namespace json = boost::json;
using std::chrono::nanoseconds;

namespace {

constexpr const char* kPages = "pages";
constexpr std::chrono::seconds kQuick{10};        // beyond the last instant of a call
constexpr std::int64_t kStretch = 1'000'000'000;  // a call asks for the instants of so long, after which an interrupt is looked for
constexpr std::size_t kMostInstants = 200;        // and for no more

Edge edge_of(const json::object& sample, std::int64_t zero) {
  const json::object& host = store::object_of(sample, "host");
  Edge edge;
  edge.at_ns = store::integer_of(sample, "at") - zero;
  edge.taken_ns = store::integer_of(sample, "taken") - zero;
  edge.cpu_us = store::count_of(sample, "node");
  edge.roles = store::counts_of(sample, "roles");
  edge.user = store::count_of(host, "user");
  edge.system = store::count_of(host, "system");
  edge.idle = store::count_of(host, "idle");
  edge.iowait = store::count_of(host, "iowait");
  edge.steal = store::count_of(host, "steal");
  edge.irq = store::count_of(host, "irq");
  edge.accounted = host.contains("accounted") ? store::count_of(host, "accounted") : 0;
  edge.host_cpus = static_cast<int>(store::count_of(host, "cpus"));
  const json::object& carrier = store::object_of(sample, "carrier");
  edge.carrier_cpus = static_cast<int>(store::count_of(carrier, "cpus"));
  edge.carrier_us = store::count_of(carrier, "busy_us");
  edge.carrier_at_ns = store::integer_of(carrier, "at") - zero;
  if (const json::object& stats = store::object_of(sample, "stats"); stats.contains(kPages)) {
    edge.pages = store::count_of(store::object_of(stats, kPages), "pages");
    edge.pages_known_ns = store::integer_of(sample, "stats_known") - zero;
  }
  return edge;
}

// As many as are due within a second of the first, from `begin` on.
std::size_t end_of_call(const std::vector<std::int64_t>& instants, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < instants.size() && end - begin < kMostInstants && instants[end] - instants[begin] < kStretch) {
    ++end;
  }
  return end;
}

// CPUs in use over what the last call saw: about a second.
void tell(const Bench& bench, const std::string& node, const std::vector<Edge>& edges, std::size_t begin) {
  const Edge& from = edges[begin > 0 ? begin - 1 : 0];
  const Edge& to = edges.back();
  if (bench.sampled && to.taken_ns > from.taken_ns && to.cpu_us >= from.cpu_us) {
    bench.sampled(node, static_cast<double>(to.cpu_us - from.cpu_us) * 1e3 / static_cast<double>(to.taken_ns - from.taken_ns));
  }
}

Result<std::vector<Edge>> sample(Bench& bench, const std::string& node, std::int64_t start, const std::vector<std::int64_t>& instants,
                                 bool pages) {
  const std::int64_t zero = start + bench.clocks.at(node).offset_ns;
  std::vector<Edge> edges;
  for (std::size_t begin = 0, end = 0; begin < instants.size(); begin = end) {
    if (bench.interrupt.requested()) {
      return interrupted();
    }
    end = end_of_call(instants, begin);
    json::object params;
    json::array& at = params["at"].emplace_array();
    for (std::size_t i = begin; i < end; ++i) {
      at.emplace_back(zero + instants[i]);
    }
    if (pages) {
      params["stats"] = json::array{kPages};
    }
    const nanoseconds ahead(std::max<std::int64_t>(0, start + instants[end - 1] - bench.now()));
    auto answer = call(bench.agents, {node, "sample", std::move(params)}, within(ahead + kQuick));
    if (!answer) {
      return answer.error();
    }
    const json::array& samples = store::array_of(*answer, "samples");
    if (samples.size() != end - begin) {
      return Error{"the agent's answer has " + std::to_string(samples.size()) + " samples, not " + std::to_string(end - begin),
                   "node " + node + ": sample",
                   "run `lab up` again: it replaces an agent of another build",
                   {}};
    }
    for (const json::value& one : samples) {
      edges.push_back(edge_of(one.is_object() ? one.get_object() : json::object(), zero));
    }
    tell(bench, node, edges, begin);
  }
  return edges;
}

bool serves_pages(const Standing& standing, const std::string& node) {
  const Node* const described = standing.lab.find(node);
  return described != nullptr && described->has(Role::pages);
}

}  // namespace

Result<std::map<std::string, std::vector<Edge>>> sample_all(Bench& bench, std::int64_t start, const std::vector<std::int64_t>& instants,
                                                            bool pages) {
  std::map<std::string, std::future<Result<std::vector<Edge>>>> pending;
  for (const StandingNode& node : bench.standing.nodes) {
    if (!node.external) {
      pending[node.name] = std::async(std::launch::async, [&, counted = pages && serves_pages(bench.standing, node.name)] {
        return sample(bench, node.name, start, instants, counted);
      });
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

}  // namespace lab::run
