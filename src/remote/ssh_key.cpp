#include "remote/ssh_key.hpp"

#include <openssl/evp.h>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

namespace lab::remote {
namespace {

constexpr std::size_t kSha256 = 32;
constexpr std::string_view kBegin = "-----BEGIN OPENSSH PRIVATE KEY-----";
constexpr std::string_view kEnd = "-----END OPENSSH PRIVATE KEY-----";
constexpr std::string_view kMagic{"openssh-key-v1\0", 15};
constexpr const char* kRemedy = "make one with `ssh-keygen -t ed25519 -N ''` and give its file";

std::optional<std::string> decode_base64(std::string_view text) {
  std::string packed;
  for (const char c : text) {
    if (c != '\n' && c != '\r') {
      packed.push_back(c);
    }
  }
  std::string bytes(packed.size() / 4 * 3 + 3, '\0');
  const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()), reinterpret_cast<const unsigned char*>(packed.data()),
                                     static_cast<int>(packed.size()));
  if (length < 0) {
    return std::nullopt;
  }
  bytes.resize(static_cast<std::size_t>(length));
  return bytes;
}

// Reads the length-prefixed strings of RFC 4251 section 5.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}
  std::uint32_t number() {
    if (bytes_.size() < 4) {
      bytes_ = {};
      return 0;
    }
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) {
      value = value << 8 | static_cast<unsigned char>(bytes_[static_cast<std::size_t>(i)]);
    }
    bytes_.remove_prefix(4);
    return value;
  }
  std::string_view text() {
    const std::size_t length = std::min<std::size_t>(number(), bytes_.size());
    const std::string_view value = bytes_.substr(0, length);
    bytes_.remove_prefix(length);
    return value;
  }

 private:
  std::string_view bytes_;
};

}  // namespace

std::string fingerprint(const char* sha256) {
  std::string text(4 * ((kSha256 + 2) / 3) + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), reinterpret_cast<const unsigned char*>(sha256), kSha256);
  text.resize(static_cast<std::size_t>(length));
  return "SHA256:" + text.substr(0, text.find('='));
}

std::string key_line(std::string_view blob) {
  std::string text(4 * ((blob.size() + 2) / 3) + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), reinterpret_cast<const unsigned char*>(blob.data()),
                                     static_cast<int>(blob.size()));
  text.resize(static_cast<std::size_t>(length));
  return std::string(WireReader(blob).text()) + " " + text;
}

Result<void> check_private_key(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) {
    return system_error("open key " + file.string(), errno, kRemedy);
  }
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  const auto begin = text.find(kBegin);
  const auto end = text.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos || end < begin) {
    const bool rsa = text.find("RSA PRIVATE KEY") != std::string::npos;
    return Error{
        file.string() + (rsa ? " is an RSA key; only ed25519 keys work here" : " is no private key in OpenSSH's format"), {}, kRemedy, {}};
  }
  const auto bytes = decode_base64(std::string_view(text).substr(begin + kBegin.size(), end - begin - kBegin.size()));
  if (!bytes || !bytes->starts_with(kMagic)) {
    return Error{file.string() + " is damaged", {}, kRemedy, {}};
  }
  WireReader fields(std::string_view(*bytes).substr(kMagic.size()));
  const std::string_view cipher = fields.text();
  fields.text();    // the key derivation's name
  fields.text();    // and its options
  fields.number();  // how many keys
  const std::string type(WireReader(fields.text()).text());
  if (type != "ssh-ed25519") {
    return Error{file.string() + " is an " + (type == "ssh-rsa" ? "RSA" : type) + " key; only ed25519 keys work here", {}, kRemedy, {}};
  }
  if (cipher != "none") {
    return Error{file.string() + " is protected by a passphrase, and nobody is there to type it", {}, kRemedy, {}};
  }
  return {};
}

}  // namespace lab::remote
