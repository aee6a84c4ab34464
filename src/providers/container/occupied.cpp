#include "providers/container/occupied.hpp"

#include "providers/container/addresses.hpp"

#include <arpa/inet.h>
#include <bit>
#include <boost/json.hpp>
#include <sstream>

namespace lab::providers::container {

namespace {

namespace json = boost::json;

void collect(const json::value& value, std::vector<Network>& into) {
  if (const auto* const list = value.if_array()) {
    for (const json::value& one : *list) {
      collect(one, into);
    }
  }
  for (const auto& [key, one] : value.is_object() ? value.get_object() : json::object()) {
    const bool subnet = (key == "subnet" || key == "Subnet") && one.is_string();
    if (const auto network = subnet ? parse_cidr(one.get_string()) : std::nullopt) {
      into.push_back(*network);
    }
    collect(one, into);
  }
}

}  // namespace

std::vector<Network> subnets_in(std::string_view inspected) {
  boost::system::error_code failed;
  const json::value value = json::parse(inspected, failed);
  std::vector<Network> networks;
  if (!failed) {
    collect(value, networks);
  }
  return networks;
}

// Iface Destination Gateway Flags RefCnt Use Metric Mask …: addresses in network byte order, printed as this host's numbers.
std::vector<Network> routes_in(std::string_view routes) {
  std::vector<Network> networks;
  std::istringstream lines{std::string(routes)};
  std::string line;
  std::getline(lines, line);  // the heading
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string interface, gateway, flags, count, use, metric;
    std::uint32_t destination = 0, mask = 0;
    fields >> interface >> std::hex >> destination >> gateway >> flags >> count >> use >> metric >> mask;
    if (fields && mask != 0) {
      networks.push_back({interface, ntohl(destination), std::popcount(mask)});
    }
  }
  return networks;
}

}  // namespace lab::providers::container
