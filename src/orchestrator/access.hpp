// What lets the controller and OpenSSH's client in: the lab's own key pair and known_hosts.
#pragma once

#include "lab/error.hpp"
#include "lab/units.hpp"
#include "orchestrator/state.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace lab::orchestrator {

// keys/id_ed25519 and .pub (0600 in a folder 0700), by ssh-keygen; kept when there.
Result<void> ensure_key(const std::filesystem::path& folder, Deadline deadline);

// keys/database (0600): the database user's password, made at random; kept when there.
Result<void> ensure_database_password(const std::filesystem::path& folder);
std::string database_password(const std::filesystem::path& folder);  // empty: the lab has none

// sshd(8), SSH_KNOWN_HOSTS FILE FORMAT; the host is the node's name (HostKeyAlias).
std::string known_hosts(const State& state);

// ssh with the lab's key and known_hosts, and nothing of the user's own; `command` empty: a login shell.
std::vector<std::string> ssh_command(const std::filesystem::path& folder, const StandingNode& node,
                                     const std::vector<std::string>& command);

}  // namespace lab::orchestrator
