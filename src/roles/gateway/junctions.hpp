// Junctions as resolved: mount points, servers with their addresses, TLS contexts. A table is read by all threads and never changed;
// a changed one replaces it and shares with it what stayed the same.
#pragma once

#include "lab/error.hpp"
#include "lab/roles.hpp"
#include "net/loop.hpp"
#include "net/socket.hpp"
#include "net/tls.hpp"
#include "roles/gateway/path.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lab::gateway {

inline constexpr std::size_t kMaxServers = 64;  // of one junction

// As the administrator set it: a throttled server keeps the clients that are pinned to it and gets no others.
enum class ServerState : std::uint8_t { running, throttled, offline };

// What all threads know of a server, in whatever table.
struct ServerStatus {
  std::atomic<ServerState> state{ServerState::running};
  std::atomic<bool> down{false};  // so found by the last ping
  std::atomic<std::uint64_t> requests{0};
};

struct JunctionStatus {
  std::atomic<unsigned> active{0};        // requests under way
  std::atomic<net::Nanos> warned{0};      // of the soft limit, when last
  std::atomic<std::uint64_t> refused{0};  // for the hard limit
};

struct Server {
  std::string uuid;  // drawn from junction, host and port: the same after a restart
  Endpoint endpoint;
  std::string host;  // name or address, for TLS
  net::Address address;
  std::string host_header;  // -v, or host:port without the default port
  std::shared_ptr<ServerStatus> status;
};

struct Mount {
  std::string name;   // its point, or its virtual host
  std::string point;  // without '/' at its end: "/app", "" for the root
  Junction junction;
  std::vector<Server> servers;
  net::TlsContext tls;                     // ssl junctions
  std::string stateful_cookie;             // -s: the name of the cookie that pins
  std::string login;                       // -B: the value of Authorization
  std::map<std::string, std::string> gso;  // -b gso: user to value of Authorization
  std::shared_ptr<JunctionStatus> status;
};
using MountPtr = std::shared_ptr<const Mount>;

class Junctions {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // Resolves servers and loads certificates; errors name the junction. What did not change is taken from `earlier`.
  static Result<Junctions> resolve(const std::vector<Junction>& junctions, const Junctions* earlier = nullptr);

  // The index of the longest mount point at or above `path`, of the virtual host if there is one for `host`.
  std::size_t find(std::string_view host, std::string_view path) const;
  std::size_t find_name(std::string_view name) const;
  const std::vector<MountPtr>& all() const { return mounts_; }

 private:
  std::vector<MountPtr> mounts_;  // virtual hosts, then the longest point first
  std::size_t virtual_hosts_ = 0;
};

// As `lab junction` and messages name it: the mount point without '/' at its end, "/" for the root, or the virtual host.
std::string name_of(const Junction& junction);

Letters letters_of(const Mount& mount);

}  // namespace lab::gateway
