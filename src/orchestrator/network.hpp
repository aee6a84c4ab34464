// Routes and packet filter of each node of a lab whose nodes have networks of their own.
#pragma once

#include "lab/agents.hpp"
#include "lab/standing.hpp"
#include "orchestrator/flows.hpp"

#include <boost/json/object.hpp>

namespace lab::orchestrator {

// Whether the lab's nodes have network namespaces of their own, with the lab's networks in them.
bool has_networks(const Standing& standing);

// For nft(8). Every node: what comes in by another way than the lab's networks is SSH or dropped; what goes out goes to the lab's networks.
// Firewalls also: each flow that crosses them is let through and counted under "flow/FROM/TO/PORT", replies under "replies", all else is
// dropped and counted under "dropped".
std::string nft_rules(const Standing& standing, const StandingNode& node);

// `network.set` of docs/agent-protocol.md.
boost::json::object network_order(const Standing& standing, const StandingNode& node);

Result<void> set_network(Agents& agents, const Standing& standing, const StandingNode& node, Deadline deadline);

}  // namespace lab::orchestrator
