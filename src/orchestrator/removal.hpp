// What is under the lock of `down`, and of an `up` that failed.
#pragma once

#include "lab/error.hpp"
#include "orchestrator/world.hpp"

#include <filesystem>
#include <string>

namespace lab::orchestrator {

// Ends and removes every node that the state or a label names, then the state itself, and looks whether anything is left.
// The caller holds the lab's lock. The state may be half-written, lost, or never have been.
Result<void, Errors> remove_lab(const World& world, const std::string& name, const Operation& operation);

// The folder of a lab of which nothing was written but its lock.
void remove_empty(const std::filesystem::path& folder);

}  // namespace lab::orchestrator
