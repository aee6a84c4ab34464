// Stored passwords: {SSHA}, {SHA} (RFC 2307) and clear text; compared in constant time.
#pragma once

#include "lab/error.hpp"

#include <memory>
#include <string>
#include <string_view>

using EVP_MD = struct evp_md_st;
using EVP_MD_CTX = struct evp_md_ctx_st;

namespace lab::directory {

struct Password {
  bool hashed = false;  // SHA-1 of password and salt; else clear
  std::string secret;   // 20 bytes of digest and the salt, or the password itself
};

// A value of userPassword. Schemes that nobody here can check are an error, base64 that is none as well.
Result<Password> parse_password(std::string_view stored);

// Makes and checks passwords; holds what OpenSSL wants set up once. One a thread.
class PasswordChecker {
 public:
  PasswordChecker();
  ~PasswordChecker();
  PasswordChecker(const PasswordChecker&) = delete;
  PasswordChecker& operator=(const PasswordChecker&) = delete;

  bool matches(const Password& stored, std::string_view given);
  std::string make_ssha(std::string_view password, std::string_view salt);  // "{SSHA}…"

 private:
  std::string sha1(std::string_view password, std::string_view salt);

  EVP_MD* sha1_;
  EVP_MD_CTX* context_;
};

}  // namespace lab::directory
