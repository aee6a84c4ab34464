// Who asks, with the values that back ends are told, made once at login.
#pragma once

#include "roles/gateway/authenticator.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lab::gateway {

struct Principal {
  std::string user;
  std::vector<std::string> groups;  // sorted
  bool authenticated = true;
  std::string iv_user;    // safe as header values, whatever the directory holds
  std::string iv_groups;  // "a","b"
  std::string iv_creds;   // Version=1, <base64 of {"user":…,"groups":[…]}>
};
using PrincipalPtr = std::shared_ptr<const Principal>;

PrincipalPtr make_principal(const Login& login);
PrincipalPtr make_unauthenticated();  // iv-user is `Unauthenticated`, no groups

std::string basic_authorization(const std::string& user, const std::string& password);  // "Basic …", RFC 7617

struct BasicCredentials {
  std::string user, password;
};
// The value of an Authorization header (RFC 7617); nothing when it is of another scheme or malformed.
std::optional<BasicCredentials> parse_basic(std::string_view value);

}  // namespace lab::gateway
