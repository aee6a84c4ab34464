#include "roles/gateway/sessions.hpp"

#include <openssl/rand.h>
#include <algorithm>
#include <array>
#include <stdexcept>

namespace lab::gateway {

namespace {

constexpr std::size_t kMaxShards = 16;
constexpr std::size_t kShardEntries = 256;  // fewer are not worth a shard of their own, and evict too early

std::string random_id() {
  static constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::array<unsigned char, 33> bytes{};
  if (RAND_bytes(bytes.data(), 32) != 1) {
    throw std::runtime_error("no random numbers for a session id");
  }
  std::string id;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t word = static_cast<std::uint32_t>(bytes[i]) << 16U | static_cast<std::uint32_t>(bytes[i + 1]) << 8U | bytes[i + 2];
    for (unsigned shift = 24; shift > 0;) {
      shift -= 6;
      id += letters[word >> shift & 63U];
    }
  }
  id.resize(43);
  return id;
}

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ')) {
    text.remove_prefix(1);
  }
  while (text.ends_with(' ')) {
    text.remove_suffix(1);
  }
  return text;
}

// Calls visit(name, value, pair) for each cookie until it returns false.
template <class Visit>
void each_cookie(std::string_view cookies, const Visit& visit) {
  while (!cookies.empty()) {
    const auto end = cookies.find(';');
    const std::string_view pair = trim(cookies.substr(0, end));
    const auto equals = pair.find('=');
    if (!pair.empty() &&
        !visit(trim(pair.substr(0, equals)), equals == std::string_view::npos ? "" : trim(pair.substr(equals + 1)), pair)) {
      return;
    }
    cookies = end == std::string_view::npos ? std::string_view{} : cookies.substr(end + 1);
  }
}

}  // namespace

Sessions::Sessions(const Limits& limits) : limits_(limits) {
  const std::size_t shards = std::clamp<std::size_t>(limits.entries / kShardEntries, 1, kMaxShards);
  limits_.entries = std::max<std::size_t>(limits.entries / shards, 1);
  for (std::size_t i = 0; i < shards; ++i) {
    shards_.push_back(std::make_unique<Shard>());
  }
}

Sessions::Shard& Sessions::shard_of(std::string_view id) { return *shards_[std::hash<std::string_view>{}(id) % shards_.size()]; }

void Sessions::Shard::erase(std::list<Session>::iterator session) {
  by_id.erase(session->id);
  by_use.erase(session);
}

std::string Sessions::create(PrincipalPtr principal, Transport transport, net::Nanos now) {
  std::string id = random_id();
  Shard& shard = shard_of(id);
  const std::lock_guard lock(shard.mutex);
  if (shard.by_use.size() >= limits_.entries) {
    shard.erase(std::prev(shard.by_use.end()));
  }
  shard.by_use.push_front({id, std::move(principal), transport, now, now});
  shard.by_id.emplace(shard.by_use.front().id, shard.by_use.begin());
  return id;
}

PrincipalPtr Sessions::find(std::string_view id, Transport transport, net::Nanos now) {
  Shard& shard = shard_of(id);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.by_id.find(id);
  if (found == shard.by_id.end() || found->second->transport != transport) {
    return nullptr;
  }
  Session& session = *found->second;
  if (now - session.created > limits_.lifetime || now - session.used > limits_.idle) {
    shard.erase(found->second);
    return nullptr;
  }
  session.used = now;
  shard.by_use.splice(shard.by_use.begin(), shard.by_use, found->second);
  return session.principal;
}

void Sessions::remove(std::string_view id) {
  Shard& shard = shard_of(id);
  const std::lock_guard lock(shard.mutex);
  if (const auto found = shard.by_id.find(id); found != shard.by_id.end()) {
    shard.erase(found->second);
  }
}

std::size_t Sessions::size() const {
  std::size_t all = 0;
  for (const auto& shard : shards_) {
    const std::lock_guard lock(shard->mutex);
    all += shard->by_use.size();
  }
  return all;
}

std::string_view session_cookie_name(Transport transport) { return transport == Transport::https ? "PD-S-SESSION-ID" : "PD-H-SESSION-ID"; }

std::string_view session_id_in(std::string_view cookies, Transport transport) {
  std::string_view id;
  each_cookie(cookies, [&](std::string_view name, std::string_view value, std::string_view) {
    if (name == session_cookie_name(transport)) {
      id = value;
    }
    return id.empty();
  });
  return id;
}

std::string without_session_cookies(std::string_view cookies) {
  std::string kept;
  each_cookie(cookies, [&](std::string_view name, std::string_view, std::string_view pair) {
    if (name != session_cookie_name(Transport::http) && name != session_cookie_name(Transport::https)) {
      kept += kept.empty() ? "" : "; ";
      kept += pair;
    }
    return true;
  });
  return kept;
}

std::string set_cookie_line(Transport transport, std::string_view id) {
  std::string line = "Set-Cookie: ";
  line += session_cookie_name(transport);
  line += '=';
  line += id;
  line += "; Path=/; HttpOnly";
  line += transport == Transport::https ? "; Secure\r\n" : "\r\n";
  return line;
}

}  // namespace lab::gateway
