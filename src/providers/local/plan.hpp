// What would be done for each node, and every reason why it could not be: the look before the leap.
#pragma once

#include "providers/local/local.hpp"
#include "providers/local/sshd.hpp"

namespace lab::providers::local {

Result<SshdPrograms> find_programs(const Options& options);

Result<std::vector<Step>, Errors> plan_nodes(const Site& site, const std::vector<NodeRecord>& standing, const Options& options);

}  // namespace lab::providers::local
