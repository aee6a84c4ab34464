// What all connections of one thread stand on, and what all threads read.
#pragma once

#include "lab/roles.hpp"
#include "net/loop.hpp"
#include "roles/gateway/access.hpp"
#include "roles/gateway/authenticator.hpp"
#include "roles/gateway/backend.hpp"
#include "roles/gateway/buffer.hpp"
#include "roles/gateway/request_log.hpp"
#include "roles/gateway/sessions.hpp"
#include "roles/gateway/statistics.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace lab::gateway {

// webseal.md: client limits and back-end connections.
struct Timeouts {
  std::chrono::nanoseconds head = std::chrono::seconds{120};     // from a head's first byte (or the accept) to its end
  std::chrono::nanoseconds fragment = std::chrono::seconds{60};  // between two reads from, or writes to, a client
  std::chrono::nanoseconds idle = std::chrono::seconds{60};      // between two requests
  std::chrono::nanoseconds connect = std::chrono::seconds{30};   // to a server
  std::chrono::nanoseconds backend = std::chrono::seconds{120};  // without any progress of an exchange
  std::chrono::nanoseconds linger = std::chrono::seconds{2};     // for a client to read a last answer
  std::chrono::nanoseconds drain = std::chrono::seconds{30};     // for requests under way at the end
};

// The same for all threads, unchanging but for the sessions, which lock themselves.
struct Site {
  Site(GatewayConfig settings, Junctions resolved, const Timeouts& limits);

  GatewayConfig config;
  Junctions junctions;
  AccessRules access;
  Timeouts timeouts;
  PrincipalPtr unauthenticated = make_unauthenticated();
  mutable Sessions sessions;
};

struct ThreadContext {
  ThreadContext(net::Loop& events, const Site& all, LogWriter& writer);

  std::string_view http_date();  // of now, made once a second

  net::Loop& loop;
  const Site& site;
  BlockPool blocks;
  std::vector<std::unique_ptr<MountPool>> mounts;  // by Mount::index
  std::unique_ptr<Authenticator> authenticator;    // null: no directory
  ThreadLog log;
  Statistics statistics;
  bool draining = false;

 private:
  std::int64_t date_second_ = -1;
  std::string date_;
};

}  // namespace lab::gateway
