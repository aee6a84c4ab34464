// How far a node's CLOCK_MONOTONIC is from the controller's (Cristian's algorithm): of several exchanges the one with the least round trip.
#pragma once

#include "lab/agents.hpp"
#include "lab/error.hpp"
#include "lab/results.hpp"
#include "lab/units.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace lab::run {

using Now = std::function<std::int64_t()>;  // the controller's CLOCK_MONOTONIC, ns

using SleepUntil = std::function<void(std::int64_t)>;  // an instant of it; returns at once when that has passed

std::int64_t monotonic_ns();
void sleep_until_ns(std::int64_t instant);

Result<ClockOffset> measure_offset(Agents& agents, const std::string& node, int exchanges, const Now& now, Deadline deadline);

}  // namespace lab::run
