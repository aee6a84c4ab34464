#include "firewalls.hpp"

#include "calls.hpp"
#include "store/read.hpp"

#include <boost/json.hpp>
#include <charconv>
#include <optional>
#include <sstream>

namespace lab::run {

namespace json = boost::json;
using namespace std::chrono_literals;

namespace {

// "flow/FROM/TO/PORT", as the orchestrator names its counters.
std::optional<json::object> flow_of(const std::string& counter) {
  std::istringstream parts(counter);
  std::string kind, from, to, port;
  std::getline(parts, kind, '/');
  std::getline(parts, from, '/');
  std::getline(parts, to, '/');
  std::getline(parts, port);
  int number = 0;
  const bool numeric = std::from_chars(port.data(), port.data() + port.size(), number).ec == std::errc{};
  return kind == "flow" && numeric ? std::optional(json::object{{"from", from}, {"to", to}, {"port", number}}) : std::nullopt;
}

Packets since(const Packets& now, const Packets& then) {
  return now.packets < then.packets ? now : Packets{now.packets - then.packets, now.bytes - then.bytes};
}

void put(json::object& into, const Packets& counted) {
  into["packets"] = counted.packets;
  into["bytes"] = counted.bytes;
}

}  // namespace

FirewallCounters read_firewalls(Agents& agents, const Standing& standing) {
  FirewallCounters all;
  for (const Node& node : standing.lab.nodes) {
    const auto told =
        node.has(Role::firewall) ? call(agents, {node.name, "network.counters", {}}, within(5s)) : Result<json::object>(Error());
    for (const json::value& one : told ? store::array_of(*told, "counters") : json::array()) {
      if (one.is_object()) {
        const json::object& counter = one.get_object();
        all[node.name][store::text_of(counter, "name")] = {store::count_of(counter, "packets"), store::count_of(counter, "bytes")};
      }
    }
  }
  return all;
}

json::array firewalls_between(const FirewallCounters& before, const FirewallCounters& after) {
  json::array all;
  for (const auto& [node, counters] : after) {
    json::object firewall{{"node", node}};
    json::array flows;
    for (const auto& [name, now] : counters) {
      const auto earlier = before.find(node);
      const bool known = earlier != before.end() && earlier->second.contains(name);
      const Packets counted = since(now, known ? earlier->second.at(name) : Packets{});
      if (auto flow = flow_of(name)) {
        put(*flow, counted);
        flows.push_back(std::move(*flow));
      } else {
        json::object other;
        put(other, counted);
        firewall[name] = std::move(other);
      }
    }
    firewall["flows"] = std::move(flows);
    all.push_back(std::move(firewall));
  }
  return all;
}

}  // namespace lab::run
