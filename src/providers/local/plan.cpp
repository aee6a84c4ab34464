#include "providers/local/plan.hpp"

#include "lab/resolve.hpp"
#include "providers/local/account.hpp"
#include "providers/local/ports.hpp"
#include "providers/node_ports.hpp"

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <sstream>

namespace lab::providers::local {

namespace {

using namespace std::chrono_literals;

constexpr const char* kWhere = "provider local";
constexpr std::size_t kMostNodes = 254;  // a byte of the address

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
  if (!node.log_dir.empty() && access(node.log_dir.c_str(), W_OK | X_OK) != 0) {
    errors.push_back(Error{system_error("log-dir " + node.log_dir, errno).what, "node " + node.name,
                           "make it, and let this user write in it, or take `log-dir` out"});
  }
  const auto pins = site.pins.find(node.name);
  const std::size_t cores = pins == site.pins.end() ? static_cast<std::size_t>(sysconf(_SC_NPROCESSORS_ONLN)) : pins->second.size();
  if (node.cpus && *node.cpus * site.cpu_unit > static_cast<double>(cores)) {
    std::ostringstream what;
    what << *node.cpus << " lab CPUs are " << *node.cpus * site.cpu_unit << " host CPUs, and this node has " << cores;
    errors.push_back(Error{what.str(), "node " + node.name, "lower its cpus, or set a smaller cpu-unit in the lab file"});
  }
}

void check_programs(Errors& errors, const Lab& lab, const Node& node, const Options& options) {
  if (node.has(Role::database) && reads_database(lab) && !options.find_program(kPostgreSql)) {
    errors.push_back(Error{"PostgreSQL is not installed on this host", "node " + node.name,
                           "apt-get install postgresql-15, or take `source: postgresql` out"});
  }
  if (node.has(Role::gateway) && node.software != Software::lab && !options.find_program(to_string(node.software))) {
    errors.push_back(Error{to_string(node.software) + " is not installed on this host", "node " + node.name,
                           "apt-get install " + package_of(node.software) + ", or take `kind` out"});
  }
}

void check_ports(Errors& errors, const Site& site, const Node& node) {
  auto ports = ports_of(node);
  ports.insert(ports.begin(), {"sshd", kSshPort});
  for (const ServicePort& port : ports) {
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
    if (node.software == Software::external) {
      continue;  // nothing of it is made
    }
    check_node(errors, site, node);
    check_programs(errors, site.lab, node, options);
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
