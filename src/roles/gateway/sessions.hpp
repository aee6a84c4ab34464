// Who has logged in: cookies to principals, shared by all threads since a client's next connection may land on another.
// Bounded: where a new session would be one too many, the one used longest ago goes.
#pragma once

#include "net/loop.hpp"
#include "roles/gateway/principal.hpp"

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lab::gateway {

enum class Transport { http, https };

class Sessions {
 public:
  struct Limits {
    std::size_t entries;
    net::Nanos lifetime, idle;
  };
  explicit Sessions(const Limits& limits);

  // A new id: 256 random bits, 43 characters of base64url.
  std::string create(PrincipalPtr principal, Transport transport, net::Nanos now);
  PrincipalPtr find(std::string_view id, Transport transport, net::Nanos now);  // null: unknown, expired, or of the other transport
  void remove(std::string_view id);
  std::size_t size() const;

 private:
  struct Session {
    std::string id;
    PrincipalPtr principal;
    Transport transport;
    net::Nanos created, used;
  };
  struct Shard {
    mutable std::mutex mutex;
    std::list<Session> by_use;  // the latest first
    std::unordered_map<std::string_view, std::list<Session>::iterator> by_id;
    void erase(std::list<Session>::iterator session);
  };
  Shard& shard_of(std::string_view id);

  Limits limits_;  // entries: of one shard
  std::vector<std::unique_ptr<Shard>> shards_;
};

std::string_view session_cookie_name(Transport transport);  // PD-H-SESSION-ID, PD-S-SESSION-ID
// The value of the transport's session cookie in a Cookie header, or nothing.
std::string_view session_id_in(std::string_view cookies, Transport transport);
// A Cookie header without the gateway's own cookies; may be empty.
std::string without_session_cookies(std::string_view cookies);
std::string set_cookie_line(Transport transport, std::string_view id);  // "Set-Cookie: …\r\n"

}  // namespace lab::gateway
