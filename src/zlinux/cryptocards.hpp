// Crypto Express adapters as lszcrypt(8) lists them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lab::zlinux {

struct CryptoCard {
  std::string id;    // "01"
  std::string type;  // "CEX7A"
  std::string mode;  // "Accelerator", "CCA-Coproc"
  bool online = false;
  std::uint64_t requests = 0;

  // RSA in clear key, what TLS handshakes want: accelerators and CCA coprocessors do it.
  bool does_rsa() const { return mode == "Accelerator" || mode.starts_with("CCA"); }
};

// The cards of `lszcrypt`, without their domains. What is no such list has none.
std::vector<CryptoCard> parse_lszcrypt(std::string_view text);

// Why no card of these can serve a process; empty: one can.
std::string why_no_card(const std::vector<CryptoCard>& cards);

}  // namespace lab::zlinux
