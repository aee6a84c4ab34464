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

void put_count(json::object& into, std::string_view key, unsigned count) {
  if (count > 0) {
    into[key] = count;
  }
}

// Also when it is empty, where that is not what a missing key means.
void put_list(json::object& into, std::string_view key, const std::vector<std::string>& all) {
  into[key].emplace_array();
  put_texts(into, key, all);
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
  if (service.metrics) {
    put(object, "metrics", written(*service.metrics));
  }
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

json::object login(const Credentials& login) { return {{"user", login.user}, {"password", login.password}}; }

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
  put(object, "virtual-host", junction.virtual_host);
  put(object, "directory", junction.directory);
  object["case-insensitive"] = junction.case_insensitive;
  object["stateful"] = junction.stateful;
  put(object, "server-dn", junction.server_dn);
  put(object, "client-cert", junction.client_certificate);
  put(object, "client-key", junction.client_key);
  if (junction.login) {
    object["login"] = login(*junction.login);
  }
  object["session-cookie"] = junction.session_cookie;
  object["junction-cookie"] = junction.junction_cookie;
  put_count(object, "soft-limit", junction.soft_limit);
  put_count(object, "hard-limit", junction.hard_limit);
  object["supply-password"] = junction.supply_password;
  put(object, "gso", junction.gso);
  return object;
}

std::string clock_time(int minutes) {
  const std::string hours = std::to_string(100 + minutes / 60), rest = std::to_string(100 + minutes % 60);
  return hours.substr(1) + ":" + rest.substr(1);
}

json::object policy(const ObjectPolicy& policy) {
  json::object object{{"path", policy.path},
                      {"protection", word(kProtections, policy.protection)},
                      {"from", clock_time(policy.from)},
                      {"to", clock_time(policy.to)},
                      {"utc", policy.utc}};
  put(object, "days", policy.days, [](int day) { return json::string(word(kDays, day)); });
  put_texts(object, "clients", policy.clients);
  return object;
}

json::object timeouts(const Timeouts& timeouts) {
  return {{"head", config::written(timeouts.head)},       {"fragment", config::written(timeouts.fragment)},
          {"idle", config::written(timeouts.idle)},       {"connect", config::written(timeouts.connect)},
          {"backend", config::written(timeouts.backend)}, {"linger", config::written(timeouts.linger)},
          {"drain", config::written(timeouts.drain)},     {"ping", config::written(timeouts.ping)}};
}

json::object access_rule(const AccessRule& rule) {
  json::object object{{"path", rule.path}, {"allow", word(kWho, rule.allow)}};
  put_texts(object, "users", rule.users);
  put_texts(object, "groups", rule.groups);
  object["permissions"] = rule.permissions;
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
  object["max-size"] = logs.max_size;
  object["flush"] = config::written(logs.flush);
  json::array columns;
  for (const auto& column : kLogColumns) {
    if (logs.*column.value) {
      columns.emplace_back(column.word);
    }
  }
  object["columns"] = std::move(columns);
  return object;
}

}  // namespace

json::object to_json(const GatewayConfig& config) {
  json::object object = service(config.service, "http", "https");
  object["kind"] = word(kSoftware, config.software);
  put(object, "server-name", config.server_name);
  object["authentication"] = {
      {"basic", word(kBasicAuthentications, config.basic)}, {"realm", config.realm}, {"forms", word(kBasicAuthentications, config.forms)}};
  object["directory"] = directory_client(config.directory);
  put(object, "junctions", config.junctions, junction);
  put(object, "access", config.access, access_rule);
  put(object, "logs", logs(config.logs));
  object["sessions"] = {
      {"entries", config.session_entries}, {"lifetime", written(config.session_lifetime)}, {"idle", written(config.session_idle)}};
  put(object, "policies", config.policies, policy);
  put_list(object, "blocked-methods", config.blocked_methods);
  put_texts(object, "trusted-proxies", config.trusted_proxies);
  put(object, "pages", config.pages);
  object["limits"] = {{"head", config.max_head}, {"body", config.max_body}, {"kept", config.max_kept}};
  object["timeouts"] = timeouts(config.timeouts);
  return object;
}

json::object to_json(const Junction& one) { return junction(one); }

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

json::object to_json(const PagesConfig& config) {
  json::object object = service(config.service, "http", "https");
  if (config.database) {
    const DatabaseClient& database = *config.database;
    object["database"] = {
        {"server", written(database.server)},  {"name", database.name},  {"user", database.user}, {"password", database.password},
        {"connections", database.connections}, {"cache", database.cache}};
  }
  if (config.delay.count() > 0) {
    object["delay"] = written(config.delay);
  }
  return object;
}

json::object to_json(const DatabaseConfig& config) {
  json::object object{{"listen", written(config.listen)}, {"name", config.name}, {"user", config.user}, {"password", config.password}};
  put(object, "control", config.control);
  return object;
}

json::object to_json(const GuestConfig& config) {
  json::object object{{"threads", config.threads}, {"duration", written(config.duration)}};
  put(object, "control", config.control);
  return object;
}

}  // namespace lab::config
