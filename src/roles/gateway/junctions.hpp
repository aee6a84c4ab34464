// Junctions as resolved at the start: mount points, servers with their addresses, TLS contexts. Read by all threads.
#pragma once

#include "lab/error.hpp"
#include "lab/roles.hpp"
#include "net/socket.hpp"
#include "net/tls.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lab::gateway {

inline constexpr std::size_t kMaxServers = 64;  // of one junction

struct Server {
  std::string host;  // name or address, for TLS
  net::Address address;
  std::string host_header;  // -v, or host:port without the default port
};

struct Mount {
  std::size_t index = 0;  // in Junctions::all()
  std::string point;      // without '/' at its end: "/app", "" for the root
  Junction junction;
  std::vector<Server> servers;
  net::TlsContext tls;  // ssl junctions
};

class Junctions {
 public:
  // Resolves servers and loads certificates; errors name the junction.
  static Result<Junctions> resolve(const std::vector<Junction>& junctions);

  const Mount* find(std::string_view path) const;  // the longest mount point at or above it
  const std::vector<Mount>& all() const { return mounts_; }

 private:
  std::vector<Mount> mounts_;  // the longest point first
};

}  // namespace lab::gateway
