// What a lab's firewalls let through and dropped during a run.
#pragma once

#include "lab/agents.hpp"
#include "lab/standing.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <map>
#include <string>

namespace lab::run {

struct Packets {
  std::uint64_t packets = 0, bytes = 0;
};
using FirewallCounters = std::map<std::string, std::map<std::string, Packets>>;  // by node, by counter: docs/agent-protocol.md

// Of the nodes with role firewall; one that does not tell is left out.
FirewallCounters read_firewalls(Agents& agents, const Standing& standing);

// [{node, flows: [{from, to, port, packets, bytes}], replies: {packets, bytes}, dropped: {packets, bytes}}]: what was counted between.
// A flow's packets are those that open connections. A counter that was set anew since counts from then.
boost::json::array firewalls_between(const FirewallCounters& before, const FirewallCounters& after);

}  // namespace lab::run
