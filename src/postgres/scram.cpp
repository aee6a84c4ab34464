#include "postgres/scram.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <array>
#include <charconv>
#include <optional>

namespace lab::postgres {

namespace {

constexpr int kMostIterations = 1'000'000;
constexpr std::size_t kNonceBytes = 18;
constexpr const char* kHeader = "n,,";       // gs2: no channel binding, no other identity
constexpr const char* kBinding = "c=biws,";  // its Base64

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

const unsigned char* bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
std::string_view text(const Digest& digest) { return {reinterpret_cast<const char*>(digest.data()), digest.size()}; }

Digest hmac(std::string_view key, std::string_view message) {
  Digest digest{};
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes(message), message.size(), digest.data(), nullptr);
  return digest;
}

std::string base64(std::string_view plain) {
  std::string coded(4 * ((plain.size() + 2) / 3) + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(coded.data()), bytes(plain), static_cast<int>(plain.size()));
  coded.resize(static_cast<std::size_t>(length));
  return coded;
}

std::optional<std::string> from_base64(std::string_view coded) {
  std::string plain(coded.size() / 4 * 3 + 3, '\0');
  const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(plain.data()), bytes(coded), static_cast<int>(coded.size()));
  if (length < 0 || coded.empty()) {
    return std::nullopt;
  }
  const auto padding = static_cast<std::size_t>(coded.ends_with("==") ? 2 : coded.ends_with("=") ? 1 : 0);
  plain.resize(static_cast<std::size_t>(length) - padding);
  return plain;
}

// The value of "x=…" in a comma-separated list.
std::string_view attribute(std::string_view list, char name) {
  for (std::size_t at = 0; at < list.size();) {
    const auto end = std::min(list.find(',', at), list.size());
    if (end - at >= 2 && list[at] == name && list[at + 1] == '=') {
      return list.substr(at + 2, end - at - 2);
    }
    at = end + 1;
  }
  return {};
}

Error refuse(const char* why) { return Error{std::string("SCRAM-SHA-256: ") + why, {}, {}, {}}; }

}  // namespace

std::string Scram::client_first() const { return kHeader + std::string("n=") + user_ + ",r=" + nonce_; }

Result<std::string> Scram::client_final(std::string_view server_first) {
  const std::string_view nonce = attribute(server_first, 'r');
  const auto salt = from_base64(attribute(server_first, 's'));
  const std::string_view count = attribute(server_first, 'i');
  int iterations = 0;
  std::from_chars(count.data(), count.data() + count.size(), iterations);
  if (nonce.size() <= nonce_.size() || !nonce.starts_with(nonce_)) {
    return refuse("the server does not continue our nonce");
  }
  if (!salt || iterations < 1 || iterations > kMostIterations) {
    return refuse("the server's first message has no salt, or too many iterations");
  }
  Digest salted{};
  PKCS5_PBKDF2_HMAC(password_.data(), static_cast<int>(password_.size()), bytes(*salt), static_cast<int>(salt->size()), iterations,
                    EVP_sha256(), static_cast<int>(salted.size()), salted.data());
  const Digest client_key = hmac(text(salted), "Client Key");
  Digest stored_key{};
  SHA256(client_key.data(), client_key.size(), stored_key.data());
  const std::string without_proof = kBinding + std::string("r=") + std::string(nonce);
  const std::string signed_text = client_first().substr(3) + "," + std::string(server_first) + "," + without_proof;
  Digest proof = hmac(text(stored_key), signed_text);
  for (std::size_t i = 0; i < proof.size(); ++i) {
    proof[i] = static_cast<unsigned char>(proof[i] ^ client_key[i]);
  }
  server_signature_ = text(hmac(text(hmac(text(salted), "Server Key")), signed_text));
  return without_proof + ",p=" + base64(text(proof));
}

Result<void> Scram::verify(std::string_view server_final) const {
  const auto signature = from_base64(attribute(server_final, 'v'));
  const bool same = signature && !server_signature_.empty() && signature->size() == server_signature_.size() &&
                    CRYPTO_memcmp(signature->data(), server_signature_.data(), signature->size()) == 0;
  return same ? Result<void>() : Result<void>(refuse("the server does not prove that it knows the password"));
}

std::string make_nonce() {
  std::array<unsigned char, kNonceBytes> random{};
  RAND_bytes(random.data(), static_cast<int>(random.size()));
  return base64({reinterpret_cast<const char*>(random.data()), random.size()});
}

}  // namespace lab::postgres
