#include "roles/gateway/sessions.hpp"

#include <openssl/rand.h>
#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace lab::gateway {

namespace {

constexpr std::size_t kMaxShards = 16;
constexpr std::size_t kShardEntries = 256;  // fewer are not worth a shard of their own, and evict too early

}  // namespace

std::string random_session_id() {
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

namespace cookie_text {

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ')) {
    text.remove_prefix(1);
  }
  while (text.ends_with(' ')) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace cookie_text

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

std::string Sessions::create(PrincipalPtr principal, Transport transport, net::Nanos now, KeptPtr kept) {
  std::string id = random_session_id();
  Shard& shard = shard_of(id);
  const std::lock_guard lock(shard.mutex);
  if (shard.by_use.size() >= limits_.entries) {
    shard.erase(std::prev(shard.by_use.end()));
  }
  shard.by_use.push_front({id, std::move(principal), transport, now, now, std::move(kept)});
  shard.by_id.emplace(shard.by_use.front().id, shard.by_use.begin());
  return id;
}

Sessions::Found Sessions::find(std::string_view id, Transport transport, net::Nanos now) {
  Shard& shard = shard_of(id);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.by_id.find(id);
  if (found == shard.by_id.end() || found->second->transport != transport) {
    return {};
  }
  Session& session = *found->second;
  if (now - session.created > limits_.lifetime || now - session.used > limits_.idle) {
    shard.erase(found->second);
    return {};
  }
  session.used = now;
  shard.by_use.splice(shard.by_use.begin(), shard.by_use, found->second);
  return {session.principal, session.kept};
}

KeptPtr Sessions::take_kept(std::string_view id) {
  Shard& shard = shard_of(id);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.by_id.find(id);
  return found == shard.by_id.end() ? nullptr : std::exchange(found->second->kept, nullptr);
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

bool has_own_cookie(std::string_view cookies) {
  return cookies.find("PD") != std::string_view::npos || cookies.find(kJunctionCookie) != std::string_view::npos;
}

std::string without_own_cookies(std::string_view cookies, bool keep_sessions) {
  std::string kept;
  each_cookie(cookies, [&](std::string_view name, std::string_view, std::string_view pair) {
    const bool session = name == session_cookie_name(Transport::http) || name == session_cookie_name(Transport::https);
    if (session ? keep_sessions : !name.starts_with(kStatefulCookie) && name != kJunctionCookie) {
      kept += kept.empty() ? "" : "; ";
      kept += pair;
    }
    return true;
  });
  return kept;
}

namespace {

std::string session_line(Transport transport, std::string_view value, std::string_view more) {
  std::string line = "Set-Cookie: ";
  line += session_cookie_name(transport);
  line += '=';
  line += value;
  line += "; Path=/; HttpOnly";
  line += more;
  line += transport == Transport::https ? "; Secure\r\n" : "\r\n";
  return line;
}

}  // namespace

std::string set_session_line(Transport transport, std::string_view id) { return session_line(transport, id, ""); }

std::string end_session_line(Transport transport) { return session_line(transport, "", "; Max-Age=0"); }

}  // namespace lab::gateway
