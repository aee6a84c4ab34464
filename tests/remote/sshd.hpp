// A private OpenSSH server on a loopback port, as the user who runs the tests, with keys of its own.
#pragma once

#include "remote/process.hpp"
#include "remote/remote.hpp"

#include <filesystem>
#include <string>

namespace lab::test {

class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::uint16_t free_port();
void write_file(const std::filesystem::path& path, const std::string& text);
std::string read_file(const std::filesystem::path& path);

class Sshd {
 public:
  // More configuration lines may be given; they come first, and the first one wins.
  explicit Sshd(const std::string& more = {});
  Sshd(const Sshd&) = delete;
  Sshd& operator=(const Sshd&) = delete;
  ~Sshd();

  const remote::Target& target() const { return target_; }
  const std::filesystem::path& folder() const { return folder_.path(); }
  const remote::ProcessIdentity& process() const { return process_; }

 private:
  TemporaryFolder folder_;
  remote::Target target_;
  remote::ProcessIdentity process_;
  int log_ = -1;
};

// The fingerprint of the new key pair.
std::string make_key(const std::filesystem::path& file, const std::string& type = "ed25519");

}  // namespace lab::test
