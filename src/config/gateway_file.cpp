// The file behind `lab gateway -c FILE`, and a junction alone as `lab junction create` sends it.
#include "config/config.hpp"
#include "config/service_fields.hpp"

namespace lab::config {

namespace {

using std::chrono::nanoseconds;

constexpr Field<Credentials> kLogin[] = {
    {"user", [](Cursor at, Credentials& into) { set(into.user, filled(at)); }, true},
    {"password", [](Cursor at, Credentials& into) { set(into.password, line(at)); }, true},
};

void read_login(Cursor at, Junction& into) {
  Credentials login;
  read_map(at, "`login`", kLogin, login);
  into.login = std::move(login);
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
    {"virtual-host", [](Cursor at, Junction& into) { set(into.virtual_host, filled(at)); }},
    {"directory", [](Cursor at, Junction& into) { set(into.directory, filled(at)); }},
    {"case-insensitive", [](Cursor at, Junction& into) { set(into.case_insensitive, boolean(at)); }},
    {"stateful", [](Cursor at, Junction& into) { set(into.stateful, boolean(at)); }},
    {"server-dn", [](Cursor at, Junction& into) { set(into.server_dn, filled(at)); }},
    {"client-cert", [](Cursor at, Junction& into) { set(into.client_certificate, filled(at)); }},
    {"client-key", [](Cursor at, Junction& into) { set(into.client_key, filled(at)); }},
    {"login", read_login},
    {"session-cookie", [](Cursor at, Junction& into) { set(into.session_cookie, boolean(at)); }},
    {"junction-cookie", [](Cursor at, Junction& into) { set(into.junction_cookie, boolean(at)); }},
    {"soft-limit", [](Cursor at, Junction& into) { set(into.soft_limit, whole<unsigned>(at, 1, 1'000'000)); }},
    {"hard-limit", [](Cursor at, Junction& into) { set(into.hard_limit, whole<unsigned>(at, 1, 1'000'000)); }},
    {"supply-password", [](Cursor at, Junction& into) { set(into.supply_password, line(at)); }},
    {"gso", [](Cursor at, Junction& into) { set(into.gso, filled(at)); }},
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

void read_columns(Cursor at, GatewayLogs& into) {
  for (bool GatewayLogs::*column : one_or_more(at, [](Cursor one) { return choice(one, kLogColumns); })) {
    into.*column = true;
  }
}

std::optional<std::chrono::seconds> whole_seconds(Cursor at) {
  const auto value = duration(at, std::chrono::seconds(1));
  return value ? std::optional(std::chrono::duration_cast<std::chrono::seconds>(*value)) : std::nullopt;
}

constexpr Field<GatewayLogs> kLogs[] = {
    {"request", [](Cursor at, GatewayLogs& into) { set(into.request, filled(at)); }},
    {"agent", [](Cursor at, GatewayLogs& into) { set(into.agent, filled(at)); }},
    {"referer", [](Cursor at, GatewayLogs& into) { set(into.referer, filled(at)); }},
    {"max-size", [](Cursor at, GatewayLogs& into) { set(into.max_size, size(at)); }},
    {"flush", [](Cursor at, GatewayLogs& into) { set(into.flush, whole_seconds(at)); }},
    {"columns", read_columns},
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

constexpr Field<GatewayConfig> kSessions[] = {
    {"entries", [](Cursor at, GatewayConfig& into) { set(into.session_entries, whole<unsigned>(at, 1, 10'000'000)); }},
    {"lifetime", [](Cursor at, GatewayConfig& into) { set(into.session_lifetime, whole_seconds(at)); }},
    {"idle", [](Cursor at, GatewayConfig& into) { set(into.session_idle, whole_seconds(at)); }},
};

// "08:30" in minutes of the day; 24:00 is its end.
std::optional<int> clock_time(Cursor at) {
  const auto value = filled(at);
  const auto digit = [&](std::size_t i) { return (*value)[i] >= '0' && (*value)[i] <= '9'; };
  if (value && value->size() == 5 && (*value)[2] == ':' && digit(0) && digit(1) && digit(3) && digit(4)) {
    const int hours = ((*value)[0] - '0') * 10 + (*value)[1] - '0', minutes = ((*value)[3] - '0') * 10 + (*value)[4] - '0';
    if (minutes < 60 && hours * 60 + minutes <= 24 * 60) {
      return hours * 60 + minutes;
    }
  }
  return value ? at.wants("a time of day like 08:30") : std::nullopt;
}

constexpr Field<ObjectPolicy> kPolicy[] = {
    {"path", [](Cursor at, ObjectPolicy& into) { set(into.path, url_path(at)); }, true},
    {"protection", [](Cursor at, ObjectPolicy& into) { set(into.protection, choice(at, kProtections)); }},
    {"days", [](Cursor at, ObjectPolicy& into) { into.days = one_or_more(at, [](Cursor one) { return choice(one, kDays); }); }},
    {"from", [](Cursor at, ObjectPolicy& into) { set(into.from, clock_time(at)); }},
    {"to", [](Cursor at, ObjectPolicy& into) { set(into.to, clock_time(at)); }},
    {"utc", [](Cursor at, ObjectPolicy& into) { set(into.utc, boolean(at)); }},
    {"clients", [](Cursor at, ObjectPolicy& into) { into.clients = one_or_more(at, filled); }},
};

std::optional<ObjectPolicy> policy(Cursor at) {
  ObjectPolicy result;
  read_map(at, "a policy", kPolicy, result);
  return result;
}

std::optional<std::uint64_t> size_up_to(Cursor at, std::uint64_t least, std::uint64_t most) {
  const auto value = size(at);
  if (value && (*value < least || *value > most)) {
    return at.wants("a size from " + std::to_string(least) + " to " + std::to_string(most) + " bytes");
  }
  return value;
}

constexpr Field<GatewayConfig> kLimits[] = {
    {"head", [](Cursor at, GatewayConfig& into) { set(into.max_head, size_up_to(at, 1024, 128 * 1024)); }},
    {"body", [](Cursor at, GatewayConfig& into) { set(into.max_body, size(at)); }},
    {"kept", [](Cursor at, GatewayConfig& into) { set(into.max_kept, size_up_to(at, 0, 64 * 1024)); }},
};

constexpr Field<Timeouts> kTimeouts[] = {
    {"head", [](Cursor at, Timeouts& into) { set(into.head, duration(at, nanoseconds(1))); }},
    {"fragment", [](Cursor at, Timeouts& into) { set(into.fragment, duration(at, nanoseconds(1))); }},
    {"idle", [](Cursor at, Timeouts& into) { set(into.idle, duration(at, nanoseconds(1))); }},
    {"connect", [](Cursor at, Timeouts& into) { set(into.connect, duration(at, nanoseconds(1))); }},
    {"backend", [](Cursor at, Timeouts& into) { set(into.backend, duration(at, nanoseconds(1))); }},
    {"linger", [](Cursor at, Timeouts& into) { set(into.linger, duration(at, nanoseconds(1))); }},
    {"drain", [](Cursor at, Timeouts& into) { set(into.drain, duration(at, nanoseconds(1))); }},
    {"ping", [](Cursor at, Timeouts& into) { set(into.ping, duration(at)); }},
};

const std::vector<Field<GatewayConfig>>& gateway_fields() {
  static const auto fields =
      with<GatewayConfig>(service_fields<GatewayConfig>("http", "https"),
                          {
                              {"kind", [](Cursor at, GatewayConfig& into) { set(into.software, choice(at, kSoftware)); }},
                              {"server-name", [](Cursor at, GatewayConfig& into) { set(into.server_name, filled(at)); }},
                              {"authentication",
                               [](Cursor at, GatewayConfig& into) {
                                 read_authentication(at, {into.basic, into.realm, into.forms});
                               }},
                              {"directory", [](Cursor at, GatewayConfig& into) { read_directory_client(at, into.directory); }},
                              {"junctions", [](Cursor at, GatewayConfig& into) { into.junctions = list(at, junction); }},
                              {"access", [](Cursor at, GatewayConfig& into) { into.access = list(at, access_rule); }},
                              {"policies", [](Cursor at, GatewayConfig& into) { into.policies = list(at, policy); }},
                              {"blocked-methods", [](Cursor at, GatewayConfig& into) { into.blocked_methods = one_or_more(at, filled); }},
                              {"trusted-proxies", [](Cursor at, GatewayConfig& into) { into.trusted_proxies = one_or_more(at, filled); }},
                              {"pages", [](Cursor at, GatewayConfig& into) { set(into.pages, filled(at)); }},
                              {"logs", [](Cursor at, GatewayConfig& into) { read_map(at, "`logs`", kLogs, into.logs); }},
                              {"sessions", [](Cursor at, GatewayConfig& into) { read_map(at, "`sessions`", kSessions, into); }},
                              {"limits", [](Cursor at, GatewayConfig& into) { read_map(at, "`limits`", kLimits, into); }},
                              {"timeouts", [](Cursor at, GatewayConfig& into) { read_map(at, "`timeouts`", kTimeouts, into.timeouts); }},
                          });
  return fields;
}

}  // namespace

Result<GatewayConfig, Errors> parse_gateway(std::string_view text, const std::string& path) {
  return parse<GatewayConfig>(text, path, "a gateway's file", gateway_fields(),
                              [](Cursor at, const GatewayConfig& config) { check_service(at, config.service, "http", "https"); });
}

Result<Junction, Errors> parse_junction(std::string_view text, const std::string& path) {
  Diagnostics errors(text, path);
  std::optional<Junction> read;
  if (const auto root = parse_document(text, errors)) {
    read = junction(Cursor{*root, "junction", errors});
  }
  Errors found = errors.take();
  return found.empty() && read ? Result<Junction, Errors>(std::move(*read)) : Result<Junction, Errors>(std::move(found));
}

}  // namespace lab::config
