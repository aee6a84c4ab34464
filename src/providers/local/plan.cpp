#include "providers/local/plan.hpp"

#include "providers/local/account.hpp"
#include "providers/local/ports.hpp"

#include <unistd.h>
#include <algorithm>
#include <sstream>

namespace lab::providers::local {

namespace {

using namespace std::chrono_literals;

constexpr const char* kWhere = "provider local";
constexpr std::size_t kMostNodes = 254;  // a byte of the address

struct Port {
  std::string service;
  std::uint16_t port;
};

std::vector<Port> ports_of(const Node& node) {
  std::vector<Port> ports{{"sshd", kSshPort}};
  if (node.has(Role::gateway)) {
    ports.push_back({"gateway http", node.gateway.http});
    ports.push_back({"gateway https", node.gateway.https});
  }
  if (node.has(Role::directory)) {
    ports.push_back({"directory ldap", node.directory.ldap});
  }
  if (node.has(Role::pages)) {
    ports.push_back({"pages http", node.pages.http});
    ports.push_back({"pages https", node.pages.https});
  }
  std::erase_if(ports, [](const Port& port) { return port.port == 0; });
  return ports;
}

void check(Errors& errors, const Result<void>& result) {
  if (!result) {
    errors.push_back(result.error());
  }
}

void check_host(Errors& errors, const Site& site, const Options& options) {
  if (const auto programs = find_programs(options); !programs) {
    errors.push_back(programs.error());
  }
  const auto account = current_account(Clock::now() + 5s);
  check(errors, account ? check_login(*account) : Result<void>(account.error()));
  if (site.state.string().find_first_of("\"\n\r\\") != std::string::npos) {
    errors.push_back(Error{"the path holds a quote, a backslash or a line end, which sshd cannot read", site.state.string(),
                           "set XDG_STATE_HOME to another folder"});
  }
  if (site.lab.nodes.size() > kMostNodes || site.lab.networks.size() > kMostNodes) {
    errors.push_back(Error{"provider local holds at most 254 nodes and 254 networks", "lab " + site.name, "use a lab per group of nodes"});
  }
}

void check_node(Errors& errors, const Site& site, const Node& node) {
  for (const Role role : {Role::firewall, Role::external}) {
    if (node.has(role)) {
      errors.push_back(Error{"provider local has no nodes of role " + to_string(role), "node " + node.name,
                             "leave the node out, or use provider container"});
    }
  }
  const auto pins = site.pins.find(node.name);
  const std::size_t cores = pins == site.pins.end() ? static_cast<std::size_t>(sysconf(_SC_NPROCESSORS_ONLN)) : pins->second.size();
  if (node.cpus && *node.cpus * site.cpu_unit > static_cast<double>(cores)) {
    std::ostringstream what;
    what << *node.cpus << " lab CPUs are " << *node.cpus * site.cpu_unit << " host CPUs, and this node has " << cores;
    errors.push_back(Error{what.str(), "node " + node.name, "lower its cpus, or set a smaller cpu-unit in the lab file"});
  }
}

void check_ports(Errors& errors, const Site& site, const Node& node) {
  for (const Port& port : ports_of(node)) {
    check(errors, check_free({address_of(site.lab, node, site.slot), port.port}, node.name, port.service));
  }
}

bool stands(const NodeRecord& record) { return running_sshd(record.node.directory).has_value(); }

}  // namespace

Result<SshdPrograms> find_programs(const Options& options) {
  const auto sshd = options.find_program("sshd");
  const auto keygen = options.find_program("ssh-keygen");
  if (!sshd) {
    return Error{"sshd not found: it is looked for on PATH, in /usr/sbin and in /sbin", kWhere, "apt-get install openssh-server"};
  }
  if (!keygen) {
    return Error{"ssh-keygen not found: it is looked for on PATH, in /usr/sbin and in /sbin", kWhere, "apt-get install openssh-client"};
  }
  return SshdPrograms{*sshd, *keygen};
}

Result<std::vector<Step>, Errors> plan_nodes(const Site& site, const std::vector<NodeRecord>& standing, const Options& options) {
  Errors errors;
  check_host(errors, site, options);
  std::vector<Step> steps;
  for (const Node& node : site.lab.nodes) {
    check_node(errors, site, node);
    const std::string where = address_of(site.lab, node, site.slot) + ":" + std::to_string(kSshPort);
    const auto recorded =
        std::find_if(standing.begin(), standing.end(), [&](const NodeRecord& record) { return record.node.name == node.name; });
    if (recorded == standing.end()) {
      check_ports(errors, site, node);
      steps.push_back({"create", "node " + node.name, "sshd at " + where});
    } else {
      steps.push_back({stands(*recorded) ? "keep" : "repair", "node " + node.name, "sshd at " + where});
    }
  }
  if (!errors.empty()) {
    return errors;
  }
  return steps;
}

}  // namespace lab::providers::local
