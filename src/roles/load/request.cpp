#include "roles/load/request.hpp"

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

bool names_host(const std::string& header) { return http::equals_ignore_case(std::string_view(header).substr(0, 5), "host:"); }

}  // namespace

void write_request(std::string& out, const Url& url, const std::vector<std::string>& headers, const RequestParts& parts) {
  out.assign("GET ").append(url.target).append(" HTTP/1.1\r\n");
  if (std::none_of(headers.begin(), headers.end(), names_host)) {
    out.append("Host: ").append(url.authority).append("\r\n");
  }
  for (const std::string& header : headers) {
    out.append(header).append("\r\n");
  }
  if (!parts.authorization.empty()) {
    out.append("Authorization: ").append(parts.authorization).append("\r\n");
  }
  if (!parts.cookie.empty()) {
    out.append("Cookie: ").append(parts.cookie).append("\r\n");
  }
  out.append(parts.close ? "Connection: close\r\n\r\n" : "\r\n");
}

std::string basic_authorization(const Credentials& credentials) { return "Basic " + base64(credentials.user + ":" + credentials.password); }

std::string_view session_cookie(std::string_view set_cookie) {
  constexpr std::size_t max = 4096;
  const std::string_view pair = set_cookie.substr(0, std::min(set_cookie.find(';'), set_cookie.size()));
  const std::string_view name = pair.substr(0, std::min(pair.find('='), pair.size()));
  return name.starts_with("PD-") && name.ends_with("-SESSION-ID") && pair.size() > name.size() && pair.size() <= max ? pair
                                                                                                                     : std::string_view();
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
