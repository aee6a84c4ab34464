// The files behind `lab gateway|directory|pages|load -c FILE`.
#include "config/config.hpp"
#include "config/parts.hpp"
#include "config/role_file.hpp"
#include "config/words.hpp"

#include <algorithm>

namespace lab::config {

namespace {

using std::chrono::nanoseconds;

constexpr Field<TlsServer> kTlsServer[] = {
    {"cert", [](Cursor at, TlsServer& into) { set(into.certificate, filled(at)); }, true},
    {"key", [](Cursor at, TlsServer& into) { set(into.key, filled(at)); }, true},
    {"min", [](Cursor at, TlsServer& into) { set(into.min, choice(at, kTlsVersions)); }},
    {"max", [](Cursor at, TlsServer& into) { set(into.max, choice(at, kTlsVersions)); }},
    {"ciphers", [](Cursor at, TlsServer& into) { set(into.ciphers, filled(at)); }},
};

void read_tls_server(Cursor at, TlsServer& into) {
  read_map(at, "`tls`", kTlsServer, into);
  if (into.min > into.max) {
    at.refuse("`min` is above `max`", "exchange them");
  }
}

// The keys of every role that serves, with its own words for plain and TLS listeners.
template <class Config>
std::vector<Field<Config>> service_fields(std::string_view plain, std::string_view tls) {
  return {
      {plain, [](Cursor at, Config& into) { into.service.plain = one_or_more(at, endpoint); }},
      {tls, [](Cursor at, Config& into) { into.service.tls = one_or_more(at, endpoint); }},
      {"tls", [](Cursor at, Config& into) { read_tls_server(at, into.service.certificate); }},
      {"threads", [](Cursor at, Config& into) { set(into.service.threads, whole<int>(at, 1, kMostThreads)); }},
      {"control", [](Cursor at, Config& into) { set(into.service.control, filled(at)); }},
  };
}

template <class Config>
std::vector<Field<Config>> with(std::vector<Field<Config>> fields, std::initializer_list<Field<Config>> more) {
  fields.insert(fields.end(), more);
  return fields;
}

void check_service(Cursor at, const Service& service, std::string_view plain, std::string_view tls) {
  if (service.plain.empty() && service.tls.empty()) {
    at.errors.add(at.value.mark, "no listener", "add `" + std::string(plain) + ": 127.0.0.1:PORT` or `" + std::string(tls) + "`");
  }
  if (!service.tls.empty() && service.certificate.certificate.empty()) {
    at.errors.add(at.value.entry(tls)->mark, "`" + std::string(tls) + "` without a certificate", "add `tls: {cert: FILE, key: FILE}`",
                  tls.size());
  }
}

constexpr Field<Junction> kJunction[] = {
    {"point", [](Cursor at, Junction& into) { set(into.point, url_path(at)); }, true},
    {"type", [](Cursor at, Junction& into) { set(into.type, choice(at, kJunctionTypes)); }},
    {"servers", [](Cursor at, Junction& into) { into.servers = one_or_more(at, endpoint); }},
    {"identity", [](Cursor at, Junction& into) { set(into.identity, identity(at)); }},
    {"basic", [](Cursor at, Junction& into) { set(into.basic, choice(at, kBasicHeaders)); }},
    {"host-header", [](Cursor at, Junction& into) { set(into.host_header, filled(at)); }},
    {"transparent", [](Cursor at, Junction& into) { set(into.transparent, boolean(at)); }},
    {"client-address", [](Cursor at, Junction& into) { set(into.client_address, boolean(at)); }},
    {"server-ca", [](Cursor at, Junction& into) { set(into.server_ca, filled(at)); }},
    {"ciphers", [](Cursor at, Junction& into) { set(into.ciphers, filled(at)); }},
    {"tls-max", [](Cursor at, Junction& into) { set(into.tls_max, choice(at, kTlsVersions)); }},
};

std::optional<Junction> junction(Cursor at) {
  Junction result;
  const std::size_t before = at.errors.complaints();
  read_map(at, "a junction", kJunction, result);
  if (at.errors.complaints() == before && (result.type == JunctionType::local) != result.servers.empty()) {
    at.refuse("junction " + shown(result.point) + (result.servers.empty() ? " has no servers" : " is local and has servers"),
              "type tcp or ssl with `servers`, or type local without");
  }
  return result;
}

constexpr Field<GatewayLogs> kLogs[] = {
    {"request", [](Cursor at, GatewayLogs& into) { set(into.request, filled(at)); }},
    {"agent", [](Cursor at, GatewayLogs& into) { set(into.agent, filled(at)); }},
    {"referer", [](Cursor at, GatewayLogs& into) { set(into.referer, filled(at)); }},
};

constexpr Field<DirectoryClient> kDirectoryClient[] = {
    {"url", [](Cursor at, DirectoryClient& into) { set(into.url, filled(at)); }},
    {"ca", [](Cursor at, DirectoryClient& into) { set(into.ca, filled(at)); }},
    {"starttls", [](Cursor at, DirectoryClient& into) { set(into.start_tls, boolean(at)); }},
    {"people", [](Cursor at, DirectoryClient& into) { set(into.people, filled(at)); }},
    {"groups", [](Cursor at, DirectoryClient& into) { set(into.groups, filled(at)); }},
    {"connections", [](Cursor at, DirectoryClient& into) { set(into.connections, whole<int>(at, 1, 1024)); }},
};

void read_directory_client(Cursor at, DirectoryClient& into) {
  read_map(at, "`directory`", kDirectoryClient, into);
  if (!into.url.empty() && !into.url.starts_with("ldap://") && !into.url.starts_with("ldaps://")) {
    const Value* url = at.value.find("url");
    Cursor{*url, "url", at.errors}.wants("ldap://HOST:PORT or ldaps://HOST:PORT");
  }
  if (into.start_tls && into.url.starts_with("ldaps://")) {
    at.refuse("`starttls` with an ldaps:// URL, which is TLS from the beginning", "leave `starttls` out, or write ldap://");
  }
}

std::optional<std::chrono::seconds> whole_seconds(Cursor at) {
  const auto value = duration(at, std::chrono::seconds(1));
  return value ? std::optional(std::chrono::duration_cast<std::chrono::seconds>(*value)) : std::nullopt;
}

constexpr Field<GatewayConfig> kSessions[] = {
    {"entries", [](Cursor at, GatewayConfig& into) { set(into.session_entries, whole<unsigned>(at, 1, 10'000'000)); }},
    {"lifetime", [](Cursor at, GatewayConfig& into) { set(into.session_lifetime, whole_seconds(at)); }},
    {"idle", [](Cursor at, GatewayConfig& into) { set(into.session_idle, whole_seconds(at)); }},
};

const std::vector<Field<GatewayConfig>>& gateway_fields() {
  static const auto fields =
      with<GatewayConfig>(service_fields<GatewayConfig>("http", "https"),
                          {
                              {"server-name", [](Cursor at, GatewayConfig& into) { set(into.server_name, filled(at)); }},
                              {"authentication", [](Cursor at, GatewayConfig& into) { read_authentication(at, into.basic, into.realm); }},
                              {"directory", [](Cursor at, GatewayConfig& into) { read_directory_client(at, into.directory); }},
                              {"junctions", [](Cursor at, GatewayConfig& into) { into.junctions = list(at, junction); }},
                              {"access", [](Cursor at, GatewayConfig& into) { into.access = list(at, access_rule); }},
                              {"logs", [](Cursor at, GatewayConfig& into) { read_map(at, "`logs`", kLogs, into.logs); }},
                              {"sessions", [](Cursor at, GatewayConfig& into) { read_map(at, "`sessions`", kSessions, into); }},
                          });
  return fields;
}

constexpr Field<Fault> kFault[] = {
    {"operations",
     [](Cursor at, Fault& into) { into.operations = one_or_more(at, [](Cursor one) { return choice(one, kFaultOperations); }); }},
    {"dn", [](Cursor at, Fault& into) { set(into.dn, filled(at)); }},
    {"rate", [](Cursor at, Fault& into) { set(into.rate, share(at)); }},
    {"thread", [](Cursor at, Fault& into) { set(into.thread, whole<int>(at, 0, kMostThreads)); }},
    {"distribution", [](Cursor at, Fault& into) { set(into.distribution, choice(at, kDistributions)); }},
    {"latency", [](Cursor at, Fault& into) { set(into.latency, duration(at)); }},
    {"latency-high", [](Cursor at, Fault& into) { set(into.latency_high, duration(at)); }},
    {"answer", [](Cursor at, Fault& into) { set(into.answer, choice(at, kFaultAnswers)); }},
};

std::optional<Fault> fault(Cursor at) {
  Fault result;
  const std::size_t before = at.errors.complaints();
  read_map(at, "a fault", kFault, result);
  const bool wants_high = result.distribution == Fault::Distribution::uniform || result.distribution == Fault::Distribution::log_normal;
  if (at.errors.complaints() == before && wants_high != (result.latency_high.count() > 0)) {
    at.refuse(wants_high ? "this distribution needs `latency-high`" : "`latency-high` has no meaning here",
              "uniform: from `latency` to `latency-high`; log-normal: the median and the 99th percentile");
  } else if (wants_high && result.latency_high < result.latency) {
    at.refuse("`latency-high` is below `latency`", "exchange them");
  }
  return result;
}

constexpr Field<Administrator> kAdministrator[] = {
    {"dn", [](Cursor at, Administrator& into) { set(into.dn, filled(at)); }, true},
    {"password", [](Cursor at, Administrator& into) { set(into.password, filled(at)); }},
};

const std::vector<Field<DirectoryConfig>>& directory_fields() {
  static const auto fields = with<DirectoryConfig>(
      service_fields<DirectoryConfig>("ldap", "ldaps"),
      {
          {"ldif", [](Cursor at, DirectoryConfig& into) { set(into.ldif, filled(at)); }},
          {"users", [](Cursor at, DirectoryConfig& into) { set(into.users, whole<unsigned>(at, 0, kMostUsers)); }},
          {"ldapi", [](Cursor at, DirectoryConfig& into) { set(into.ldapi, filled(at)); }},
          {"admin", [](Cursor at, DirectoryConfig& into) { read_map(at, "`admin`", kAdministrator, into.admin); }},
          {"save", [](Cursor at, DirectoryConfig& into) { set(into.save, filled(at)); }},
          {"connections", [](Cursor at, DirectoryConfig& into) { set(into.connections, whole<int>(at, 1, 1'000'000)); }},
          {"faults", [](Cursor at, DirectoryConfig& into) { into.faults = list(at, fault); }},
      });
  return fields;
}

const std::vector<Field<PagesConfig>>& pages_fields() {
  static const auto fields = service_fields<PagesConfig>("http", "https");
  return fields;
}

}  // namespace

Result<GatewayConfig, Errors> parse_gateway(std::string_view text, const std::string& path) {
  return parse<GatewayConfig>(text, path, "a gateway's file", gateway_fields(),
                              [](Cursor at, const GatewayConfig& config) { check_service(at, config.service, "http", "https"); });
}

Result<DirectoryConfig, Errors> parse_directory(std::string_view text, const std::string& path) {
  return parse<DirectoryConfig>(text, path, "a directory's file", directory_fields(), [](Cursor at, const DirectoryConfig& config) {
    if (config.ldapi.empty()) {
      check_service(at, config.service, "ldap", "ldaps");
    }
    if (config.ldif.empty() == (config.users == 0)) {
      at.errors.add(at.value.mark, "a directory has either `ldif` or `users`", "name an LDIF file, or say how many users to make");
    }
  });
}

Result<std::vector<Fault>, Errors> parse_faults(std::string_view text, const std::string& path) {
  Diagnostics errors(text, path);
  std::vector<Fault> faults;
  if (const auto root = parse_document(text, errors)) {
    const Value* listed = root->find("faults");
    faults = list(Cursor{listed == nullptr ? *root : *listed, "faults", errors}, fault);
  }
  Errors found = errors.take();
  return found.empty() ? Result<std::vector<Fault>, Errors>(std::move(faults)) : Result<std::vector<Fault>, Errors>(std::move(found));
}

Result<PagesConfig, Errors> parse_pages(std::string_view text, const std::string& path) {
  return parse<PagesConfig>(text, path, "a page server's file", pages_fields(),
                            [](Cursor at, const PagesConfig& config) { check_service(at, config.service, "http", "https"); });
}

}  // namespace lab::config
