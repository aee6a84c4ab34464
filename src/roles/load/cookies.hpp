// The cookies of one client, as a user agent keeps them (RFC 6265); of one host, so without domains.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lab::load {

class CookieJar {
 public:
  static constexpr std::size_t kMost = 50;       // cookies (RFC 6265 section 6.1); further ones are not kept
  static constexpr std::size_t kLongest = 4096;  // bytes of name and value

  // A Set-Cookie header of a response to `path`. Max-Age ≤ 0 or a past Expires takes the cookie out.
  void take(std::string_view set_cookie, std::string_view path);
  // What the Cookie header says in a request for `path`; empty: there is none to send.
  std::string header(std::string_view path, bool secure) const;
  // A gateway's session is kept: PD-…-SESSION-ID.
  bool has_session() const;
  bool empty() const { return cookies_.empty(); }
  void clear() {
    cookies_.clear();
    ++changes_;
  }
  std::uint64_t changes() const { return changes_; }  // grows with each

 private:
  struct Cookie {
    std::string name, value, path;
    bool secure = false;
  };
  std::vector<Cookie> cookies_;
  std::uint64_t changes_ = 0;
};

}  // namespace lab::load
