// A private OpenSSH server for one node: its configuration, host key, start.
#pragma once

#include "lab/error.hpp"
#include "lab/units.hpp"
#include "remote/process.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lab::providers::local {

inline constexpr std::uint16_t kSshPort = 2022;

struct SshdPrograms {  // absolute paths
  std::string sshd, keygen;
};

struct Sshd {
  std::filesystem::path node_folder;  // its files are in node_folder/ssh
  std::string address;
  std::string user;                       // who alone may log in
  std::filesystem::path authorized_keys;  // public keys that it lets in
};

// sshd_config(5). Sessions carry the node's label, and have its folder for a home: the user's own start-up files (which a shell reads
// under sshd even for a single command) neither slow them down nor write into what programs talk there.
std::string sshd_config(const Sshd& sshd);

struct HostKey {
  std::string fingerprint;  // "SHA256:…"
  std::string line;         // "ssh-ed25519 AAAA…"
};
// Made by ssh-keygen when it is not there.
Result<HostKey> ensure_host_key(const Sshd& sshd, const SshdPrograms& programs, Deadline deadline);

// The one that runs for this node, by its pid file and command line.
std::optional<remote::ProcessIdentity> running_sshd(const std::filesystem::path& node_folder);

// Writes the configuration, starts it inside the control groups whose cgroup.procs files are given, and waits until it listens.
// Errors carry the end of its log.
Result<remote::ProcessIdentity> start_sshd(const Sshd& sshd, const SshdPrograms& programs, const std::vector<std::string>& procs_files,
                                           Deadline deadline);

}  // namespace lab::providers::local
