#include "agent/network.hpp"

#include "agent/rpc.hpp"
#include "remote/process.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <boost/json.hpp>

namespace lab::agent {

namespace json = boost::json;

namespace {

constexpr const char* kRemedy = "is the node's image lab's own? lab image build";
constexpr std::size_t kMostRoutes = 1000;

// Runs a program that reads its orders from a file, which exists in memory only.
Result<std::string> run_with(const std::string& program, std::vector<std::string> arguments, const std::string& orders, Deadline deadline) {
  const auto path = remote::find_program(program);
  if (!path) {
    return Error{program + " is not installed on the node", {}, kRemedy};
  }
  const remote::Descriptor file(memfd_create("lab-orders", 0));
  if (file.get() < 0 || write(file.get(), orders.data(), orders.size()) != static_cast<ssize_t>(orders.size())) {
    return system_error("write orders for " + program, errno);
  }
  arguments.insert(arguments.begin(), *path);
  arguments.push_back("/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file.get()));
  const auto done = remote::run(arguments, {}, deadline);
  if (!done) {
    return done.error();
  }
  return done->exit == 0 ? Result<std::string>(done->out)
                         : Error{program + " fails with exit code " + std::to_string(done->exit), {}, kRemedy, done->err + "\n" + orders};
}

}  // namespace

Result<NetworkOrder> network_order_of(const json::object& params) {
  NetworkOrder order;
  const auto ruleset = text_of(params, "ruleset");
  const json::value* const routes = params.if_contains("routes");
  if (!ruleset) {
    return ruleset.error();
  }
  if (routes == nullptr || !routes->is_array() || routes->get_array().size() > kMostRoutes) {
    return Error{"parameter routes is no list of routes", {}, {}};
  }
  for (const json::value& route : routes->get_array()) {
    const auto to = route.is_object() ? text_of(route.get_object(), "to") : Result<std::string>(Error("a route is an object"));
    const auto via = to ? text_of(route.get_object(), "via") : to;
    if (!via) {
      return via.error();
    }
    order.routes.push_back({*to, *via});
  }
  order.ruleset = *ruleset;
  return order;
}

Result<void> set_network(const NetworkOrder& order, Deadline deadline) {
  // The kernel's own routes, to the networks that the node stands on, are not static.
  std::string batch = "route flush proto static\nroute flush default\n";
  for (const Route& route : order.routes) {
    batch += "route replace " + route.to + " via " + route.via + " proto static\n";
  }
  const auto routed = run_with("ip", {"-4", "-batch"}, batch, deadline);
  if (!routed) {
    return routed.error();
  }
  const auto filtered = run_with("nft", {"-f"}, order.ruleset, deadline);
  return filtered ? Result<void>() : filtered.error();
}

Result<json::array> read_counters(std::string_view listed) {
  boost::system::error_code failed;
  const json::value told = json::parse(listed, failed);
  const json::value* const all = failed || !told.is_object() ? nullptr : told.get_object().if_contains("nftables");
  if (all == nullptr || !all->is_array()) {
    return Error{"what nft listed cannot be read", {}, kRemedy, std::string(listed.substr(0, 300))};
  }
  json::array counters;
  for (const json::value& one : all->get_array()) {
    const json::value* const counter = one.is_object() ? one.get_object().if_contains("counter") : nullptr;
    if (counter != nullptr && counter->is_object()) {
      const json::object& found = counter->get_object();
      const auto value = [&](const char* key) { return found.contains(key) ? found.at(key) : json::value(0); };
      counters.push_back(json::object{{"name", value("name")}, {"packets", value("packets")}, {"bytes", value("bytes")}});
    }
  }
  return counters;
}

Result<json::array> network_counters(Deadline deadline) {
  const auto path = remote::find_program("nft");
  if (!path) {
    return Error{"nft is not installed on the node", {}, kRemedy};
  }
  const auto listed = remote::run({*path, "-j", "list", "counters", "table", "inet", "lab"}, {}, deadline);
  if (!listed) {
    return listed.error();
  }
  return listed->exit == 0 ? read_counters(listed->out)
                           : Error{"the node has no packet filter of its lab", {}, "run `lab up` again", listed->err};
}

}  // namespace lab::agent
