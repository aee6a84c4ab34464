// Lists of networks, as policies and trusted proxies name them: "10.0.0.0/8", "2001:db8::/32", "127.0.0.1".
#pragma once

#include "lab/error.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace lab::gateway {

class Networks {
 public:
  static Result<Networks> parse(const std::vector<std::string>& texts);  // usage errors name the text

  bool empty() const { return networks_.empty(); }
  bool contains(std::string_view address) const;  // numeric, without a port; false for what is no address

 private:
  using Bytes = std::array<unsigned char, 16>;  // IPv4 as ::ffff:a.b.c.d
  struct Network {
    Bytes address;
    int prefix;
  };
  static bool read(std::string_view text, Bytes& address, bool& is_v4);

  std::vector<Network> networks_;
};

}  // namespace lab::gateway
