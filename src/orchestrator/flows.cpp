#include "orchestrator/flows.hpp"

#include "lab/resolve.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>

namespace lab::orchestrator {

namespace {

std::vector<std::uint16_t> ports_of(const Node& node, Role role) {
  std::vector<std::uint16_t> ports;
  switch (role) {
    case Role::gateway: {
      const GatewayPorts second = second_ports(node.gateway);
      ports = {node.gateway.http, node.gateway.https, second.http, second.https};
      break;
    }
    case Role::pages: ports = {node.pages.http, node.pages.https}; break;
    case Role::directory: ports = {node.directory.ldap}; break;
    case Role::database: ports = {node.database.port}; break;
    default: break;
  }
  std::erase(ports, 0);
  return ports;
}

struct Need {
  Role client, server;
};
constexpr Need kNeeds[] = {
    {Role::load, Role::gateway}, {Role::gateway, Role::pages}, {Role::gateway, Role::directory}, {Role::pages, Role::database}};

bool stands_on(const Node& node, const std::string& network) {
  return std::find(node.networks.begin(), node.networks.end(), network) != node.networks.end();
}

}  // namespace

std::vector<Flow> flows_of(const Lab& lab) {
  std::vector<Flow> flows;
  for (const Need& need : kNeeds) {
    for (const Node& from : lab.nodes) {
      for (const Node& to : lab.nodes) {
        if (from.name != to.name && from.has(need.client) && to.has(need.server)) {
          for (const std::uint16_t port : ports_of(to, need.server)) {
            flows.push_back({from.name, to.name, port});
          }
        }
      }
    }
  }
  return flows;
}

std::optional<std::vector<Hop>> way(const Lab& lab, const std::string& from, const std::string& to) {
  const Node *const start = lab.find(from), *const end = lab.find(to);
  if (start == nullptr || end == nullptr || end->networks.empty()) {
    return std::nullopt;
  }
  const std::string& goal = end->networks.front();  // where its roles listen
  std::map<std::string, std::vector<Hop>> reached;
  std::deque<std::string> open;
  for (const std::string& network : start->networks) {
    reached[network];
    open.push_back(network);
  }
  while (!open.empty() && !reached.contains(goal)) {
    const std::string network = open.front();
    open.pop_front();
    for (const Node& firewall : lab.nodes) {
      if (!firewall.has(Role::firewall) || !stands_on(firewall, network)) {
        continue;
      }
      for (const std::string& next : firewall.networks) {
        if (!reached.contains(next)) {
          auto hops = reached[network];
          hops.push_back({firewall.name, network, next});
          reached[next] = std::move(hops);
          open.push_back(next);
        }
      }
    }
  }
  const auto found = reached.find(goal);
  return found == reached.end() ? std::nullopt : std::optional(found->second);
}

Errors check_ways(const Lab& lab) {
  Errors errors;
  const Flow* last = nullptr;
  const auto flows = flows_of(lab);
  for (const Flow& flow : flows) {
    const bool said = last != nullptr && last->from == flow.from && last->to == flow.to;  // of another port
    if (!said && !way(lab, flow.from, flow.to)) {
      errors.push_back(Error{"no firewall joins the networks of " + flow.from + " and " + flow.to, lab.path,
                             "add a node with role firewall that stands on a network of each, or put both on one network"});
    }
    last = &flow;
  }
  return errors;
}

}  // namespace lab::orchestrator
