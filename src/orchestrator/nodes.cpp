#include "orchestrator/nodes.hpp"

#include "agent/rpc.hpp"
#include "config/config.hpp"
#include "lab/resolve.hpp"
#include "orchestrator/access.hpp"
#include "pki/pki.hpp"
#include "store/read.hpp"

#include <algorithm>
#include <boost/json.hpp>

namespace lab::orchestrator {

namespace json = boost::json;

namespace {

using namespace std::chrono_literals;

constexpr auto kRoleStart = 10s;
constexpr auto kDatabaseStart = 30s;  // a cluster is made first
constexpr auto kPing = 2s;
constexpr int kPublic = 0644, kPrivate = 0600;

std::int64_t nanoseconds(std::chrono::nanoseconds duration) { return duration.count(); }

const Node& described(const Standing& standing, const StandingNode& node) { return *standing.lab.find(node.name); }

bool serves_tls(const Node& node) { return node.has(Role::gateway) || node.has(Role::pages); }

bool speaks_tls(const Node& node) { return serves_tls(node) || node.has(Role::load); }

// The authority's certificate, to verify others; with a key and a certificate of its own where the node serves.
Result<void> push_certificates(remote::Remote& remote, const Standing& standing, const StandingNode& node, Deadline deadline) {
  const NodeFiles files(node.directory);
  const auto folders =
      remote.exec("mkdir -p " + remote::shell_quote(files.certificates) + " " + remote::shell_quote(files.logs), {}, deadline);
  if (!folders || folders->exit != 0) {
    return folders ? Error{"cannot make folders in " + node.directory, "node " + node.name, "", folders->err} : folders.error();
  }
  const auto local = StateFiles(standing.state).certificates;
  if (serves_tls(described(standing, node))) {
    if (auto made = pki::ensure_certificate(local, node.name, {node.name, node.address}); !made) {
      return made;
    }
  }
  struct File {
    std::filesystem::path from;
    std::string to;
    int mode;
  };
  std::vector<File> pushes{{local / "ca.pem", files.authority, kPublic}};
  if (serves_tls(described(standing, node))) {
    pushes.push_back({local / (node.name + ".key"), files.key, kPrivate});
    pushes.push_back({local / (node.name + ".pem"), files.certificate, kPublic});
  }
  for (const File& file : pushes) {
    if (auto pushed = remote.upload(file.from, file.to, file.mode, deadline); !pushed) {
      return pushed.error();
    }
  }
  return {};
}

Result<json::object> config_of(const Standing& standing, const StandingNode& node, Role role) {
  const std::string password = database_password(standing.state);
  const auto written = [](const auto& config) -> Result<json::object> {
    return config ? Result<json::object>(config::to_json(*config)) : config.error();
  };
  switch (role) {
    case Role::gateway: return written(resolve_gateway(standing, node));
    case Role::directory: return written(resolve_directory(standing, node));
    case Role::pages: {
      auto pages = resolve_pages(standing, node);
      if (pages && pages->database) {
        pages->database->password = password;
      }
      return written(pages);
    }
    case Role::database: {
      auto database = resolve_database(standing, node);
      if (database) {
        database->password = password;
      }
      return written(database);
    }
    default: return Error{"role " + to_string(role) + " has no service", "node " + node.name};
  }
}

// Names of the node's roles that run.
Result<std::vector<std::string>> running_roles(Agents& agents, const std::string& node, Deadline deadline) {
  const auto answer = agents.call(node, "role.list", {}, deadline);
  if (!answer) {
    return answer.error();
  }
  std::vector<std::string> names;
  for (const json::value& role : answer->is_object() ? store::array_of(answer->get_object(), "roles") : json::array()) {
    if (role.is_object() && store::text_of(role.get_object(), "state") == "running") {
      names.push_back(store::text_of(role.get_object(), "name"));
    }
  }
  return names;
}

// All binaries of one build share its id.
Result<void> check_build(const World& world, Crew& crew, const StandingNode& node, const char* remedy, Deadline deadline) {
  const auto hello = crew.call(node.name, "hello", {{"protocol", agent::kProtocol}, {"build", world.build}}, deadline);
  if (!hello) {
    return hello.error();
  }
  const std::string build = hello->is_object() ? store::text_of(hello->get_object(), "build") : "";
  return build == world.build ? Result<void>() : Error{"the agent is of another build of lab", "node " + node.name, remedy};
}

}  // namespace

Result<void> attach_node(const World& world, Crew& crew, const Standing& standing, const StandingNode& node, Deadline deadline) {
  auto remote = world.connect(target_of(standing.state, node), deadline);
  if (!remote) {
    return remote.error();
  }
  if (auto added = crew.add(node, std::move(*remote), deadline); !added) {
    return added;
  }
  return check_build(world, crew, node, "run `lab up` again: it replaces it", deadline);
}

Result<void> install_node(const World& world, Crew& crew, const Standing& standing, const StandingNode& node, Deadline deadline) {
  auto remote = world.connect(target_of(standing.state, node), deadline);
  if (!remote) {
    return remote.error();
  }
  if (auto installed = world.install(**remote, node, deadline); !installed) {
    return installed;
  }
  if (speaks_tls(described(standing, node))) {
    if (auto pushed = push_certificates(**remote, standing, node, deadline); !pushed) {
      return pushed;
    }
  }
  if (auto added = crew.add(node, std::move(*remote), deadline); !added) {
    return added;
  }
  return check_build(world, crew, node, "its binary is not of the same source as this one: build both again", deadline);
}

std::vector<Role> standing_roles(const Lab& lab, const Node& node) {
  std::vector<Role> roles;
  if (node.software == Software::external) {
    return roles;
  }
  for (const Role role : {Role::directory, Role::database, Role::pages, Role::gateway}) {
    if (node.has(role) && (role != Role::database || reads_database(lab))) {
      roles.push_back(role);
    }
  }
  return roles;
}

Result<bool> start_role(Agents& agents, const Standing& standing, const StandingNode& node, Role role, Deadline deadline) {
  const auto running = running_roles(agents, node.name, deadline);
  if (!running) {
    return running.error();
  }
  const std::string name = to_string(role);
  if (std::find(running->begin(), running->end(), name) != running->end()) {
    return false;  // with another configuration perhaps, which a run left there: a run sets its own
  }
  auto config = config_of(standing, node, role);
  if (!config) {
    return config.error();
  }
  const auto started = agents.call(node.name, "role.start",
                                   {{"name", name},
                                    {"role", name},
                                    {"config", std::move(*config)},
                                    {"env", json::object()},
                                    {"timeout_ns", nanoseconds(role == Role::database ? kDatabaseStart : kRoleStart)}},
                                   deadline);
  return started ? Result<bool>(true) : started.error();
}

Result<providers::CpuLimit> limit_node(providers::Provider& provider, Agents& agents, const providers::Site& site,
                                       const providers::NodeRecord& record, std::optional<double> host_cpus, Deadline deadline) {
  auto limit = provider.limit_cpus(site, record, host_cpus);
  if (limit && limit->method == CpuMethod::stop_continue) {
    const auto told = agents.call(record.node.name, "cpu.limit", {{"cpus", host_cpus ? json::value(*host_cpus) : json::value()}}, deadline);
    return told ? std::move(limit) : told.error();
  }
  if (limit && limit->agent_lifts) {
    const auto told = agents.call(record.node.name, "cpu.limit", {{"cpus", json::value()}}, deadline);
    return told ? std::move(limit) : told.error();
  }
  return limit;
}

Result<std::vector<std::string>> answering_roles(Agents& agents, const std::string& node, Deadline deadline) {
  auto names = running_roles(agents, node, deadline);
  if (!names) {
    return names;
  }
  std::erase_if(*names, [&](const std::string& name) {
    return !agents.call(node, "role.call",
                        {{"name", name}, {"method", "ping"}, {"params", json::object()}, {"timeout_ns", nanoseconds(kPing)}}, deadline);
  });
  return names;
}

}  // namespace lab::orchestrator
