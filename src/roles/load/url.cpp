#include "roles/load/url.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace lab::load {

namespace {

Error bad_url(const std::string& text, const std::string& why) {
  return {
      "\"" + text + "\" is no URL to load: " + why, {}, "write http://HOST[:PORT]/PATH or https://HOST[:PORT]/PATH", {}, Failure::usage};
}

bool parse_port(std::string_view text, std::uint16_t& port) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc{} && end == text.data() + text.size() && port != 0;
}

}  // namespace

Result<Url> parse_url(const std::string& text) {
  Url url;
  std::string_view rest = text;
  url.tls = rest.starts_with("https://");
  if (!url.tls && !rest.starts_with("http://")) {
    return bad_url(text, "neither http:// nor https://");
  }
  if (std::any_of(rest.begin(), rest.end(), [](char c) { return c <= ' ' || c >= 0x7f || c == '#'; })) {
    return bad_url(text, "a blank, a '#' or a byte that has to be written as %XX");
  }
  rest.remove_prefix(url.tls ? 8 : 7);
  const auto path = std::min(rest.find_first_of("/?"), rest.size());
  std::string_view authority = rest.substr(0, path);
  url.target = rest.substr(path);
  if (!url.target.starts_with('/')) {
    url.target.insert(0, "/");
  }
  url.path = url.target.substr(0, url.target.find('?'));
  if (authority.find('@') != std::string_view::npos) {
    return bad_url(text, "a user belongs in --user");
  }
  const std::uint16_t standard = url.tls ? 443 : 80;
  url.port = standard;
  const auto colon = authority.rfind(':');
  if (colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos) {
    if (!parse_port(authority.substr(colon + 1), url.port)) {
      return bad_url(text, "no such port");
    }
    authority = authority.substr(0, colon);
  }
  const bool bracketed = authority.starts_with('[') && authority.ends_with(']');
  if (authority.empty() || (!bracketed && authority.find_first_of("[]:") != std::string_view::npos)) {
    return bad_url(text, "no such host");
  }
  url.host = bracketed ? authority.substr(1, authority.size() - 2) : authority;
  url.authority = std::string(authority) + (url.port == standard ? "" : ":" + std::to_string(url.port));
  return url;
}

}  // namespace lab::load
