// What the subcommands on standing labs share.
#pragma once

#include "command.hpp"

#include "orchestrator/world.hpp"

#include <optional>
#include <string>

namespace lab::cli {

// Of this user, with this binary; nothing when there is no place for state: the error is printed.
std::optional<orchestrator::World> open_world(Context& context);

}  // namespace lab::cli
