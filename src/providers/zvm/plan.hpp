// What would be done for guests that Feilong creates, and whether it could be.
#pragma once

#include "providers/provider.hpp"
#include "providers/zvm/feilongs.hpp"
#include "remote/binaries.hpp"

#include <map>
#include <string>

namespace lab::providers::zvm {

// Whether the node is a guest for Feilong to create, and not given by `host`.
bool is_created(const Node& node);

// A step for each such node by its name, with every call that `lab up` would make; or everything that stands in the way. Only reads.
Result<std::map<std::string, Step>, Errors> plan_created(Feilongs& feilongs, const Site& site, const remote::Binaries& binaries);

}  // namespace lab::providers::zvm
