// Stored passwords: {SSHA}, {SHA} and their SHA-2 relatives, {CRYPT} (RFC 2307), and clear text; compared in constant time.
#pragma once

#include <string>
#include <string_view>

using EVP_MD_CTX = struct evp_md_ctx_st;
using EVP_MD = struct evp_md_st;

namespace lab::directory {

// Whether a value of userPassword can be checked: its scheme is known, and what follows is well formed. Clear text always is.
bool is_usable_password(std::string_view stored);

// Makes and checks passwords; holds what OpenSSL wants set up once. One a thread.
class PasswordChecker {
 public:
  PasswordChecker();
  ~PasswordChecker();
  PasswordChecker(const PasswordChecker&) = delete;
  PasswordChecker& operator=(const PasswordChecker&) = delete;

  bool matches(std::string_view stored, std::string_view given);
  std::string make_ssha(std::string_view password, std::string_view salt);  // "{SSHA}…"

 private:
  std::string_view digest(const EVP_MD* algorithm, std::string_view password, std::string_view salt);
  bool digest_matches(const EVP_MD* algorithm, std::string_view encoded, std::string_view given);

  EVP_MD* algorithms_[4];
  EVP_MD_CTX* context_;
  unsigned char digest_[64];
};

}  // namespace lab::directory
