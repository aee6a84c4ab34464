// Networks that are in use on this host.
#pragma once

#include "lab/lab.hpp"

#include <string_view>
#include <vector>

namespace lab::providers::container {

// Of an engine: every subnet in the text of `network inspect`, Podman's or Docker's.
std::vector<Network> subnets_in(std::string_view inspected);
// Of the host: destinations in the text of /proc/net/route, without the default route.
std::vector<Network> routes_in(std::string_view routes);

}  // namespace lab::providers::container
