// Takes a lab down, whatever state it is in, and proves that nothing is left.
#pragma once

#include "lab/error.hpp"
#include "orchestrator/world.hpp"

#include <string>

namespace lab::orchestrator {

struct Taken {
  bool was_there = false;  // false: no such lab, and nothing carries its label
};

// Errors: what could not be removed, and what is left.
Result<Taken, Errors> down(const World& world, const std::string& name, const Operation& operation);

}  // namespace lab::orchestrator
