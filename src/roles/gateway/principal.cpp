#include "roles/gateway/principal.hpp"

#include "http/message.hpp"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace lab::gateway {

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string base64(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      word = word << 8U | (i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += i + k > text.size() ? '=' : kAlphabet[word >> (18 - 6 * k) & 63U];
    }
  }
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  while (text.ends_with('=')) {
    text.remove_suffix(1);
  }
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const auto value = kAlphabet.find(c);
    if (value == std::string_view::npos) {
      return std::nullopt;
    }
    bits = bits << 6U | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out += static_cast<char>(bits >> static_cast<unsigned>(count) & 0xffU);
    }
  }
  return out;
}

// Control characters can't stand in a header; a directory may hold them.
std::string header_safe(std::string_view text) {
  std::string out(text);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return out;
}

std::string quoted_list(const std::vector<std::string>& groups) {
  std::string out;
  for (const std::string& group : groups) {
    out += out.empty() ? "\"" : ",\"";
    for (const char c : header_safe(group)) {
      if (c == '"' || c == '\\') {
        out += '\\';
      }
      out += c;
    }
    out += '"';
  }
  return out;
}

PrincipalPtr make(std::string user, std::vector<std::string> groups, bool authenticated) {
  auto principal = std::make_shared<Principal>();
  const boost::json::object creds{{"user", user}, {"groups", boost::json::array(groups.begin(), groups.end())}};
  principal->iv_user = header_safe(user);
  principal->iv_groups = quoted_list(groups);
  principal->iv_creds = "Version=1, " + base64(boost::json::serialize(creds));
  principal->user = std::move(user);
  principal->groups = std::move(groups);
  principal->authenticated = authenticated;
  return principal;
}

}  // namespace

PrincipalPtr make_principal(const Login& login) { return make(login.user, login.groups, true); }

PrincipalPtr make_unauthenticated() { return make("Unauthenticated", {}, false); }

std::string basic_authorization(const std::string& user, const std::string& password) { return "Basic " + base64(user + ":" + password); }

std::optional<BasicCredentials> parse_basic(std::string_view value) {
  constexpr std::string_view scheme = "Basic ";
  if (!http::equals_ignore_case(value.substr(0, scheme.size()), scheme)) {
    return std::nullopt;
  }
  value.remove_prefix(scheme.size());
  while (value.starts_with(' ')) {
    value.remove_prefix(1);
  }
  const auto decoded = from_base64(value);
  const auto colon = decoded ? decoded->find(':') : std::string::npos;
  if (colon == std::string::npos || decoded->find('\0') != std::string::npos) {
    return std::nullopt;
  }
  return BasicCredentials{decoded->substr(0, colon), decoded->substr(colon + 1)};
}

}  // namespace lab::gateway
