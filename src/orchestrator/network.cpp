#include "orchestrator/network.hpp"

#include "providers/container/addresses.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <sstream>

namespace lab::orchestrator {

namespace json = boost::json;

namespace {

using providers::container::format_cidr;
using providers::container::parse_cidr;

std::string address_on(const Standing& standing, const std::string& node, const std::string& network) {
  const StandingNode* const found = standing.find(node);
  const auto at = found == nullptr ? std::map<std::string, std::string>::const_iterator{} : found->addresses.find(network);
  return found == nullptr || at == found->addresses.end() ? "" : at->second;
}

// As they stand: the address of any node on it tells where the network is.
std::string cidr_of(const Standing& standing, const Network& network) {
  for (const StandingNode& node : standing.nodes) {
    if (const auto at = node.addresses.find(network.name); at != node.addresses.end()) {
      return format_cidr(*parse_cidr(at->second + "/" + std::to_string(network.prefix)));
    }
  }
  return "";
}

// The address that a node's packets come from on its way to another: that on its side of the first firewall.
std::string source_of(const Standing& standing, const std::string& from, const std::vector<Hop>& hops) {
  return address_on(standing, from, hops.front().in);
}

struct Passage {  // a flow that crosses a firewall
  Flow flow;
  std::string source, destination;
};

std::vector<Passage> passages(const Standing& standing, const std::string& firewall) {
  std::vector<Passage> through;
  for (const Flow& flow : flows_of(standing.lab)) {
    const auto hops = way(standing.lab, flow.from, flow.to);
    const bool crosses = hops && std::any_of(hops->begin(), hops->end(), [&](const Hop& hop) { return hop.firewall == firewall; });
    const StandingNode* const to = standing.find(flow.to);
    if (crosses && to != nullptr && standing.find(flow.from) != nullptr) {
      through.push_back({flow, source_of(standing, flow.from, *hops), to->address});
    }
  }
  return through;
}

std::string counter_of(const Flow& flow) { return "flow/" + flow.from + "/" + flow.to + "/" + std::to_string(flow.port); }

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : ", ") + word;
  }
  return text;
}

void write_own(std::ostream& out, const Standing& standing, const StandingNode& node) {
  std::vector<std::string> own, networks;
  for (const auto& [network, address] : node.addresses) {
    own.push_back(address);
  }
  for (const Network& network : standing.lab.networks) {
    if (const std::string cidr = cidr_of(standing, network); !cidr.empty()) {
      networks.push_back(cidr);
    }
  }
  out << "  chain input {\n    type filter hook input priority filter; policy drop;\n"
      << "    iif lo accept\n    ct state established,related accept\n"
      << "    ip daddr { " << joined(own) << " } accept\n    tcp dport 22 accept\n  }\n"
      << "  chain output {\n    type filter hook output priority filter; policy drop;\n"
      << "    oif lo accept\n    tcp sport 22 accept\n    ct state established,related accept\n"  // SSH that began before the rules
      << "    ip daddr { " << joined(networks) << " } accept\n  }\n";
}

void write_forward(std::ostream& out, const std::vector<Passage>& through) {
  out << "  counter replies { }\n  counter dropped { }\n";
  for (const Passage& passage : through) {
    out << "  counter " << counter_of(passage.flow) << " { }\n";
  }
  out << "  chain forward {\n    type filter hook forward priority filter; policy drop;\n"
      << "    ct state established,related counter name \"replies\" accept\n"
      << "    fib saddr . iif oif missing counter name \"dropped\" drop\n";  // a source that is not behind where it comes from
  for (const Passage& passage : through) {
    out << "    ct state new ip saddr " << passage.source << " ip daddr " << passage.destination << " tcp dport " << passage.flow.port
        << " counter name \"" << counter_of(passage.flow) << "\" accept\n";
  }
  out << "    counter name \"dropped\" drop\n  }\n";
}

// To each network that the node does not stand on, by the first firewall on the way.
json::array routes_of(const Standing& standing, const StandingNode& node) {
  json::array routes;
  for (const Network& network : standing.lab.networks) {
    const std::string cidr = cidr_of(standing, network);
    if (cidr.empty() || node.addresses.contains(network.name)) {
      continue;
    }
    const auto there = std::find_if(standing.lab.nodes.begin(), standing.lab.nodes.end(), [&](const Node& other) {
      return !other.networks.empty() && other.networks.front() == network.name && other.name != node.name;
    });
    const auto hops = there == standing.lab.nodes.end() ? std::nullopt : way(standing.lab, node.name, there->name);
    if (hops && !hops->empty()) {
      routes.push_back(json::object{{"to", cidr}, {"via", address_on(standing, hops->front().firewall, hops->front().in)}});
    }
  }
  return routes;
}

}  // namespace

bool has_networks(const Standing& standing) {
  return std::any_of(standing.nodes.begin(), standing.nodes.end(), [](const StandingNode& node) { return !node.addresses.empty(); });
}

std::string nft_rules(const Standing& standing, const StandingNode& node) {
  std::ostringstream out;
  out << "table inet lab\ndelete table inet lab\ntable inet lab {\n";
  write_own(out, standing, node);
  const Node* const described = standing.lab.find(node.name);
  if (described != nullptr && described->has(Role::firewall)) {
    write_forward(out, passages(standing, node.name));
  }
  out << "}\n";
  return out.str();
}

json::object network_order(const Standing& standing, const StandingNode& node) {
  return {{"routes", routes_of(standing, node)}, {"ruleset", nft_rules(standing, node)}};
}

Result<void> set_network(Agents& agents, const Standing& standing, const StandingNode& node, Deadline deadline) {
  const auto told = agents.call(node.name, "network.set", network_order(standing, node), deadline);
  return told ? Result<void>() : told.error();
}

}  // namespace lab::orchestrator
