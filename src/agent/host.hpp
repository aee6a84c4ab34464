// What an agent tells of its machine.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace lab::agent {

std::chrono::nanoseconds monotonic_now();

// {arch, kernel, cpus, openssl, crypto: […]}.
boost::json::object describe_host();

// The crypto features among the flags (x86) or features (s390x) of /proc/cpuinfo, in its order.
boost::json::array crypto_features(std::string_view cpuinfo);

// {user, system, idle, iowait, steal, irq, cpus}: microseconds since boot, of all CPUs together, from the text of /proc/stat (proc(5)).
boost::json::object host_times(std::string_view stat);

// CPU time of all processes since boot, exact where /proc/stat counts ticks: the root group's under `cgroups`. Nothing where that
// is not the machine's own root, as in a container, or control groups are v2, whose root adds up the same ticks.
std::optional<std::uint64_t> accounted_us(const std::filesystem::path& cgroups);

// Of this machine, now; with `accounted` where it is known.
boost::json::object host_times();

}  // namespace lab::agent
