// Keys and fingerprints as OpenSSH writes them.
#pragma once

#include "lab/error.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace lab::remote {

// "SHA256:…" of 32 bytes of hash, as ssh-keygen -lf prints it: Base64 without padding.
std::string fingerprint(const char* sha256);

// "ssh-ed25519 AAAA…" of a public key on the wire (RFC 4253 section 6.6), which begins with its type.
std::string key_line(std::string_view blob);

// Whether the file is an unencrypted ed25519 key in OpenSSH's format (its PROTOCOL.key); errors say what it is instead.
Result<void> check_private_key(const std::filesystem::path& file);

}  // namespace lab::remote
