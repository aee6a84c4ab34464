// What is done to one node of a standing lab: agent, CPUs, roles.
#pragma once

#include "lab/agents.hpp"
#include "lab/error.hpp"
#include "lab/standing.hpp"
#include "orchestrator/state.hpp"
#include "orchestrator/world.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lab::orchestrator {

// Connects and attaches; the agent must be of this build.
Result<void> attach_node(const World& world, Crew& crew, const Standing& standing, const StandingNode& node, Deadline deadline);

// Pushes certificates, binary and agent, then attaches.
Result<void> install_node(const World& world, Crew& crew, const Standing& standing, const StandingNode& node, Deadline deadline);

// Roles that stand while nothing is measured: directory, database, pages, gateway, in this order. A database
// only where pages come from it; load and guests start with a trial.
std::vector<Role> standing_roles(const Lab& lab, const Node& node);

// True: it was started; false: it ran already.
Result<bool> start_role(Agents& agents, const Standing& standing, const StandingNode& node, Role role, Deadline deadline);

// By the provider, or by the agent where that cannot. Nothing: the limit is lifted, and how one would be set is found out.
Result<providers::CpuLimit> limit_node(providers::Provider& provider, Agents& agents, const providers::Site& site,
                                       const providers::NodeRecord& record, std::optional<double> host_cpus, Deadline deadline);

// Names of the node's roles that run and answer.
Result<std::vector<std::string>> answering_roles(Agents& agents, const std::string& node, Deadline deadline);

}  // namespace lab::orchestrator
