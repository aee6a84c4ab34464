// Who has to reach whom in a lab, and by which firewalls: what they let through follows from the roles and from nothing else.
#pragma once

#include "lab/error.hpp"
#include "lab/standing.hpp"

#include <string>
#include <vector>

namespace lab::orchestrator {

struct Flow {
  std::string from, to;  // nodes
  std::uint16_t port = 0;
  bool operator==(const Flow&) const = default;
};

// Load to gateways, gateways to back ends and directory, back ends to databases: each TCP port that is listened on.
std::vector<Flow> flows_of(const Lab& lab);

struct Hop {
  std::string firewall;  // node
  std::string in, out;   // networks that it forwards between
};
// From a node to one of another's networks, over as few firewalls as can be; empty: they share a network. Nothing: no way.
std::optional<std::vector<Hop>> way(const Lab& lab, const std::string& from, const std::string& to);

// Flows that no firewall could let through, since none joins the networks: an error each.
Errors check_ways(const Lab& lab);

}  // namespace lab::orchestrator
