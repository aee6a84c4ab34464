// IPv4 addresses and networks as lab files write them.
#pragma once

#include "lab/lab.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lab::config {

// "198.18.1.5" in host byte order; four decimal numbers without leading zeros.
std::optional<std::uint32_t> parse_address(std::string_view text);
std::string format_address(std::uint32_t address);

std::uint32_t mask_of(int prefix);                             // 1 to 32
bool contains(const Network& network, std::uint32_t address);  // also its own and the broadcast address
bool is_host(const Network& network, std::uint32_t address);   // neither of these
bool overlap(const Network& a, const Network& b);
std::string format_network(const Network& network);  // "198.18.1.0/24"

}  // namespace lab::config
