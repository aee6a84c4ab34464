// Who has logged in: cookies to principals, shared by all threads since a client's next connection may land on another.
// Bounded: where a new session would be one too many, the one used longest ago goes.
#pragma once

#include "net/loop.hpp"
#include "roles/gateway/kept_request.hpp"
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

  struct Found {
    PrincipalPtr principal;  // null: unknown, expired, or of the other transport
    KeptPtr kept;            // a request from before the login that is still to be made
  };

  // A new id.
  std::string create(PrincipalPtr principal, Transport transport, net::Nanos now, KeptPtr kept = nullptr);
  Found find(std::string_view id, Transport transport, net::Nanos now);
  KeptPtr take_kept(std::string_view id);  // null: there is none any more
  void remove(std::string_view id);
  std::size_t size() const;

 private:
  struct Session {
    std::string id;
    PrincipalPtr principal;
    Transport transport;
    net::Nanos created, used;
    KeptPtr kept;
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

std::string random_session_id();  // 256 random bits, 43 characters of base64url

std::string_view session_cookie_name(Transport transport);  // PD-H-SESSION-ID, PD-S-SESSION-ID
// Calls visit(name, value, pair) for each cookie of a Cookie header, until it returns false.
template <class Visit>
void each_cookie(std::string_view cookies, const Visit& visit);
// A Cookie header without the gateway's own cookies; may be empty. `keep_sessions`: -k.
std::string without_own_cookies(std::string_view cookies, bool keep_sessions);
bool has_own_cookie(std::string_view cookies);  // possibly: a quick look

std::string set_session_line(Transport transport, std::string_view id);  // "Set-Cookie: …\r\n"
std::string end_session_line(Transport transport);                       // the same, expired

inline constexpr std::string_view kStatefulCookie = "PD_STATEFUL_";  // followed by the junction's fingerprint
inline constexpr std::string_view kJunctionCookie = "IV_JCT";

// ---- of each_cookie

namespace cookie_text {
std::string_view trim(std::string_view text);
}

template <class Visit>
void each_cookie(std::string_view cookies, const Visit& visit) {
  while (!cookies.empty()) {
    const auto end = cookies.find(';');
    const std::string_view pair = cookie_text::trim(cookies.substr(0, end));
    const auto equals = pair.find('=');
    const std::string_view value = equals == std::string_view::npos ? std::string_view{} : cookie_text::trim(pair.substr(equals + 1));
    if (!pair.empty() && !visit(cookie_text::trim(pair.substr(0, equals)), value, pair)) {
      return;
    }
    cookies = end == std::string_view::npos ? std::string_view{} : cookies.substr(end + 1);
  }
}

}  // namespace lab::gateway
