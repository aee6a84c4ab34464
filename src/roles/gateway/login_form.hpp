// The body that the login form sends (application/x-www-form-urlencoded).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lab::gateway {

inline constexpr std::string_view kLoginPath = "/pkmslogin.form";
inline constexpr std::string_view kLogoutPath = "/pkmslogout";
inline constexpr std::size_t kMaxLoginForm = 8 * 1024;

struct LoginForm {
  std::string user, password;  // may be empty
};

// Nothing where a field is missing or comes twice, an escape is bad, or login-form-type is not pwd.
std::optional<LoginForm> parse_login_form(std::string_view body);

}  // namespace lab::gateway
