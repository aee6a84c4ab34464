#include "lab/resolve.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
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

// Its user may read and add to one table, and nothing else there. The password is each standing lab's own: whoever starts roles adds it.
constexpr const char *kDatabaseName = "lab", *kDatabaseUser = "pages", *kPasswordToCome = "";

Result<Endpoint> database_of(const Standing& standing) {
  for (const Node& node : standing.lab.nodes) {
    const StandingNode* const at = node.has(Role::database) ? standing.find(node.name) : nullptr;
    if (at != nullptr) {
      return Endpoint{at->address, node.database.port};
    }
  }
  return Error{"no database stands that pages could come from", "lab " + standing.name,
               "add a node with role database, or use `source: generated`"};
}

}  // namespace

GatewayPorts second_ports(const GatewaySettings& settings) {
  const int step = std::abs(settings.http - settings.https) == 1 ? 2 : 1;
  const auto beside = [step](std::uint16_t port) { return static_cast<std::uint16_t>(port > 65533 ? port - step : port + step); };
  return {settings.http == 0 ? std::uint16_t{0} : beside(settings.http), settings.https == 0 ? std::uint16_t{0} : beside(settings.https)};
}

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

std::string own_log_folder(const std::string& log_dir, const std::string& node_directory) {
  if (log_dir.empty()) {
    return {};
  }
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a, 64 bits
  for (const char c : node_directory) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016" PRIx64, hash);
  return log_dir + "/" + kLogFolderPrefix + digits.data();
}

bool reads_database(const Lab& lab) {
  return std::any_of(lab.nodes.begin(), lab.nodes.end(),
                     [](const Node& node) { return node.has(Role::pages) && node.pages.from_database; });
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
  config.software = (*found)->software;
  config.basic = settings.basic;
  config.realm = settings.realm;
  config.forms = settings.forms;
  config.directory.url = config.software == Software::lab ? directory_url(standing) : "";  // others know no directory
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
  if (settings.from_database) {
    const Result<Endpoint> server = database_of(standing);
    if (!server) {
      return server.error();
    }
    config.database = DatabaseClient{*server, kDatabaseName, kDatabaseUser, kPasswordToCome, settings.connections, settings.cache};
  }
  return config;
}

Result<DatabaseConfig> resolve_database(const Standing& standing, const StandingNode& node) {
  const auto found = described(standing, node, Role::database);
  if (!found) {
    return found.error();
  }
  return DatabaseConfig{{node.address, (*found)->database.port}, kDatabaseName, kDatabaseUser, kPasswordToCome, ""};
}

}  // namespace lab
