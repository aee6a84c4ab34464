#include "roles/load/cookies.hpp"

#include "http/message.hpp"

#include <algorithm>
#include <charconv>
#include <ctime>

namespace lab::load {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto begin = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

// RFC 6265 section 5.1.4.
std::string default_path(std::string_view path) {
  path = path.substr(0, path.find('?'));
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos || slash == 0 ? "/" : std::string(path.substr(0, slash));
}

bool path_matches(std::string_view request, std::string_view cookie) {
  request = request.substr(0, request.find('?'));
  return request.starts_with(cookie) && (request.size() == cookie.size() || cookie.ends_with('/') || request[cookie.size()] == '/');
}

bool past(std::string_view date) {
  tm when{};
  const std::string text(date);
  for (const char* format : {"%a, %d %b %Y %H:%M:%S", "%a, %d-%b-%Y %H:%M:%S"}) {
    if (strptime(text.c_str(), format, &when) != nullptr) {
      return timegm(&when) <= std::time(nullptr);
    }
  }
  return false;
}

struct Attributes {
  std::string path;
  bool secure = false;
  bool expired = false;
};

Attributes attributes_of(std::string_view rest, std::string_view request_path) {
  Attributes attributes{default_path(request_path)};
  bool aged = false;  // Max-Age counts before Expires
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    const auto equals = std::min(one.find('='), one.size());
    const std::string_view name = trimmed(one.substr(0, equals));
    const std::string_view value = trimmed(one.substr(std::min(equals + 1, one.size())));
    if (http::equals_ignore_case(name, "Path") && value.starts_with('/')) {
      attributes.path = value;
    } else if (http::equals_ignore_case(name, "Secure")) {
      attributes.secure = true;
    } else if (http::equals_ignore_case(name, "Max-Age")) {
      long long age = 0;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), age);
      aged = error == std::errc{} && end == value.data() + value.size();
      attributes.expired = aged ? age <= 0 : attributes.expired;
    } else if (http::equals_ignore_case(name, "Expires") && !aged) {
      attributes.expired = past(value);
    }
  }
  return attributes;
}

}  // namespace

void CookieJar::take(std::string_view set_cookie, std::string_view path) {
  const std::string_view pair = set_cookie.substr(0, set_cookie.find(';'));
  const auto equals = pair.find('=');
  const std::string_view name = trimmed(pair.substr(0, equals));
  if (equals == std::string_view::npos || name.empty() || pair.size() > kLongest) {
    return;
  }
  const Attributes attributes = attributes_of(set_cookie.substr(std::min(pair.size() + 1, set_cookie.size())), path);
  const std::string_view value = trimmed(pair.substr(equals + 1));
  const auto known = std::find_if(cookies_.begin(), cookies_.end(),
                                  [&](const Cookie& cookie) { return cookie.name == name && cookie.path == attributes.path; });
  if (known != cookies_.end() && !attributes.expired && known->value == value && known->secure == attributes.secure) {
    return;
  }
  if (known != cookies_.end()) {
    cookies_.erase(known);
    ++changes_;
  }
  if (!attributes.expired && cookies_.size() < kMost) {
    cookies_.push_back({std::string(name), std::string(value), attributes.path, attributes.secure});
    ++changes_;
  }
}

std::string CookieJar::header(std::string_view path, bool secure) const {
  std::string text;
  for (const Cookie& cookie : cookies_) {
    if (path_matches(path, cookie.path) && (secure || !cookie.secure)) {
      text.append(text.empty() ? "" : "; ").append(cookie.name).append("=").append(cookie.value);
    }
  }
  return text;
}

bool CookieJar::has_session() const {
  return std::any_of(cookies_.begin(), cookies_.end(), [](const Cookie& cookie) {
    return cookie.name.starts_with("PD-") && cookie.name.ends_with("-SESSION-ID") && !cookie.value.empty();
  });
}

}  // namespace lab::load
