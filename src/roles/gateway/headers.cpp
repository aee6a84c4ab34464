#include "roles/gateway/headers.hpp"

#include "roles/gateway/mapping.hpp"
#include "roles/gateway/sessions.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace lab::gateway {

namespace {

enum class Fate { keep, drop, cookie, authorization, forwarding };

char folded(char c) {
  const bool digit = c >= '0' && c <= '9';
  const char lower = static_cast<char>(c | 0x20);
  return digit ? c : lower >= 'a' && lower <= 'z' ? lower : '-';
}

// As CGI-like back ends spell names: without case, and '-', '_', '.' and all other signs alike. `spelled` is in lower case with '-'.
bool starts_as(std::string_view name, std::string_view spelled) {
  return name.size() >= spelled.size() &&
         std::equal(spelled.begin(), spelled.end(), name.begin(), [](char expected, char c) { return folded(c) == expected; });
}

bool is_spelled(std::string_view name, std::string_view spelled) { return name.size() == spelled.size() && starts_as(name, spelled); }

template <std::size_t N>
bool is_any(std::string_view name, const std::array<std::string_view, N>& spelled) {
  return std::any_of(spelled.begin(), spelled.end(), [name](std::string_view one) { return is_spelled(name, one); });
}

constexpr std::array<std::string_view, 7> kHopByHop{"connection", "keep-alive",    "te", "trailer", "transfer-encoding",
                                                    "upgrade",    "http2-settings"};

// Told apart by the first letter, since most headers are none of these.
bool is_hop_by_hop(std::string_view name) {
  switch (folded(name.front())) {
    case 'c':
    case 'h':
    case 'k':
    case 't':
    case 'u': return is_any(name, kHopByHop);
    case 'p': return starts_as(name, "proxy-");
    default: return false;
  }
}

Fate fate_of_request_header(std::string_view name) {
  switch (folded(name.front())) {
    case 'a': return is_spelled(name, "authorization") ? Fate::authorization : Fate::keep;
    case 'c':
      if (is_spelled(name, "cookie")) {
        return Fate::cookie;
      }
      return is_spelled(name, "content-length") || is_hop_by_hop(name) ? Fate::drop : Fate::keep;
    case 'e': return is_spelled(name, "expect") ? Fate::drop : Fate::keep;
    case 'f': return is_spelled(name, "forwarded") ? Fate::forwarding : Fate::keep;
    case 'h': return is_spelled(name, "host") || is_hop_by_hop(name) ? Fate::drop : Fate::keep;
    case 'i': return starts_as(name, "iv-") ? Fate::drop : Fate::keep;
    case 'm': return is_spelled(name, "max-forwards") ? Fate::drop : Fate::keep;
    case 'x':
      if (is_spelled(name, "x-forwarded-for")) {
        return Fate::drop;  // written anew
      }
      return starts_as(name, "x-forwarded-") || is_spelled(name, "x-real-ip") ? Fate::forwarding : Fate::keep;
    default: return is_hop_by_hop(name) ? Fate::drop : Fate::keep;
  }
}

// The headers that Connection names, beyond its usual options.
class Nominated {
 public:
  explicit Nominated(const std::vector<http::Header>& headers) {
    for (const http::Header& header : headers) {
      if (header.name.size() == 10 && http::equals_ignore_case(header.name, "Connection") && names_some(header.value)) {
        lists_.push_back(header.value);
      }
    }
  }

  bool has(std::string_view name) const {
    return std::any_of(lists_.begin(), lists_.end(), [name](std::string_view list) { return http::token_in(list, name); });
  }

 private:
  static bool names_some(std::string_view list) {
    return !http::equals_ignore_case(list, "keep-alive") && !http::equals_ignore_case(list, "close");
  }

  std::vector<std::string_view> lists_;
};

// In one go: every header of every request and response comes through here.
void append_line(std::string& out, std::string_view name, std::string_view value) {
  const std::size_t before = out.size();
  out.resize(before + name.size() + value.size() + 4);
  char* at = std::copy(name.begin(), name.end(), out.data() + before);
  *at++ = ':';
  *at++ = ' ';
  at = std::copy(value.begin(), value.end(), at);
  *at++ = '\r';
  *at = '\n';
}

void append_length(std::string& out, std::uint64_t length) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), length).ptr;
  append_line(out, "Content-Length", {digits.data(), static_cast<std::size_t>(end - digits.data())});
}

void append_framing(std::string& out, const http::Body& body) {
  if (body.kind == http::BodyKind::chunked) {
    out += "Transfer-Encoding: chunked\r\n";
  } else if (body.kind == http::BodyKind::length) {
    append_length(out, body.length);
  }
}

void append_cookies(std::string& out, const http::Header& header, const Mount& mount) {
  if (!has_own_cookie(header.value)) {
    append_line(out, header.name, header.value);
    return;
  }
  const std::string kept = without_own_cookies(header.value, mount.junction.session_cookie);
  if (!kept.empty()) {
    append_line(out, header.name, kept);
  }
}

void append_identity(std::string& out, const RequestHead& head) {
  const Identity& wanted = head.mount.junction.identity;
  if (wanted.user) {
    append_line(out, "iv-user", head.principal.iv_user);
  }
  if (wanted.groups && !head.principal.iv_groups.empty()) {
    append_line(out, "iv-groups", head.principal.iv_groups);
  }
  if (wanted.creds) {
    append_line(out, "iv-creds", head.principal.iv_creds);
  }
  if (wanted != Identity{}) {
    append_line(out, "iv_server_name", head.server_name);
  }
  if (head.mount.junction.client_address) {
    append_line(out, "iv-remote-address", head.client_address);
  }
}

// -B before -b: the gateway's own login is for everybody.
void append_authorization(std::string& out, const RequestHead& head) {
  const Mount& mount = head.mount;
  if (!mount.login.empty()) {
    append_line(out, "Authorization", mount.login);
  } else if (mount.junction.basic == BasicHeader::supply && head.principal.authenticated) {
    append_line(out, "Authorization", basic_authorization(head.principal.user, mount.junction.supply_password));
  } else if (mount.junction.basic == BasicHeader::gso) {
    if (const auto found = mount.gso.find(head.principal.user); found != mount.gso.end()) {
      append_line(out, "Authorization", found->second);
    }
  }
}

void append_forwarding(std::string& out, const RequestHead& head) {
  out += head.request.minor == 0 ? "Via: 1.0 " : "Via: 1.1 ";
  out += head.server_name;
  out += "\r\nX-Forwarded-For: ";
  if (head.from_trusted_proxy) {
    for (const http::Header& header : head.request.headers) {
      if (http::equals_ignore_case(header.name, "X-Forwarded-For") && !header.value.empty()) {
        out += header.value;
        out += ", ";
      }
    }
  }
  out += head.peer_address;
  out += "\r\n";
  if (!head.from_trusted_proxy || !head.request.find("X-Forwarded-Proto")) {
    append_line(out, "X-Forwarded-Proto", head.https ? "https" : "http");
  }
  if (!head.request.host.empty() && (!head.from_trusted_proxy || !head.request.find("X-Forwarded-Host"))) {
    append_line(out, "X-Forwarded-Host", head.request.host);
  }
}

void append_target(std::string& out, const RequestHead& head) {
  std::string_view path = head.path.path;
  if (!head.mount.junction.transparent) {
    path.remove_prefix(head.mount.point.size());
  }
  if (path.empty()) {
    out += '/';
  }
  out += path;
  out += head.path.query;
}

// A back end has no say over the gateway's own cookies.
bool is_own_cookie(std::string_view value) {
  const std::string_view name = value.substr(0, value.find_first_of("=; \t"));
  return name == session_cookie_name(Transport::http) || name == session_cookie_name(Transport::https) || name == kJunctionCookie ||
         name.starts_with(kStatefulCookie);
}

void append_status_line(std::string& out, const http::Response& response) {
  std::array<char, 13> start{'H', 'T', 'T', 'P', '/', '1', '.', '1', ' '};
  start[9] = static_cast<char>('0' + response.status / 100);
  start[10] = static_cast<char>('0' + response.status / 10 % 10);
  start[11] = static_cast<char>('0' + response.status % 10);
  start[12] = ' ';
  out.append(start.data(), start.size());
  out += response.reason;
  out += "\r\n";
}

// One end-to-end header of a response. Told apart by length first, since most are none of these.
void append_response_header(std::string& out, const http::Header& header, const ResponseHead& head) {
  const auto is = [&header](std::string_view name) { return http::equals_ignore_case(header.name, name); };
  switch (header.name.size()) {
    case 8:
      if (is("Location")) {
        return append_line(out, header.name, map_location(header.value, head.mount, head.server));
      }
      break;
    case 10:
      if (is("Set-Cookie")) {
        return is_own_cookie(header.value) ? void() : append_line(out, header.name, map_set_cookie(header.value, head.mount));
      }
      break;
    case 14:
      if (head.response.status == 204 && is("Content-Length")) {
        return;
      }
      break;
    case 16:
      if (is("Content-Location")) {
        return append_line(out, header.name, map_location(header.value, head.mount, head.server));
      }
      break;
    default: break;
  }
  append_line(out, header.name, header.value);
}

bool append_response_headers(std::string& out, const ResponseHead& head) {
  const Nominated nominated(head.response.headers);
  bool has_date = false;
  for (const http::Header& header : head.response.headers) {
    if (is_hop_by_hop(header.name) || nominated.has(header.name)) {
      continue;
    }
    has_date = has_date || (header.name.size() == 4 && http::equals_ignore_case(header.name, "Date"));
    append_response_header(out, header, head);
  }
  return has_date;
}

}  // namespace

bool is_of_connection(std::string_view name) { return is_hop_by_hop(name); }

void append_request_head(std::string& out, const RequestHead& head) {
  const http::Request& request = head.request;
  out += request.method;
  out += ' ';
  append_target(out, head);
  out += " HTTP/1.1\r\n";
  append_line(out, "Host", head.server.host_header);
  const Nominated nominated(request.headers);
  const bool authorization = head.mount.junction.basic == BasicHeader::ignore && head.mount.login.empty();
  for (const http::Header& header : request.headers) {
    const Fate fate = fate_of_request_header(header.name);
    const bool kept = fate == Fate::keep || fate == Fate::cookie || (fate == Fate::authorization && authorization) ||
                      (fate == Fate::forwarding && head.from_trusted_proxy);
    if (!kept || nominated.has(header.name)) {
      continue;
    }
    if (fate == Fate::cookie) {
      append_cookies(out, header, head.mount);
    } else {
      append_line(out, header.name, header.value);
    }
  }
  append_authorization(out, head);
  append_framing(out, request.body);
  append_identity(out, head);
  append_forwarding(out, head);
  if (head.upgrade) {
    out += "Connection: Upgrade\r\nUpgrade: websocket\r\n";
  }
  out += "\r\n";
}

void append_response_head(std::string& out, const ResponseHead& head) {
  append_status_line(out, head.response);
  if (!append_response_headers(out, head)) {
    append_line(out, "Date", head.date);
  }
  if (head.chunked) {
    out += "Transfer-Encoding: chunked\r\n";
  }
  if (!head.keep_alive) {
    out += "Connection: close\r\n";
  } else if (head.client_minor == 0) {
    out += "Connection: keep-alive\r\n";
  }
  out += head.set_cookie_lines;
  out += "\r\n";
}

void append_switching_head(std::string& out, const ResponseHead& head) {
  append_status_line(out, head.response);
  append_response_headers(out, head);
  out += "Connection: Upgrade\r\nUpgrade: websocket\r\n";
  out += head.set_cookie_lines;
  out += "\r\n";
}

void append_interim_head(std::string& out, const http::Response& response) {
  append_status_line(out, response);
  const Nominated nominated(response.headers);
  for (const http::Header& header : response.headers) {
    const bool length = http::equals_ignore_case(header.name, "Content-Length");
    if (!length && !is_hop_by_hop(header.name) && !nominated.has(header.name)) {
      append_line(out, header.name, header.value);
    }
  }
  out += "\r\n";
}

}  // namespace lab::gateway
