#include "roles/gateway/admission.hpp"

#include "roles/gateway/login_form.hpp"

#include <algorithm>
#include <ctime>
#include <optional>

namespace lab::gateway {

namespace {

using Kind = Ruling::Kind;

Ruling refuse(int status, std::string_view why, std::string headers = {}) { return {Kind::refuse, status, why, std::move(headers)}; }

// RFC 7617: the realm is a quoted string.
std::string challenge(std::string_view realm) {
  std::string line = "WWW-Authenticate: Basic realm=\"";
  for (const char c : realm) {
    line += c == '"' || c == '\\' ? "\\" : "";
    line += c;
  }
  return line + "\"\r\n";
}

std::string_view last_of_list(std::string_view list) {
  const auto comma = list.rfind(',');
  std::string_view last = comma == std::string_view::npos ? list : list.substr(comma + 1);
  while (last.starts_with(' ') || last.starts_with('\t')) {
    last.remove_prefix(1);
  }
  return last;
}

// The nearest address of X-Forwarded-For that is no trusted proxy's: everything further away could be made up.
std::string client_behind(const Networks& proxies, const http::Request& request, std::string_view peer) {
  std::string client(peer);
  for (auto header = request.headers.rbegin(); header != request.headers.rend(); ++header) {
    if (!http::equals_ignore_case(header->name, "X-Forwarded-For")) {
      continue;
    }
    for (std::string_view list = header->value; !list.empty();) {
      const std::string_view last = last_of_list(list);
      if (last.empty() || last.find_first_not_of("0123456789abcdefABCDEF.:") != std::string_view::npos) {
        return client;
      }
      client = last;
      if (!proxies.contains(client)) {
        return client;
      }
      const auto comma = list.rfind(',');
      list = comma == std::string_view::npos ? std::string_view{} : list.substr(0, comma);
    }
  }
  return client;
}

// Upgrade to WebSocket (RFC 6455 section 4.1); every other protocol is ignored, as RFC 9110 section 7.8 allows.
bool asks_for_websocket(const http::Request& request) {
  if (request.method != "GET" || request.minor == 0 || request.body.kind != http::BodyKind::none) {
    return false;
  }
  const auto upgrade = request.find("Upgrade");
  const auto connection = request.find("Connection");
  return upgrade && connection && http::equals_ignore_case(*upgrade, "websocket") && http::token_in(*connection, "upgrade");
}

// Methods, limits and forms of the target that are refused or answered whatever is asked for.
std::optional<Ruling> rule_on_form(ThreadContext& thread, Exchange& exchange) {
  const Site& site = *thread.site;
  const http::Request& request = exchange.request;
  if (request.method == "CONNECT" || site.is_blocked(request.method)) {
    return refuse(405, "This method is not allowed here.", site.allow);
  }
  if (site.config.max_body != 0 && request.body.kind == http::BodyKind::length && request.body.length > site.config.max_body) {
    return refuse(413, "The request's body is larger than this gateway takes.");
  }
  // RFC 9110 section 7.6.2: it is for the gateway itself.
  const bool last_hop = request.method == "OPTIONS" && request.find("Max-Forwards").value_or("") == "0";
  if (request.target == "*" || last_hop) {
    return Ruling{Kind::no_content, 204, {}, site.allow};
  }
  if (!normalise_path(request.target, exchange.path)) {
    return refuse(400, "The path can be read in more than one way.");
  }
  return std::nullopt;
}

struct FromHeaders {
  std::optional<BasicCredentials> credentials;
  std::string_view junction;  // the value of IV_JCT
  KeptPtr kept;
};

// The session whose cookie is valid, whatever forged ones stand beside it.
FromHeaders read_headers(ThreadContext& thread, Exchange& exchange) {
  FromHeaders found;
  for (const http::Header& header : exchange.request.headers) {
    if (header.name.size() == 13 && http::equals_ignore_case(header.name, "Authorization")) {
      found.credentials = parse_basic(header.value);
    }
    if (header.name.size() != 6 || !http::equals_ignore_case(header.name, "Cookie") || !has_own_cookie(header.value)) {
      continue;
    }
    each_cookie(header.value, [&](std::string_view name, std::string_view value, std::string_view) {
      if (name == kJunctionCookie) {
        found.junction = value;
      } else if (exchange.principal == nullptr && name == session_cookie_name(exchange.transport)) {
        const Sessions::Found session = thread.shared.sessions.find(value, exchange.transport, thread.loop.now());
        if (session.principal != nullptr) {
          exchange.principal = session.principal;
          exchange.session_id = value;
          found.kept = session.kept;
        } else if (thread.shared.kept.find(value, thread.loop.now()) != nullptr) {
          exchange.kept_id = value;
        }
      }
      return true;
    });
  }
  return found;
}

std::string unescaped(std::string_view value) {
  std::string out;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const bool slash = value.substr(i, 3) == "%2F" || value.substr(i, 3) == "%2f";
    out += slash ? '/' : value[i];
    i += slash ? 2 : 0;
  }
  return out;
}

// -j: a path that no junction but the root's has is one of the junction that the cookie names, and is judged as such.
void find_mount(ThreadContext& thread, Exchange& exchange, std::string_view junction_cookie) {
  const Junctions& junctions = thread.site->junctions;
  std::size_t index = junctions.find(exchange.request.host, exchange.path.path);
  const bool vague =
      index == Junctions::kNone || (junctions.all()[index]->point.empty() && junctions.all()[index]->junction.virtual_host.empty());
  if (!junction_cookie.empty() && vague) {
    const std::size_t named = junctions.find_name(unescaped(junction_cookie));
    if (named != Junctions::kNone && junctions.all()[named]->junction.junction_cookie && !junctions.all()[named]->point.empty()) {
      const std::string& point = junctions.all()[named]->point;
      exchange.path.path.insert(0, point);
      if (!exchange.path.without_parameters.empty()) {
        exchange.path.without_parameters.insert(0, point);
      }
      index = named;
    }
  }
  if (index != Junctions::kNone) {
    exchange.mount = thread.mounts[index];
  }
}

void find_pinned(Exchange& exchange) {
  const Mount& mount = exchange.mount->mount();
  for (const http::Header& header : exchange.request.headers) {
    if (!http::equals_ignore_case(header.name, "Cookie")) {
      continue;
    }
    each_cookie(header.value, [&](std::string_view name, std::string_view value, std::string_view) {
      if (name == mount.stateful_cookie) {
        const auto server =
            std::find_if(mount.servers.begin(), mount.servers.end(), [value](const Server& one) { return one.uuid == value; });
        if (server != mount.servers.end()) {
          exchange.pinned = static_cast<std::size_t>(server - mount.servers.begin());
        }
      }
      return exchange.pinned == kNoServer;
    });
  }
}

Letters letters_of(const Exchange& exchange) { return exchange.mount ? letters_of(exchange.mount->mount()) : Letters::exact; }

const char* objection_to(const Policies& policies, const Exchange& exchange) {
  if (policies.empty()) {
    return nullptr;
  }
  const bool https = exchange.transport == Transport::https;
  return policies.objection(exchange.path.judged(), letters_of(exchange), https, exchange.client_address, std::time(nullptr));
}

// Credentials are looked at where they can matter: on a protected path, or where the back end is told who asks.
bool needs_login(const ThreadContext& thread, const Exchange& exchange, const BasicCredentials& credentials) {
  const GatewayConfig& config = thread.site->config;
  if (thread.authenticator == nullptr || !is_offered(config.basic, exchange.transport)) {
    return false;
  }
  if (exchange.principal != nullptr && http::equals_ignore_case(exchange.principal->user, credentials.user)) {
    return false;
  }
  const bool told = exchange.mount && exchange.mount->mount().junction.identity != Identity{};
  return told || !thread.site->access.is_public(exchange.path.judged(), letters_of(exchange));
}

// What a browser fetches for itself, as an icon, is not what its user wants to come back to (Fetch Metadata).
bool is_fetched_for_itself(const http::Request& request) {
  const auto mode = request.find("Sec-Fetch-Mode");
  return mode && *mode != "navigate";
}

Ruling want_login(const ThreadContext& thread, const Exchange& exchange) {
  const GatewayConfig& config = thread.site->config;
  if (is_offered(config.forms, exchange.transport) && thread.authenticator != nullptr) {
    return {is_fetched_for_itself(exchange.request) ? Kind::show_login : Kind::keep};
  }
  if (is_offered(config.basic, exchange.transport)) {
    return refuse(401, "This wants a login.", challenge(config.realm));
  }
  return refuse(403, "This wants a login, which is not offered here.");
}

Ruling route(Exchange& exchange) {
  if (!exchange.mount) {
    return refuse(404, "No junction is mounted here.");
  }
  const Mount& mount = exchange.mount->mount();
  if (mount.junction.junction_cookie) {
    exchange.set_cookie_lines += "Set-Cookie: " + std::string(kJunctionCookie) + "=" + mount.point + "; Path=/\r\n";
  }
  if (mount.junction.type == JunctionType::local) {
    return {Kind::local};
  }
  if (mount.junction.stateful) {
    find_pinned(exchange);
  }
  exchange.upgrade = asks_for_websocket(exchange.request);
  return {Kind::forward};
}

// The gateway's own URLs; nothing: it is none of them.
std::optional<Ruling> rule_on_own_path(const ThreadContext& thread, const Exchange& exchange) {
  if (thread.authenticator == nullptr || !exchange.path.path.starts_with("/pkms")) {
    return std::nullopt;
  }
  if (exchange.path.path == kLogoutPath) {
    return Ruling{Kind::log_out};
  }
  if (exchange.path.path != kLoginPath || !is_offered(thread.site->config.forms, exchange.transport)) {
    return std::nullopt;
  }
  if (exchange.request.method == "POST") {
    return Ruling{Kind::read_login};
  }
  const bool read = exchange.request.method == "GET" || exchange.request.method == "HEAD";
  return read ? Ruling{Kind::show_login} : refuse(405, "The form is sent with POST.", "Allow: GET, HEAD, POST\r\n");
}

bool is_asked_for_again(const Exchange& exchange, const KeptRequest& kept) {
  return exchange.request.method == "GET" && kept.location == exchange.path.path + std::string(exchange.path.query);
}

}  // namespace

bool is_offered(BasicAuthentication where, Transport transport) {
  switch (where) {
    case BasicAuthentication::none: return false;
    case BasicAuthentication::http: return transport == Transport::http;
    case BasicAuthentication::https: return transport == Transport::https;
    case BasicAuthentication::both: return true;
  }
  return false;
}

Ruling rule(ThreadContext& thread, Exchange& exchange, std::string_view peer_address) {
  const Site& site = *thread.site;
  exchange.client_address = peer_address;
  if (!site.trusted_proxies.empty() && site.trusted_proxies.contains(peer_address)) {
    exchange.from_trusted_proxy = true;
    exchange.client_address = client_behind(site.trusted_proxies, exchange.request, peer_address);
  }
  if (auto ruling = rule_on_form(thread, exchange)) {
    return std::move(*ruling);
  }
  FromHeaders found = read_headers(thread, exchange);
  if (found.kept != nullptr && is_asked_for_again(exchange, *found.kept)) {
    if (KeptPtr kept = thread.shared.sessions.take_kept(exchange.session_id)) {
      return {Kind::replay, 0, {}, {}, {}, std::move(kept)};
    }
  }
  if (auto ruling = rule_on_own_path(thread, exchange)) {
    return std::move(*ruling);
  }
  find_mount(thread, exchange, found.junction);
  if (const char* objection = objection_to(site.policies, exchange)) {
    return refuse(403, objection);
  }
  if (found.credentials && needs_login(thread, exchange, *found.credentials)) {
    Ruling ruling{Kind::authenticate};
    ruling.credentials = std::move(*found.credentials);
    return ruling;
  }
  return rule_after_login(thread, exchange);
}

Ruling rule_after_login(ThreadContext& thread, Exchange& exchange) {
  const char permission = permission_for(exchange.request.method);
  switch (thread.site->access.judge(exchange.path.judged(), letters_of(exchange), permission, exchange.principal.get())) {
    case Verdict::allowed: return route(exchange);
    case Verdict::forbidden: return refuse(403, "You may not see this.");
    case Verdict::login_wanted: break;
  }
  return want_login(thread, exchange);
}

}  // namespace lab::gateway
