#include "providers/container/plan.hpp"

#include "providers/container/addresses.hpp"
#include "providers/container/image.hpp"
#include "providers/container/inventory.hpp"
#include "providers/container/needs.hpp"

#include <unistd.h>
#include <algorithm>
#include <sstream>

namespace lab::providers::container {

namespace {

using namespace std::chrono_literals;

constexpr const char* kWhere = "provider container";
constexpr std::uint64_t kLeastMemory = std::uint64_t{64} << 20U;  // sshd, agent and a role

void add(Errors& errors, const Result<void>& result) {
  if (!result) {
    errors.push_back(result.error());
  }
}

void check_programs(Errors& errors, const Host& host) {
  if (!host.find_program("ssh-keygen")) {
    errors.push_back(
        Error{"ssh-keygen not found: it is looked for on PATH, in /usr/sbin and in /sbin", kWhere, "apt-get install openssh-client"});
  }
}

void check_paths(Errors& errors, const Site& site) {
  if (site.state.string().find_first_of(":\"\n\r\\") != std::string::npos) {
    errors.push_back(Error{"the path holds a colon, a quote, a backslash or a line end, which the engine cannot mount", site.state.string(),
                           "set XDG_STATE_HOME to another folder"});
  }
}

void check_networks(Errors& errors, const Site& site) {
  const Addresses addresses = addresses_of(site.lab, site.slot);
  for (const Network& network : addresses.networks) {
    if (overlap(network, addresses.management)) {
      errors.push_back(Error{"network " + network.name + " overlaps the management network " + format_cidr(addresses.management),
                             site.lab.path, "give it other addresses: 198.18.0.0/24 is for SSH"});
    }
  }
}

void check_node(Errors& errors, const Site& site, const Node& node, const EngineFacts& facts) {
  const std::string where = "node " + node.name;
  if (node.networks.empty()) {
    errors.push_back(Error{"a container wants a network to stand on", where, "add `networks: [NAME]`"});
  }
  if (const auto addresses = addresses_of(site.lab, node, site.slot); !addresses) {
    errors.push_back(addresses.error());
  }
  if (const auto address = management_address(site.lab, node, site.slot); !address) {
    errors.push_back(address.error());
  }
  if (node.guest.memory > 0 && !facts.memory) {
    errors.push_back(
        Error{"the engine cannot limit memory here", where,
              facts.rootless ? "run lab as root, or take `memory` out" : "enable the memory controller of cgroups, or take `memory` out"});
  } else if (node.guest.memory > 0 && node.guest.memory < kLeastMemory) {
    errors.push_back(Error{"its memory is less than sshd, agent and a role need", where, "give it 64 MB at least"});
  }
  const auto pins = site.pins.find(node.name);
  const std::size_t cores = pins == site.pins.end() ? static_cast<std::size_t>(sysconf(_SC_NPROCESSORS_ONLN)) : pins->second.size();
  if (node.cpus && *node.cpus * site.cpu_unit > static_cast<double>(cores)) {
    std::ostringstream what;
    what << *node.cpus << " lab CPUs are " << *node.cpus * site.cpu_unit << " host CPUs, and this node has " << cores;
    errors.push_back(Error{what.str(), where, "lower its cpus, or set a smaller cpu-unit in the lab file"});
  }
}

Result<EngineFacts> look(Errors& errors, const Engine& engine, const Host& host, Deadline deadline) {
  const Errors missing = missing_here(engine, host, deadline);
  if (!missing.empty()) {
    errors.insert(errors.end(), missing.begin(), missing.end());
    return missing.front();
  }
  auto facts = engine.facts(deadline);
  if (!facts) {
    errors.push_back(facts.error());
    return facts;
  }
  add(errors, check_runtime(*facts, host));
  const auto there = has_image(engine, image_name(), deadline);
  if (!there || !*there) {
    errors.push_back(there ? Error{"the image " + image_name() + " is not there", engine.name(), "lab image build"} : there.error());
  }
  return facts;
}

Step step_for(const Node& node, const std::string& address, const std::optional<Details>& details, bool known) {
  const std::string what = "node " + node.name;
  if (details && details->state == "running") {
    return {"keep", what, "container at " + address};
  }
  if (details) {
    return {"repair", what, "container " + describe(*details)};
  }
  return {known ? "repair" : "create", what, known ? "container gone" : "container at " + address};
}

}  // namespace

Result<std::vector<Step>, Errors> plan_nodes(const Site& site, const std::vector<NodeRecord>& standing, const Host& host) {
  Errors errors;
  check_programs(errors, host);
  check_paths(errors, site);
  check_networks(errors, site);
  const auto engine = Engine::find(host);
  if (!engine) {
    errors.push_back(engine.error());
    return errors;
  }
  const Deadline deadline = Clock::now() + 30s;
  const auto facts = look(errors, *engine, host, deadline);
  const Naming naming(site.name, site.state);
  std::vector<Step> steps;
  for (const Node& node : site.lab.nodes) {
    check_node(errors, site, node, facts ? *facts : EngineFacts{});
    const bool known =
        std::any_of(standing.begin(), standing.end(), [&](const NodeRecord& record) { return record.node.name == node.name; });
    const auto details =
        facts && known ? look_at(*engine, naming.container(node.name), deadline) : Result<std::optional<Details>>(std::nullopt);
    const auto address = management_address(site.lab, node, site.slot);
    steps.push_back(step_for(node, address ? *address : "", details ? *details : std::nullopt, known));
  }
  if (!errors.empty()) {
    return errors;
  }
  return steps;
}

}  // namespace lab::providers::container
