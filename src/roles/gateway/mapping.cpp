#include "roles/gateway/mapping.hpp"

#include "http/message.hpp"

namespace lab::gateway {

namespace {

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) {
    text.remove_prefix(1);
  }
  while (text.ends_with(' ') || text.ends_with('\t')) {
    text.remove_suffix(1);
  }
  return text;
}

std::string below_point(std::string_view path, const Mount& mount) {
  std::string mapped = mount.junction.transparent ? std::string{} : mount.point;
  if (path.empty() || path.front() != '/') {
    mapped += '/';  // "http://host?x" has an empty path
  }
  mapped += path;
  return mapped;
}

// "host" is "host:80" for http and "host:443" for https.
std::string with_port(std::string_view authority, std::string_view scheme) {
  const auto colon = authority.rfind(':');
  const bool has_port = colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos;
  return std::string(authority) + (has_port ? "" : http::equals_ignore_case(scheme, "https") ? ":443" : ":80");
}

bool is_server(std::string_view authority, std::string_view scheme, const Mount& mount, const Server& server) {
  const std::string_view own_scheme = mount.junction.type == JunctionType::ssl ? "https" : "http";
  const std::string asked = with_port(authority, scheme);
  const std::string host = server.host.find(':') == std::string::npos ? server.host : "[" + server.host + "]";
  return http::equals_ignore_case(asked, host + ":" + std::to_string(server.endpoint.port)) ||
         http::equals_ignore_case(asked, with_port(server.host_header, own_scheme));
}

}  // namespace

std::string map_location(std::string_view value, const Mount& mount, const Server& server) {
  const std::string_view own_scheme = mount.junction.type == JunctionType::ssl ? "https" : "http";
  std::string_view scheme = own_scheme, rest = value;
  const auto colon = value.find(':');
  const bool absolute =
      colon != std::string_view::npos && value.substr(colon).starts_with("://") &&
      (http::equals_ignore_case(value.substr(0, colon), "http") || http::equals_ignore_case(value.substr(0, colon), "https"));
  if (absolute) {
    scheme = value.substr(0, colon);
    rest = value.substr(colon + 1);
  }
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    const auto end = std::min(rest.find_first_of("/?#"), rest.size());
    return is_server(rest.substr(0, end), scheme, mount, server) ? below_point(rest.substr(end), mount) : std::string(value);
  }
  return value.starts_with('/') ? below_point(value, mount) : std::string(value);
}

std::string map_set_cookie(std::string_view value, const Mount& mount) {
  std::string mapped;
  for (bool first = true; first || !value.empty(); first = false) {
    const auto end = value.find(';');
    const std::string_view attribute = trim(value.substr(0, end));
    value = end == std::string_view::npos ? std::string_view{} : value.substr(end + 1);
    const auto equals = attribute.find('=');
    const std::string_view name = trim(attribute.substr(0, equals));
    const std::string_view path = equals == std::string_view::npos ? std::string_view{} : trim(attribute.substr(equals + 1));
    if (!first && http::equals_ignore_case(name, "Domain")) {
      continue;
    }
    mapped += first ? "" : "; ";
    if (!first && http::equals_ignore_case(name, "Path") && path.starts_with('/')) {
      std::string below = below_point(path, mount);
      if (path == "/" && below.size() > 1) {
        below.pop_back();  // "/app" matches /app and what is below it, "/app/" only the latter (RFC 6265 section 5.1.4)
      }
      mapped += "Path=" + below;
    } else {
      mapped += attribute;
    }
  }
  return mapped;
}

}  // namespace lab::gateway
