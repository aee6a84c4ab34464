// Reaching a node: five verbs over one transport. src/remote/ssh.cpp implements it with libssh2; tests with local processes.
#pragma once

#include "lab/error.hpp"
#include "lab/units.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace lab::remote {

struct Target {
  std::string node;     // for messages
  std::string address;  // numeric
  std::uint16_t port = 22;
  std::string user;
  std::filesystem::path private_key;  // ed25519, OpenSSH format
  std::string host_key;               // pinned: "SHA256:…", as ssh-keygen -lf prints it; checked on every connection
};

struct Output {
  int exit = 0;  // 128 + n when ended by signal n
  std::string out, err;
};

// A running command's standard streams. Used by one thread, but for wake() and abort(). It must not outlive its Remote.
class Channel {
 public:
  virtual ~Channel() = default;
  virtual Result<void> write(std::string_view bytes, Deadline deadline) = 0;
  // Waits for at least one byte of standard output; an empty string is the end; nothing when woken, or at the deadline.
  virtual Result<std::optional<std::string>> read(Deadline deadline) = 0;
  virtual std::string errors() const = 0;  // what came on standard error so far, its first 64 KiB
  virtual void wake() = 0;                 // from any thread: the read that waits, or else the next one, returns nothing
  virtual void abort() = 0;                // from any thread: reads and writes fail at once, from now on
};

// Used by one thread. A verb that meets its deadline ends the connection: what follows fails.
class Remote {
 public:
  virtual ~Remote() = default;
  // Runs a shell command. An exit code other than 0 is not an error here; what the caller makes of it is. Output is bounded (1 MiB each).
  virtual Result<Output> exec(const std::string& command, std::string_view input, Deadline deadline) = 0;
  // By SFTP: into "<to>.part", size and SHA-256 checked, fsync, renamed. Skipped (false) when a file of that size and SHA-256 is there.
  virtual Result<bool> upload(const std::filesystem::path& from, const std::string& to, int mode, Deadline deadline) = 0;
  virtual Result<void> download(const std::string& from, const std::filesystem::path& to, Deadline deadline) = 0;
  virtual Result<std::unique_ptr<Channel>> open(const std::string& command, Deadline deadline) = 0;
  virtual void close(Deadline deadline) = 0;
};

// Connects and authenticates. Errors name the node and say what to do (unreachable, host key changed, key refused, RSA).
Result<std::unique_ptr<Remote>> connect_ssh(const Target& target, Deadline deadline);

struct HostKey {
  std::string fingerprint;  // "SHA256:…"
  std::string line;         // "ssh-ed25519 AAAA…", as in known_hosts(5)
};

// The key that the host shows, believed by nobody yet: to pin it, or to compare it with what is pinned. Does not log in.
Result<HostKey> shown_host_key(const Target& target, Deadline deadline);

std::string shell_quote(std::string_view word);

}  // namespace lab::remote
