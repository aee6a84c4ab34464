#include "roles/load/request.hpp"

#include "http/characters.hpp"
#include "http/message.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace lab::load {

namespace {

std::string base64(std::string_view bytes) {
  static constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (j < n ? static_cast<std::uint8_t>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      out.push_back(j <= n ? letters[group >> (18 - 6 * j) & 63] : '=');
    }
  }
  return out;
}

// application/x-www-form-urlencoded, with a blank as %20.
std::string encoded(std::string_view text) {
  static constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~') {
      out += c;
    } else {
      out.append(1, '%').append(1, digits[byte >> 4U]).append(1, digits[byte & 15U]);
    }
  }
  return out;
}

bool names_host(const std::string& header) { return http::equals_ignore_case(std::string_view(header).substr(0, 5), "host:"); }

}  // namespace

void write_request(std::string& out, const Url& url, const std::vector<std::string>& headers, const RequestParts& parts) {
  out.assign(parts.method).append(" ").append(parts.target.empty() ? std::string_view(url.target) : parts.target).append(" HTTP/1.1\r\n");
  if (std::none_of(headers.begin(), headers.end(), names_host)) {
    out.append("Host: ").append(url.authority).append("\r\n");
  }
  for (const std::string& header : headers) {
    out.append(header).append("\r\n");
  }
  const auto put = [&out](std::string_view name, std::string_view value) {
    if (!value.empty()) {
      out.append(name).append(value).append("\r\n");
    }
  };
  put("Authorization: ", parts.authorization);
  put("Cookie: ", parts.cookie);
  put("Content-Type: ", parts.type);
  if (!parts.body.empty() || (parts.method != "GET" && parts.method != "HEAD")) {
    put("Content-Length: ", std::to_string(parts.body.size()));
  }
  out.append(parts.close ? "Connection: close\r\n\r\n" : "\r\n").append(parts.body);
}

std::string basic_authorization(const Credentials& credentials) { return "Basic " + base64(credentials.user + ":" + credentials.password); }

std::string login_form(const Credentials& credentials) {
  return "username=" + encoded(credentials.user) + "&password=" + encoded(credentials.password) + "&login-form-type=pwd";
}

Result<void> check_header(const std::string& header) {
  static constexpr std::array<std::string_view, 7> own{
      "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Upgrade", "Expect", "Trailer"};
  const auto colon = header.find(':');
  const std::string_view name = std::string_view(header).substr(0, colon);
  if (colon == std::string::npos || name.empty() || !std::all_of(name.begin(), name.end(), http::is_token_char) ||
      !std::all_of(header.begin(), header.end(), http::is_field_char)) {
    return Error{"\"" + header + "\" is no header", {}, "write 'Name: value'", {}, Failure::usage};
  }
  const auto* const known = std::find_if(own.begin(), own.end(), [&](std::string_view one) { return http::equals_ignore_case(one, name); });
  if (known != own.end()) {
    return Error{"a " + std::string(*known) + " header of one's own would break the framing of requests",
                 {},
                 "leave it out: lab load writes it where it is due (--close closes connections)",
                 {},
                 Failure::usage};
  }
  return {};
}

Users::Users(const LoadConfig& config)
    : listed_(config.users),
      count_(config.generated_users ? *config.generated_users : config.users.size()),
      clients_(static_cast<std::size_t>(std::max(config.clients, 1))),
      first_(config.first_user) {
  if (config.generated_users) {
    listed_.clear();
  }
}

Credentials Users::at(std::size_t index) const {
  if (!listed_.empty()) {
    return listed_[index];
  }
  std::array<char, 32> number{};
  std::snprintf(number.data(), number.size(), "%06zu", first_ + index);
  return {std::string("user") + number.data(), std::string("secret") + number.data()};
}

Credentials Users::fixed(std::size_t client) const { return at(client % count_); }

Credentials Users::next(std::size_t client, std::uint64_t turn) const {
  if (count_ < clients_) {
    return at((client + turn) % count_);
  }
  const std::size_t begin = client * count_ / clients_;
  const std::size_t end = (client + 1) * count_ / clients_;
  return at(begin + turn % (end - begin));
}

}  // namespace lab::load
