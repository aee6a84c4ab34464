#include "config/addresses.hpp"

#include <algorithm>
#include <charconv>

namespace lab::config {

std::optional<std::uint32_t> parse_address(std::string_view text) {
  std::uint32_t address = 0;
  for (int part = 0; part < 4; ++part) {
    const std::size_t dot = part < 3 ? text.find('.') : text.size();
    if (dot == std::string_view::npos) {
      return std::nullopt;
    }
    const std::string_view digits = text.substr(0, dot);
    std::uint8_t byte = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte);
    if (error != std::errc{} || end != digits.data() + digits.size() || (digits.size() > 1 && digits.front() == '0')) {
      return std::nullopt;
    }
    address = address << 8U | byte;
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return address;
}

std::string format_address(std::uint32_t address) {
  return std::to_string(address >> 24U) + "." + std::to_string(address >> 16U & 255U) + "." + std::to_string(address >> 8U & 255U) + "." +
         std::to_string(address & 255U);
}

std::uint32_t mask_of(int prefix) { return ~std::uint32_t{0} << static_cast<unsigned>(32 - prefix); }

bool contains(const Network& network, std::uint32_t address) { return (address & mask_of(network.prefix)) == network.address; }

bool is_host(const Network& network, std::uint32_t address) {
  return contains(network, address) && address != network.address && address != (network.address | ~mask_of(network.prefix));
}

bool overlap(const Network& a, const Network& b) {
  const std::uint32_t mask = mask_of(std::min(a.prefix, b.prefix));
  return (a.address & mask) == (b.address & mask);
}

std::string format_network(const Network& network) { return format_address(network.address) + "/" + std::to_string(network.prefix); }

}  // namespace lab::config
