#include "roles/gateway/login_form.hpp"

namespace lab::gateway {

namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
    if (high < 0 || low < 0 || high + low == 0) {
      return std::nullopt;
    }
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

}  // namespace

std::optional<LoginForm> parse_login_form(std::string_view body) {
  std::optional<std::string> user, password, type;
  while (!body.empty()) {
    const auto end = body.find('&');
    const std::string_view field = body.substr(0, end);
    const auto equals = field.find('=');
    const std::string_view name = field.substr(0, equals);
    std::optional<std::string>* const wanted = name == "username"          ? &user
                                               : name == "password"        ? &password
                                               : name == "login-form-type" ? &type
                                                                           : nullptr;
    if (wanted != nullptr) {
      if (*wanted) {
        return std::nullopt;
      }
      *wanted = decoded(equals == std::string_view::npos ? std::string_view{} : field.substr(equals + 1));
      if (!*wanted) {
        return std::nullopt;
      }
    }
    body = end == std::string_view::npos ? std::string_view{} : body.substr(end + 1);
  }
  if (!user || !password || type != "pwd") {
    return std::nullopt;
  }
  return LoginForm{std::move(*user), std::move(*password)};
}

}  // namespace lab::gateway
