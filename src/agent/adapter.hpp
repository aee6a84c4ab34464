// Crypto adapters (CEX) of an IBM Z guest. OpenSSL reaches them through a provider, a shared object that wants the libcrypto of its process:
// a role that is to use one runs as the dynamically linked build beside it, with an OPENSSL_CONF of its own.
#pragma once

#include "lab/error.hpp"

#include <filesystem>
#include <string>

namespace lab::agent {

class Adapter {
 public:
  // `program` is the static one; the system's files are looked for under `system`.
  Adapter(const std::filesystem::path& program, std::filesystem::path system);

  // Why no role can use one here, one line; empty: they can.
  std::string why_not() const;
  // The dynamically linked program.
  const std::filesystem::path& program() const { return program_; }
  // Writes what OPENSSL_CONF is to name, for a provider that is called "ibmca".
  Result<void> configure(const std::filesystem::path& file) const;

 private:
  std::filesystem::path module() const;

  std::filesystem::path program_, system_;
};

}  // namespace lab::agent
