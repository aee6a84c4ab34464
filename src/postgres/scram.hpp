// The client's side of SCRAM-SHA-256 (RFC 5802, RFC 7677), without channel binding, without I/O.
#pragma once

#include "lab/error.hpp"

#include <string>
#include <string_view>

namespace lab::postgres {

inline constexpr const char* kScramSha256 = "SCRAM-SHA-256";

class Scram {
 public:
  // The nonce is printable, without commas, and used once. PostgreSQL takes the user's name from the startup message, and no look at this
  // one; it has no commas and equals signs.
  Scram(std::string user, std::string password, std::string nonce)
      : user_(std::move(user)), password_(std::move(password)), nonce_(std::move(nonce)) {}

  std::string client_first() const;
  // Errors: a nonce that is not ours continued, an iteration count outside 1 … 1,000,000, malformed.
  Result<std::string> client_final(std::string_view server_first);
  // The server knows the password, too.
  Result<void> verify(std::string_view server_final) const;

 private:
  std::string user_, password_, nonce_;
  std::string server_signature_;
};

// 18 random bytes in Base64.
std::string make_nonce();

}  // namespace lab::postgres
