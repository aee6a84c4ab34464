// A given host as a lab file describes it, and as it was pinned: <state>/hosts/NODE.json, written before the host is touched. It is what
// `lab down` goes by when nothing else is left.
#pragma once

#include "providers/provider.hpp"
#include "remote/remote.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lab::providers::ssh {

struct Host {
  std::string node;
  std::string name;     // as the lab file has it
  std::string address;  // numeric
  std::uint16_t port = 22;
  std::string user;
  std::string key;            // private key file
  std::string host_key;       // fingerprint; empty: not pinned
  std::string host_key_line;  // for known_hosts; empty: not known yet
  std::string directory;      // absolute, on the host; empty: not known yet

  std::string place() const { return user + "@" + name + ":" + std::to_string(port); }
};

// The lab's directory for a node, in the home of the user: ".lab-<name>-<hash of the state folder>-<node>".
std::string directory_name(const std::string& lab, const std::filesystem::path& state, const std::string& node);
// What the lab writes into it first, to know it again.
std::string label_of(const std::string& lab, const std::filesystem::path& state, const std::string& node);

// User (default: who runs this), key (default: ~/.ssh/id_ed25519, and only ed25519) and numeric address. Errors name the node.
Result<Host> host_of(const Node& node, Deadline deadline);

Result<void> save(const std::filesystem::path& state, const Host& host);
std::optional<Host> load(const std::filesystem::path& state, const std::string& node);
std::vector<Host> load_all(const std::filesystem::path& state);
void forget(const std::filesystem::path& state, const std::string& node);  // and the folder with the last one

remote::Target target_of(const Host& host);

}  // namespace lab::providers::ssh
