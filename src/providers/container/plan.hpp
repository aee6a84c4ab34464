// What would be done for each node, and every reason why it could not be.
#pragma once

#include "providers/container/engine.hpp"
#include "providers/provider.hpp"

namespace lab::providers::container {

Result<std::vector<Step>, Errors> plan_nodes(const Site& site, const std::vector<NodeRecord>& standing, const Host& host);

}  // namespace lab::providers::container
