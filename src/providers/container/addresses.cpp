#include "providers/container/addresses.hpp"

#include <arpa/inet.h>
#include <algorithm>
#include <charconv>

namespace lab::providers::container {

namespace {

constexpr std::uint32_t kRange = (198U << 24U) | (18U << 16U);  // 198.18.0.0
constexpr std::uint32_t kSlotSize = 16U << 8U;                  // a /20
constexpr std::uint32_t kFirstHost = 10;
constexpr int kManagementPrefix = 24;

std::uint32_t mask(int prefix) { return prefix == 0 ? 0 : ~std::uint32_t{0} << (32 - prefix); }

std::uint32_t shift_of(const Network& network, int slot) {
  const bool moves = network.address >= kRange && network.address - kRange < kSlotSize && network.prefix >= 20;
  return moves ? static_cast<std::uint32_t>(slot - 1) * kSlotSize : 0;
}

std::optional<std::uint32_t> parse_address(const std::string& text) {
  in_addr parsed{};
  return inet_pton(AF_INET, text.c_str(), &parsed) == 1 ? std::optional(ntohl(parsed.s_addr)) : std::nullopt;
}

std::uint32_t place_of(const Lab& lab, const Node& node) {
  const auto at = std::find_if(lab.nodes.begin(), lab.nodes.end(), [&](const Node& one) { return one.name == node.name; });
  return static_cast<std::uint32_t>(at - lab.nodes.begin()) + 1;
}

Result<std::string> host_in(const Network& network, const Lab& lab, const Node& node) {
  const std::uint32_t host = kFirstHost + place_of(lab, node);
  const std::uint32_t broadcast = ~mask(network.prefix);
  if (host >= broadcast) {
    return Error{"network " + network.name + " (" + format_cidr(network) + ") is too small for the lab's nodes", "node " + node.name,
                 "give it a shorter prefix: nodes have the host numbers from " + std::to_string(kFirstHost + 1)};
  }
  return format_address(network.address + host);
}

Network management_of(int slot) {
  Network network{"management", kRange, kManagementPrefix};
  network.address += shift_of(network, slot);
  return network;
}

}  // namespace

Addresses addresses_of(const Lab& lab, int slot) {
  Addresses addresses{management_of(slot), lab.networks};
  for (Network& network : addresses.networks) {
    network.address += shift_of(network, slot);
  }
  return addresses;
}

Result<std::map<std::string, std::string>> addresses_of(const Lab& lab, const Node& node, int slot) {
  std::map<std::string, std::string> addresses;
  const auto fixed = parse_address(node.address);
  for (std::size_t i = 0; i < lab.networks.size(); ++i) {
    const Network& written = lab.networks[i];
    if (std::find(node.networks.begin(), node.networks.end(), written.name) == node.networks.end()) {
      continue;
    }
    Network network = written;
    network.address += shift_of(written, slot);
    if (fixed && (*fixed & mask(written.prefix)) == written.address) {
      addresses[written.name] = format_address(*fixed + shift_of(written, slot));
      continue;
    }
    auto host = host_in(network, lab, node);
    if (!host) {
      return host.error();
    }
    addresses[written.name] = *host;
  }
  return addresses;
}

Result<std::string> management_address(const Lab& lab, const Node& node, int slot) { return host_in(management_of(slot), lab, node); }

bool overlap(const Network& one, const Network& other) {
  const std::uint32_t shorter = mask(std::min(one.prefix, other.prefix));
  return (one.address & shorter) == (other.address & shorter);
}

std::string format_address(std::uint32_t address) {
  return std::to_string(address >> 24U) + "." + std::to_string(address >> 16U & 255U) + "." + std::to_string(address >> 8U & 255U) + "." +
         std::to_string(address & 255U);
}

std::string format_cidr(const Network& network) { return format_address(network.address) + "/" + std::to_string(network.prefix); }

std::optional<Network> parse_cidr(std::string_view text) {
  const auto slash = text.find('/');
  const auto address = slash == std::string_view::npos ? std::nullopt : parse_address(std::string(text.substr(0, slash)));
  Network network;
  if (!address || std::from_chars(text.data() + slash + 1, text.data() + text.size(), network.prefix).ec != std::errc{} ||
      network.prefix > 32) {
    return std::nullopt;
  }
  network.address = *address & mask(network.prefix);
  return network;
}

}  // namespace lab::providers::container
