// CPU counters of all nodes at given instants, each by its own clock.
#pragma once

#include "bench.hpp"
#include "observation.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lab::run {

// `instants`: rising, in ns since `start`, which is on the controller's clock. Returns after the last. With `pages`, edges of nodes that
// serve pages carry their counter. An interrupt is heeded within a second.
Result<std::map<std::string, std::vector<Edge>>> sample_all(Bench& bench, std::int64_t start, const std::vector<std::int64_t>& instants,
                                                            bool pages);

}  // namespace lab::run
