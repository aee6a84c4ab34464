#include "lab/resolve.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace lab {

namespace {

constexpr const char* kServerRemedy = "give the name of a node with role pages, or host:port";

std::optional<Endpoint> parse_endpoint(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) {
    return std::nullopt;
  }
  Endpoint endpoint{text.substr(0, colon), 0};
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + colon + 1, end, endpoint.port);
  if (parsed.ec != std::errc{} || parsed.ptr != end || endpoint.port == 0) {
    return std::nullopt;
  }
  return endpoint;
}

std::optional<Endpoint> resolve_server(const Standing& standing, const JunctionPlan& plan, const std::string& server) {
  const Node* const node = standing.lab.find(server);
  if (node == nullptr) {
    return parse_endpoint(server);
  }
  const StandingNode* const standing_node = standing.find(server);
  if (standing_node == nullptr || !node->has(Role::pages)) {
    return std::nullopt;
  }
  return Endpoint{standing_node->address, plan.type == JunctionType::ssl ? node->pages.https : node->pages.http};
}

// The node as its lab file describes it.
Result<const Node*> described(const Standing& standing, const StandingNode& node, Role role) {
  const Node* const found = standing.lab.find(node.name);
  if (found == nullptr || !found->has(role)) {
    return Error{"the lab as deployed has no " + to_string(role) + " of that name", "node " + node.name, "run `lab up` again", {}};
  }
  return found;
}

std::vector<Endpoint> listen_at(const StandingNode& node, std::uint16_t port) {
  return port == 0 ? std::vector<Endpoint>{} : std::vector<Endpoint>{{node.address, port}};
}

TlsServer certificate_of(const NodeFiles& files) {
  TlsServer tls;
  tls.certificate = files.certificate;
  tls.key = files.key;
  return tls;
}

std::string directory_url(const Standing& standing) {
  for (const Node& node : standing.lab.nodes) {
    const StandingNode* const at = node.has(Role::directory) ? standing.find(node.name) : nullptr;
    if (at != nullptr) {
      return "ldap://" + at->address + ":" + std::to_string(node.directory.ldap);
    }
  }
  return {};
}

}  // namespace

NodeFiles::NodeFiles(const std::string& directory)
    : certificates(directory + "/certs"),
      authority(certificates + "/ca.pem"),
      certificate(certificates + "/server.pem"),
      key(certificates + "/server.key"),
      logs(directory + "/logs") {}

GatewayLogs gateway_logs(const std::string& folder) {
  GatewayLogs logs;
  logs.request = folder + "/request.log";
  logs.agent = folder + "/agent.log";
  logs.referer = folder + "/referer.log";
  return logs;
}

Result<Junction> resolve_junction(const Standing& standing, const StandingNode& gateway, const JunctionPlan& plan) {
  Junction junction;
  junction.point = plan.point;
  junction.type = plan.type;
  junction.identity = plan.identity;
  if (plan.type == JunctionType::ssl) {
    junction.server_ca = NodeFiles(gateway.directory).authority;
  }
  for (const std::string& server : plan.servers) {
    const auto endpoint = resolve_server(standing, plan, server);
    if (!endpoint) {
      return Error{
          "server " + server + " of junction " + plan.point + " is no back end of this lab", "lab " + standing.name, kServerRemedy, {}};
    }
    junction.servers.push_back(*endpoint);
  }
  return junction;
}

Result<GatewayConfig> resolve_gateway(const Standing& standing, const StandingNode& node) {
  const auto found = described(standing, node, Role::gateway);
  if (!found) {
    return found.error();
  }
  const GatewaySettings& settings = (*found)->gateway;
  const NodeFiles files(node.directory);
  GatewayConfig config;
  config.service.plain = listen_at(node, settings.http);
  config.service.tls = listen_at(node, settings.https);
  config.service.certificate = certificate_of(files);
  config.service.threads = std::max(1, static_cast<int>(std::ceil((*found)->cpus.value_or(1))));
  config.basic = settings.basic;
  config.realm = settings.realm;
  config.forms = settings.forms;
  config.directory.url = directory_url(standing);
  config.access = settings.access;
  config.logs = gateway_logs(files.logs);
  for (const JunctionPlan& plan : settings.junctions) {
    auto junction = resolve_junction(standing, node, plan);
    if (!junction) {
      return junction.error();
    }
    config.junctions.push_back(std::move(*junction));
  }
  return config;
}

Result<DirectoryConfig> resolve_directory(const Standing& standing, const StandingNode& node) {
  const auto found = described(standing, node, Role::directory);
  if (!found) {
    return found.error();
  }
  DirectoryConfig config;
  config.service.plain = listen_at(node, (*found)->directory.ldap);
  config.users = (*found)->directory.users;
  return config;
}

Result<PagesConfig> resolve_pages(const Standing& standing, const StandingNode& node) {
  const auto found = described(standing, node, Role::pages);
  if (!found) {
    return found.error();
  }
  const PagesSettings& settings = (*found)->pages;
  PagesConfig config;
  config.service.plain = listen_at(node, settings.http);
  config.service.tls = listen_at(node, settings.https);
  config.service.certificate = certificate_of(NodeFiles(node.directory));
  config.service.threads = settings.threads;
  return config;
}

}  // namespace lab
