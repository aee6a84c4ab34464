// What the subcommands on standing labs share.
#pragma once

#include "command.hpp"

#include "lab/standing.hpp"
#include "orchestrator/world.hpp"

#include <functional>
#include <optional>
#include <string>

namespace lab::cli {

// Of this user, with this binary; nothing when there is no place for state: the error is printed.
std::optional<orchestrator::World> open_world(Context& context, const orchestrator::NodeOptions& options = {});

// --accept-new-host-keys, --agent-binary
void add_node_options(CLI::App& command, orchestrator::NodeOptions& options);

// The lab meant by --name, or the only one; nothing when there is none: the error is printed.
std::optional<std::string> choose_lab(Context& context, const orchestrator::World& world, const std::string& name);

// The same as deployed, for commands that only look; nothing, with the error printed, when there is none.
std::optional<Standing> find_standing(Context& context, const std::string& name);
// Null, with the error printed, when the lab has no such node, or not yet.
const StandingNode* find_node(Context& context, const Standing& standing, const std::string& node);

// Says for whom a command waits.
std::function<void(const std::string&)> tell_waiting(Context& context);

}  // namespace lab::cli
