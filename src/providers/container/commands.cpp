#include "providers/container/commands.hpp"

#include <iomanip>
#include <sstream>

namespace lab::providers::container {

namespace {

std::string both(unsigned long limit) { return std::to_string(limit) + ":" + std::to_string(limit); }

// Docker gives an address the same hardware address every time; Podman a new one at each start, so that a node that was started again
// would not be heard before its neighbours' ARP caches time out.
void add_hardware_address(Words& words, EngineKind kind, const std::string& address) {
  if (const auto network = parse_cidr(address + "/32"); kind == EngineKind::podman && network) {
    std::ostringstream text;
    text << "02:4c" << std::hex << std::setfill('0');
    for (const int bits : {24, 16, 8, 0}) {
      text << ":" << std::setw(2) << (network->address >> bits & 255U);
    }
    words.insert(words.end(), {"--mac-address", text.str()});
  }
}

// sshd is the container's first process: it wants its privilege separation folder, which the package's service makes at boot.
constexpr const char* kStart = "mkdir -p /run/sshd /lab && exec /usr/sbin/sshd -D -e -f /etc/lab-ssh/sshd_config";

}  // namespace

Words create_network(const Naming& naming, EngineKind kind, const EngineFacts& facts, const std::string& name, const Network& network) {
  Words words{"network", "create", "--driver", "bridge", "--subnet", format_cidr(network), "--label", naming.label()};
  if (kind == EngineKind::podman) {
    words.emplace_back("--disable-dns");
  }
  if (name == kManagement) {  // without it Podman's bridge has no address, and nobody here reaches the nodes
    words.insert(words.end(), {"--gateway", format_address(network.address + 1)});
  }
  if (kind == EngineKind::podman || (name == kManagement && !facts.rootless)) {
    words.emplace_back("--internal");
  } else if (name != kManagement) {
    // Docker drops on an internal network what comes from another, and so all that firewalls forward. Without an address of the host's and
    // without masquerading nothing leaves these either.
    words.insert(words.end(),
                 {"--opt", "com.docker.network.bridge.inhibit_ipv4=true", "--opt", "com.docker.network.bridge.enable_ip_masquerade=false"});
  }  // Docker publishes no ports of internal networks, and rootless it is reached by them; its nodes' own rules keep that network shut.
  words.push_back(naming.network(name));
  return words;
}

Words create_container(const Naming& naming, EngineKind kind, const EngineFacts& facts, const std::string& image, const Node& node,
                       const NodePlace& place, const std::string& ssh_folder) {
  Words words{"create"};
  if (!facts.runtime.empty()) {
    words.insert(words.end(), {"--runtime", facts.runtime});
  }
  const Words common{"--name",         naming.container(node.name),
                     "--hostname",     node.name,
                     "--label",        naming.label(),
                     "--pull",         "never",
                     "--stop-timeout", "1",
                     "--cap-add",      "NET_ADMIN",
                     "--security-opt", "label=disable",
                     "--ulimit",       "nofile=" + both(facts.open_files),
                     "--ulimit",       "nproc=" + both(facts.processes),
                     "--volume",       ssh_folder + ":" + kSshFolder,
                     "--network",      naming.network(kManagement),
                     "--ip",           place.management};
  words.insert(words.end(), common.begin(), common.end());
  add_hardware_address(words, kind, place.management);
  if (node.has(Role::firewall)) {
    words.insert(words.end(), {"--sysctl", "net.ipv4.ip_forward=1"});
  }
  if (node.guest.memory > 0) {
    words.insert(words.end(), {"--memory", std::to_string(node.guest.memory) + "b"});
  }
  if (facts.rootless) {
    words.insert(words.end(), {"--publish", "127.0.0.1::" + std::to_string(kSshPort)});
  }
  words.insert(words.end(), {image, "/bin/sh", "-c", kStart});
  return words;
}

Words connect_network(const Naming& naming, EngineKind kind, const Node& node, const std::string& network, const std::string& address) {
  Words words{"network", "connect", "--ip", address};
  add_hardware_address(words, kind, address);
  words.insert(words.end(), {naming.network(network), naming.container(node.name)});
  return words;
}

std::string sshd_config() {
  const std::string folder = kSshFolder;
  return "# Written by lab for one node; removed with it.\n"
         "Port " +
         std::to_string(kSshPort) +
         "\n"
         "HostKey " +
         folder +
         "/host_key\n"
         "PidFile " +
         folder +
         "/sshd.pid\n"
         "AuthorizedKeysFile " +
         folder +
         "/authorized_keys\n"
         "AuthenticationMethods publickey\n"
         "PasswordAuthentication no\n"
         "KbdInteractiveAuthentication no\n"
         "AllowUsers root\n"
         "PermitRootLogin prohibit-password\n"
         "StrictModes no\n"
         "UsePAM no\n"
         "UseDNS no\n"
         "PrintMotd no\n"
         "PrintLastLog no\n"
         "X11Forwarding no\n"
         "AllowTcpForwarding no\n"
         "AllowAgentForwarding no\n"
         "LoginGraceTime 20\n"
         "MaxStartups 100:30:200\n"
         "MaxSessions 64\n"
         "Subsystem sftp internal-sftp\n";
}

}  // namespace lab::providers::container
