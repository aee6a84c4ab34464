// Which addresses a lab's networks and nodes have. Slots keep labs apart that stand at once: each has 16 networks of a /24 to itself
// within 198.18.0.0/15, the range for benchmarks (RFC 2544, appendix C.2.2).
#pragma once

#include "lab/error.hpp"
#include "lab/lab.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lab::providers::container {

inline constexpr int kContainerSlots = 32;

struct Addresses {
  Network management;             // SSH from the controller, and nothing else
  std::vector<Network> networks;  // the lab's, in its order
};

// In slot 1 networks are as the lab file has them; in slot n those within 198.18.0.0/20 move on by 16 (n − 1) networks of a /24. The
// others cannot move: two labs with them cannot stand at once.
Addresses addresses_of(const Lab& lab, int slot);

// network → address. Fixed ones move with their network; others are 10 + the node's place in the file, from 1.
// Errors: a network too small for its nodes.
Result<std::map<std::string, std::string>> addresses_of(const Lab& lab, const Node& node, int slot);
Result<std::string> management_address(const Lab& lab, const Node& node, int slot);

bool overlap(const Network& one, const Network& other);
std::string format_address(std::uint32_t address);  // host byte order
std::string format_cidr(const Network& network);    // "198.18.1.0/24"
std::optional<Network> parse_cidr(std::string_view text);

}  // namespace lab::providers::container
