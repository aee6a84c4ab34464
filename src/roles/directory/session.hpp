// The protocol of one connection, without its I/O: requests in, bytes of responses out.
#pragma once

#include "counters.hpp"
#include "password.hpp"
#include "search.hpp"
#include "tree.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lab::directory {

class Session {
 public:
  enum class Next { request, search, close };  // what comes: another request, more of a search, the end

  Session(const Tree& tree, PasswordChecker& passwords, Counters& counters) : tree_(tree), passwords_(passwords), counters_(counters) {}

  // One whole message, as ldap::frame() delimits it.
  Next handle(std::string_view message, std::string& out, std::int64_t now_ns);
  // More of the search that handle() began: about 64 KiB of entries, or 2,000 looked at.
  Next go_on(std::string& out, std::int64_t now_ns);

  // RFC 4511 section 4.4.1; the connection ends after it.
  static void notice_of_disconnection(std::string& out, ldap::ResultCode code, const std::string& why);

 private:
  struct Operations;  // one overload a request

  Next answer(ber::Tag response, const ldap::Outcome& outcome);
  ldap::Outcome bind(const ldap::BindRequest& request);
  ldap::Outcome compare(const ldap::CompareRequest& request) const;
  Next extended(const ldap::ExtendedRequest& request);

  const Tree& tree_;
  PasswordChecker& passwords_;
  Counters& counters_;
  std::string* out_ = nullptr;  // while a request is handled
  std::int32_t id_ = 0;         // of the request that is handled
  std::int64_t now_ns_ = 0;
  std::string identity_;  // DN; empty: anonymous
  std::optional<Search> search_;
};

}  // namespace lab::directory
