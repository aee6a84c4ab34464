#include "roles/gateway/networks.hpp"

#include <arpa/inet.h>
#include <algorithm>
#include <charconv>
#include <cstring>

namespace lab::gateway {

namespace {

constexpr int kMapped = 96;  // bits before an IPv4 address in its IPv6 form

bool same_bits(const std::array<unsigned char, 16>& a, const std::array<unsigned char, 16>& b, int bits) {
  const auto whole = static_cast<std::size_t>(bits / 8);
  const int rest = bits % 8;
  if (!std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(whole), b.begin())) {
    return false;
  }
  return rest == 0 || (a[whole] >> (8 - rest)) == (b[whole] >> (8 - rest));
}

}  // namespace

bool Networks::read(std::string_view text, Bytes& address, bool& is_v4) {
  const std::string terminated(text);
  in_addr v4{};
  is_v4 = inet_pton(AF_INET, terminated.c_str(), &v4) == 1;
  if (!is_v4) {
    return inet_pton(AF_INET6, terminated.c_str(), address.data()) == 1;
  }
  address = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  std::memcpy(address.data() + 12, &v4, sizeof v4);
  return true;
}

Result<Networks> Networks::parse(const std::vector<std::string>& texts) {
  Networks all;
  for (const std::string& text : texts) {
    const auto slash = text.find('/');
    Network network{};
    bool is_v4 = false;
    bool good = read(std::string_view{text}.substr(0, slash), network.address, is_v4);
    network.prefix = 128;
    if (slash != std::string::npos) {
      const char* const end = text.data() + text.size();
      const auto [stop, bad] = std::from_chars(text.data() + slash + 1, end, network.prefix);
      good = good && bad == std::errc{} && stop == end && network.prefix >= 0 && network.prefix <= (is_v4 ? 32 : 128);
      network.prefix += is_v4 ? kMapped : 0;
    }
    if (!good) {
      return Error{"\"" + text + "\" is no network", {}, "write ADDRESS/PREFIX, for example 10.0.0.0/8 or ::1", {}, Failure::usage};
    }
    all.networks_.push_back(network);
  }
  return all;
}

bool Networks::contains(std::string_view text) const {
  Bytes address{};
  bool is_v4 = false;
  return !networks_.empty() && read(text, address, is_v4) && std::any_of(networks_.begin(), networks_.end(), [&](const Network& network) {
    return same_bits(address, network.address, network.prefix);
  });
}

}  // namespace lab::gateway
