// The services of a trial, reached through their agents: gateways, back ends, guests and drivers.
#pragma once

#include "bench.hpp"
#include "observation.hpp"
#include "setup.hpp"

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lab::run {

// Whatever gateways a trial may have left there, under any of their names.
Result<void> stop_gateways(Bench& bench, const std::string& node);
// A fresh process whose counters start at zero, its logs empty, its crypto switch verified. Its OPENSSL_info; of an external one: nothing.
Result<std::string> start_gateway(Bench& bench, const Setup& setup);
// Responses from its log, flushed first, or from its counter where the log is not written; retries, and lines that were lost.
Result<void> read_gateway(Bench& bench, const Setup& setup, Observation& into);

Result<std::uint64_t> pages_served(Bench& bench, const std::vector<std::string>& nodes);

// As many threads as a guest has CPUs; they end by themselves after `longest`, should nobody stop them.
Result<void> start_guests(Bench& bench, const std::vector<std::string>& guests, std::chrono::nanoseconds longest);
Result<void> stop_guests(Bench& bench, const std::vector<std::string>& guests);

// From order to first request: what starting the drivers may take, the next one where one was too short.
inline constexpr std::chrono::milliseconds kLeads[] = {std::chrono::milliseconds{250}, std::chrono::seconds{1}, std::chrono::seconds{4}};

// The instant of the first request, on the controller's clock; nothing when a driver was not ready by then: then none runs any more.
Result<std::optional<std::int64_t>> start_drivers(Bench& bench, const std::vector<Driver>& drivers, std::chrono::nanoseconds lead);
void stop_drivers(Bench& bench, const std::vector<Driver>& drivers);
// What each printed, once it has ended: in their order.
Result<std::vector<boost::json::object>> wait_for_drivers(Bench& bench, const std::vector<Driver>& drivers);

Error late_drivers(const std::string& cell);

// The gateway and its CPUs as the lab file has them, for whoever comes after the run.
Result<void> restore(Bench& bench, const std::string& gateway);

// For drivers after the measurement.
inline constexpr std::chrono::seconds kDrain{30};
// For a role to serve.
inline constexpr std::chrono::seconds kStart{10};

}  // namespace lab::run
