#include "config/config.hpp"
#include "config/json_parts.hpp"
#include "config/words.hpp"

#include <boost/json.hpp>

namespace lab::config {

namespace {

namespace json = boost::json;

std::string written(const Endpoint& endpoint) {
  const bool colons = endpoint.host.find(':') != std::string::npos;
  return (colons ? "[" + endpoint.host + "]" : endpoint.host) + ":" + std::to_string(endpoint.port);
}

void put_endpoints(json::object& into, std::string_view key, const std::vector<Endpoint>& all) {
  put(into, key, all, [](const Endpoint& endpoint) { return json::string(written(endpoint)); });
}

json::object tls_server(const TlsServer& tls) {
  json::object object;
  if (!tls.certificate.empty()) {
    put(object, "cert", tls.certificate);
    put(object, "key", tls.key);
    put(object, "min", tls.min);
    put(object, "max", tls.max);
    put(object, "ciphers", tls.ciphers);
  }
  return object;
}

json::object service(const Service& service, std::string_view plain, std::string_view tls) {
  json::object object;
  put_endpoints(object, plain, service.plain);
  put_endpoints(object, tls, service.tls);
  put(object, "tls", tls_server(service.certificate));
  object["threads"] = service.threads;
  put(object, "control", service.control);
  return object;
}

json::array identity(const Identity& identity) {
  json::array parts;
  for (const auto& part : kIdentityParts) {
    if (identity.*part.value) {
      parts.emplace_back(part.word);
    }
  }
  return parts;
}

json::object junction(const Junction& junction) {
  json::object object{{"point", junction.point}, {"type", word(kJunctionTypes, junction.type)}};
  put_endpoints(object, "servers", junction.servers);
  object["identity"] = identity(junction.identity);
  object["basic"] = word(kBasicHeaders, junction.basic);
  put(object, "host-header", junction.host_header);
  object["transparent"] = junction.transparent;
  object["client-address"] = junction.client_address;
  put(object, "server-ca", junction.server_ca);
  put(object, "ciphers", junction.ciphers);
  put(object, "tls-max", junction.tls_max);
  return object;
}

json::object access_rule(const AccessRule& rule) {
  json::object object{{"path", rule.path}, {"allow", word(kWho, rule.allow)}};
  put_texts(object, "users", rule.users);
  put_texts(object, "groups", rule.groups);
  return object;
}

json::object directory_client(const DirectoryClient& client) {
  json::object object;
  put(object, "url", client.url);
  put(object, "ca", client.ca);
  object["starttls"] = client.start_tls;
  put(object, "people", client.people);
  put(object, "groups", client.groups);
  object["connections"] = client.connections;
  return object;
}

json::object fault(const Fault& fault) {
  json::object object{{"rate", fault.rate},
                      {"distribution", word(kDistributions, fault.distribution)},
                      {"latency", config::written(fault.latency)},
                      {"answer", word(kFaultAnswers, fault.answer)}};
  if (!fault.operations.empty()) {
    json::array operations;
    for (const Fault::Operation operation : fault.operations) {
      operations.emplace_back(word(kFaultOperations, operation));
    }
    object["operations"] = std::move(operations);
  }
  put(object, "dn", fault.dn);
  if (fault.thread) {
    object["thread"] = *fault.thread;
  }
  if (fault.latency_high.count() > 0) {
    object["latency-high"] = config::written(fault.latency_high);
  }
  return object;
}

json::object logs(const GatewayLogs& logs) {
  json::object object;
  put(object, "request", logs.request);
  put(object, "agent", logs.agent);
  put(object, "referer", logs.referer);
  return object;
}

}  // namespace

json::object to_json(const GatewayConfig& config) {
  json::object object = service(config.service, "http", "https");
  put(object, "server-name", config.server_name);
  object["authentication"] = {{"basic", word(kBasicAuthentications, config.basic)}, {"realm", config.realm}};
  object["directory"] = directory_client(config.directory);
  put(object, "junctions", config.junctions, junction);
  put(object, "access", config.access, access_rule);
  put(object, "logs", logs(config.logs));
  object["sessions"] = {
      {"entries", config.session_entries}, {"lifetime", written(config.session_lifetime)}, {"idle", written(config.session_idle)}};
  return object;
}

json::object to_json(const DirectoryConfig& config) {
  json::object object = service(config.service, "ldap", "ldaps");
  put(object, "ldif", config.ldif);
  object["users"] = config.users;
  put(object, "ldapi", config.ldapi);
  if (!config.admin.dn.empty()) {
    json::object admin{{"dn", config.admin.dn}};
    put(admin, "password", config.admin.password);
    object["admin"] = std::move(admin);
  }
  put(object, "save", config.save);
  object["connections"] = config.connections;
  put(object, "faults", config.faults, fault);
  return object;
}

json::object to_json(const PagesConfig& config) { return service(config.service, "http", "https"); }

}  // namespace lab::config
