#include "password.hpp"

#include "ldap/text.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <array>
#include <stdexcept>

namespace lab::directory {

namespace {

constexpr std::size_t kDigest = 20;

std::string to_base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

std::string from_base64(std::string_view text) {
  std::string bytes(text.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()), reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  const auto decoded = size < 0 ? std::size_t{0} : static_cast<std::size_t>(size);
  bytes.resize(decoded < padding ? 0 : decoded - padding);
  return bytes;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

Result<Password> parse_password(std::string_view stored) {
  const std::size_t brace = stored.starts_with('{') ? stored.find('}') : std::string_view::npos;
  if (brace == std::string_view::npos) {
    return Password{false, std::string(stored)};
  }
  const std::string scheme(stored.substr(1, brace - 1));
  const bool salted = ldap::equal_ignoring_case(scheme, "SSHA");
  if (!salted && !ldap::equal_ignoring_case(scheme, "SHA")) {
    return Error{"a password of the unknown scheme {" + scheme + '}', {}, "store it as {SSHA}, {SHA} or in clear", {}, Failure::usage};
  }
  Password password{true, from_base64(stored.substr(brace + 1))};
  const bool fits = salted ? password.secret.size() > kDigest : password.secret.size() == kDigest;
  if (!fits) {
    return Error{"a damaged {" + scheme + "} password", {}, "make it anew with slappasswd", {}, Failure::usage};
  }
  return password;
}

PasswordChecker::PasswordChecker() : sha1_(EVP_MD_fetch(nullptr, "SHA1", nullptr)), context_(EVP_MD_CTX_new()) {
  if (sha1_ == nullptr || context_ == nullptr) {
    throw std::runtime_error("OpenSSL offers no SHA-1");
  }
}

PasswordChecker::~PasswordChecker() {
  EVP_MD_CTX_free(context_);
  EVP_MD_free(sha1_);
}

std::string PasswordChecker::make_ssha(std::string_view password, std::string_view salt) {
  return "{SSHA}" + to_base64(sha1(password, salt) + std::string(salt));
}

std::string PasswordChecker::sha1(std::string_view password, std::string_view salt) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_DigestInit_ex(context_, sha1_, nullptr);
  EVP_DigestUpdate(context_, password.data(), password.size());
  EVP_DigestUpdate(context_, salt.data(), salt.size());
  EVP_DigestFinal_ex(context_, digest.data(), &size);
  return {reinterpret_cast<const char*>(digest.data()), size};
}

bool PasswordChecker::matches(const Password& stored, std::string_view given) {
  if (!stored.hashed) {
    // Digests have one length whatever was given, so that the comparison tells nothing of the password's.
    return equal_in_constant_time(sha1(stored.secret, {}), sha1(given, {}));
  }
  const std::string_view secret = stored.secret;
  return equal_in_constant_time(secret.substr(0, kDigest), sha1(given, secret.substr(kDigest)));
}

}  // namespace lab::directory
