// Other people's gateways under the configuration that ours has: what differs between them. gateway.hpp runs them.
#pragma once

#include "lab/error.hpp"
#include "lab/roles.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lab::peers {

struct PeerCounters {
  std::uint64_t requests = 0;  // answered, of the service itself only
  std::uint64_t retries = 0;   // to back ends
};

class Peer {
 public:
  virtual ~Peer() = default;
  // Name of the file in the peer's folder to its text; they may hold keys. Errors name what the program has no words for.
  virtual Result<std::vector<std::pair<std::string, std::string>>> files(const GatewayConfig& config) const = 0;
  virtual std::vector<std::string> command() const = 0;  // run in the peer's folder
  // Where its standard output goes: a log file, or nothing.
  virtual std::string output(const GatewayConfig& config) const = 0;
  // What it answers on the socket kStatusSocket of its folder.
  virtual std::string status_request() const = 0;
  virtual Result<PeerCounters> counters(const std::string& answer, std::uint64_t asked) const = 0;  // asked: how often, this one included
  virtual int flush_signal() const = 0;  // makes it write its log; 0: it does not keep lines back
};

inline constexpr const char* kStatusSocket = "status.sock";

std::unique_ptr<Peer> make_nginx();
std::unique_ptr<Peer> make_haproxy();
std::unique_ptr<Peer> make_peer(Software software);  // null: none of theirs

// What a gateway of that kind cannot do of the configuration; nothing when it can do all of it.
Result<void> check_peer(const GatewayConfig& config);

}  // namespace lab::peers
