// The engine's commands for one node and its networks, as values: Podman and Docker are told the same wherever they can be.
#pragma once

#include "providers/container/addresses.hpp"
#include "providers/container/engine.hpp"
#include "providers/container/naming.hpp"
#include "providers/provider.hpp"

#include <string>
#include <vector>

namespace lab::providers::container {

inline constexpr const char* kManagement = "management";   // the network's name in the engine
inline constexpr const char* kSshFolder = "/etc/lab-ssh";  // in the container: the node's host key, configuration, pid
inline constexpr const char* kDirectory = "/lab";          // in the container: the agent's folder
inline constexpr std::uint16_t kSshPort = 22;

using Words = std::vector<std::string>;

// Without a way out: what a node may reach is what its lab's firewalls let through.
Words create_network(const Naming& naming, EngineKind kind, const EngineFacts& facts, const std::string& name, const Network& network);

struct NodePlace {
  std::string management;                        // address
  std::map<std::string, std::string> addresses;  // network → address
};

// On the management network; the others are connected before it starts.
Words create_container(const Naming& naming, EngineKind kind, const EngineFacts& facts, const std::string& image, const Node& node,
                       const NodePlace& place, const std::string& ssh_folder);
Words connect_network(const Naming& naming, EngineKind kind, const Node& node, const std::string& network, const std::string& address);

// sshd_config(5) of a node, as seen inside.
std::string sshd_config();

}  // namespace lab::providers::container
