#include "password.hpp"

#include "ldap/text.hpp"

#include <crypt.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <stdexcept>

namespace lab::directory {

namespace {

constexpr const char* kAlgorithms[] = {"SHA1", "SHA256", "SHA384", "SHA512"};

struct Scheme {
  const char* name;
  std::size_t algorithm;  // in kAlgorithms
  std::size_t digest;     // bytes
  bool salted;
};
constexpr Scheme kSchemes[] = {
    {"SSHA", 0, 20, true},    {"SHA", 0, 20, false},    {"SSHA256", 1, 32, true}, {"SHA256", 1, 32, false},
    {"SSHA384", 2, 48, true}, {"SHA384", 2, 48, false}, {"SSHA512", 3, 64, true}, {"SHA512", 3, 64, false},
};

// "{SSHA}…": the scheme's name and what follows; nothing of clear text.
struct Stored {
  std::string_view scheme, secret;
};
std::optional<Stored> split(std::string_view stored) {
  const std::size_t brace = stored.starts_with('{') ? stored.find('}') : std::string_view::npos;
  return brace == std::string_view::npos ? std::nullopt : std::optional(Stored{stored.substr(1, brace - 1), stored.substr(brace + 1)});
}

const Scheme* find_scheme(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kSchemes), std::end(kSchemes), [&](const Scheme& one) { return ldap::equal_ignoring_case(one.name, name); });
  return found == std::end(kSchemes) ? nullptr : found;
}

std::string to_base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

constexpr std::size_t kMaxSecret = 256;  // bytes of digest and salt
using Secret = std::array<unsigned char, kMaxSecret>;

// Digest and salt; empty where it is no base64.
std::string_view from_base64(std::string_view text, Secret& into) {
  if (text.size() % 4 != 0 || text.size() / 4 * 3 > kMaxSecret) {
    return {};
  }
  const int size = EVP_DecodeBlock(into.data(), reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  const auto decoded = size < 0 ? std::size_t{0} : static_cast<std::size_t>(size);
  return {reinterpret_cast<const char*>(into.data()), decoded < padding ? 0 : decoded - padding};
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

bool crypt_matches(std::string_view stored, std::string_view given) {
  const auto data = std::make_unique<crypt_data>();
  const std::string setting(stored), phrase(given);
  const char* made = crypt_r(phrase.c_str(), setting.c_str(), data.get());
  return made != nullptr && phrase.find('\0') == std::string::npos && equal_in_constant_time(made, stored);
}

}  // namespace

bool is_usable_password(std::string_view stored) {
  const std::optional<Stored> parts = split(stored);
  if (!parts) {
    return true;
  }
  if (ldap::equal_ignoring_case(parts->scheme, "CRYPT")) {
    return !parts->secret.empty();
  }
  const Scheme* scheme = find_scheme(parts->scheme);
  Secret room;
  const std::size_t size = from_base64(parts->secret, room).size();
  return scheme != nullptr && (scheme->salted ? size > scheme->digest : size == scheme->digest);
}

PasswordChecker::PasswordChecker() : algorithms_(), context_(EVP_MD_CTX_new()), digest_() {
  for (std::size_t i = 0; i < std::size(kAlgorithms); ++i) {
    algorithms_[i] = EVP_MD_fetch(nullptr, kAlgorithms[i], nullptr);
    if (algorithms_[i] == nullptr || context_ == nullptr) {
      throw std::runtime_error(std::string("OpenSSL offers no ") + kAlgorithms[i]);
    }
  }
}

PasswordChecker::~PasswordChecker() {
  EVP_MD_CTX_free(context_);
  for (EVP_MD* algorithm : algorithms_) {
    EVP_MD_free(algorithm);
  }
}

std::string PasswordChecker::make_ssha(std::string_view password, std::string_view salt) {
  return "{SSHA}" + to_base64(std::string(digest(algorithms_[0], password, salt)) + std::string(salt));
}

std::string_view PasswordChecker::digest(const EVP_MD* algorithm, std::string_view password, std::string_view salt) {
  unsigned size = 0;
  EVP_DigestInit_ex(context_, algorithm, nullptr);
  EVP_DigestUpdate(context_, password.data(), password.size());
  EVP_DigestUpdate(context_, salt.data(), salt.size());
  EVP_DigestFinal_ex(context_, digest_, &size);
  return {reinterpret_cast<const char*>(digest_), size};
}

bool PasswordChecker::digest_matches(const EVP_MD* algorithm, std::string_view encoded, std::string_view given) {
  Secret room;
  const std::string_view secret = from_base64(encoded, room);
  const std::size_t size = std::min(static_cast<std::size_t>(EVP_MD_get_size(algorithm)), secret.size());
  return equal_in_constant_time(secret.substr(0, size), digest(algorithm, given, secret.substr(size)));
}

bool PasswordChecker::matches(std::string_view stored, std::string_view given) {
  const std::optional<Stored> parts = split(stored);
  if (parts && ldap::equal_ignoring_case(parts->scheme, "CRYPT")) {
    return crypt_matches(parts->secret, given);
  }
  if (const Scheme* scheme = parts ? find_scheme(parts->scheme) : nullptr; scheme != nullptr) {
    return digest_matches(algorithms_[scheme->algorithm], parts->secret, given);
  }
  // Digests have one length whatever was given, so that the comparison tells nothing of the password's.
  const std::string kept(digest(algorithms_[0], stored, {}));
  return equal_in_constant_time(kept, digest(algorithms_[0], given, {}));
}

}  // namespace lab::directory
