#include "roles/gateway/junctions.hpp"

#include "http/message.hpp"
#include "roles/gateway/path.hpp"
#include "roles/gateway/principal.hpp"

#include <openssl/sha.h>
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace lab::gateway {

namespace {

constexpr std::size_t kMaxGsoBytes = 4 * 1024 * 1024;

Error usage(const Junction& junction, std::string what, std::string remedy) {
  return Error{"junction " + name_of(junction) + ": " + std::move(what), {}, std::move(remedy), {}, Failure::usage};
}

std::string host_header(const Junction& junction, const Endpoint& server) {
  if (!junction.host_header.empty()) {
    return junction.host_header;
  }
  if (!junction.virtual_host.empty()) {
    return junction.virtual_host;
  }
  const std::string host = server.host.find(':') == std::string::npos ? server.host : "[" + server.host + "]";
  const std::uint16_t usual = junction.type == JunctionType::ssl ? 443 : 80;
  return server.port == usual ? host : host + ":" + std::to_string(server.port);
}

// The first bytes of a digest, as text.
std::string fingerprint(const std::string& text, std::size_t bytes) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::string out;
  for (std::size_t i = 0; i < bytes; ++i) {
    out += digits[digest[i] >> 4U];
    out += digits[digest[i] & 15U];
  }
  return out;
}

// RFC 9562 section 5.8: version 8, of bits of our own choice.
std::string uuid_of(const Junction& junction, const Endpoint& server) {
  std::string hex = fingerprint(name_of(junction) + " " + server.host + " " + std::to_string(server.port), 16);
  hex[12] = '8';
  hex[16] = 'a';
  return hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-" + hex.substr(12, 4) + "-" + hex.substr(16, 4) + "-" + hex.substr(20);
}

Result<net::TlsContext> client_context(const Junction& junction) {
  net::TlsClient settings;
  settings.verify = !junction.server_ca.empty();
  settings.ca = junction.server_ca;
  settings.ciphers = junction.ciphers;
  settings.max = junction.tls_max;
  settings.certificate = junction.client_certificate;
  settings.key = junction.client_key;
  return net::make_client_context(settings);
}

// Lines "user back-end-user back-end-password"; '#' begins a comment.
Result<std::map<std::string, std::string>> read_gso(const Junction& junction) {
  std::error_code unreadable;
  const auto size = std::filesystem::file_size(junction.gso, unreadable);
  std::ifstream file(junction.gso);
  if (unreadable || size > kMaxGsoBytes || !file) {
    return usage(junction, "cannot read the users of -b gso from " + junction.gso, "name a text file that can be read, of 4 MiB at most");
  }
  std::map<std::string, std::string> users;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    std::istringstream words(line);
    std::string user, backend_user, password, more;
    if (!(words >> user) || user.starts_with('#')) {
      continue;
    }
    if (!(words >> backend_user >> password) || words >> more) {
      return usage(junction, junction.gso + ":" + std::to_string(number) + " has not three words",
                   "write: user back-end-user back-end-password");
    }
    users[user] = basic_authorization(backend_user, password);
  }
  return users;
}

std::size_t segments(std::string_view path) {
  while (path.ends_with('/')) {
    path.remove_suffix(1);
  }
  return static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
}

Result<void> check(const Junction& junction, const std::string& point) {
  NormalPath normal;
  if (!junction.point.starts_with('/')) {
    return usage(junction, "a mount point begins with /", "write it as /app");
  }
  if (!normalise_path(junction.point, normal) || !normal.query.empty() || segments(point) != segments(junction.point)) {
    return usage(junction, "the mount point is not in its normal form", "write it without empty segments, . and .., and without a query");
  }
  if (!junction.virtual_host.empty() && !point.empty()) {
    return usage(junction, "a virtual host is mounted at /", "give it the point /");
  }
  const bool local = junction.type == JunctionType::local;
  if (local != junction.servers.empty()) {
    return usage(junction, local ? "a local junction has no servers" : "it has no server", "give servers to tcp and ssl junctions only");
  }
  if (junction.servers.size() > kMaxServers) {
    return usage(junction, "it has more than 64 servers", "spread them over several junctions");
  }
  if ((junction.soft_limit == 0) != (junction.hard_limit == 0)) {
    return usage(junction, "it has one of the limits only", "give both the soft and the hard limit, or neither");
  }
  if (junction.soft_limit > junction.hard_limit) {
    return usage(junction, "the soft limit is above the hard one", "exchange them");
  }
  if (!junction.server_dn.empty() && (junction.type != JunctionType::ssl || junction.server_ca.empty())) {
    return usage(junction, "a server's name is expected that nobody verifies", "-D goes with type ssl and a CA file for the server");
  }
  if (junction.client_certificate.empty() != junction.client_key.empty()) {
    return usage(junction, "a client certificate and its key go together", "give both");
  }
  if (!junction.client_certificate.empty() && junction.type != JunctionType::ssl) {
    return usage(junction, "a client certificate is for TLS", "choose type ssl");
  }
  if ((junction.basic == BasicHeader::gso) != !junction.gso.empty()) {
    return usage(junction, "-b gso and a file of its users go together", "give both");
  }
  if (!local && !junction.directory.empty()) {
    return usage(junction, "a directory is for local junctions", "choose type local");
  }
  if (local && !junction.directory.empty() && !std::filesystem::is_directory(junction.directory)) {
    return usage(junction, junction.directory + " is no directory", "name one that exists");
  }
  return {};
}

bool same_server(const Server& server, const std::string& uuid) { return server.uuid == uuid; }

Result<Mount> resolve_one(const Junction& junction, const Mount* earlier) {
  Mount mount;
  mount.name = name_of(junction);
  mount.point = normal_prefix(junction.point);
  mount.junction = junction;
  if (const Result<void> checked = check(junction, mount.point); !checked) {
    return checked.error();
  }
  mount.status = earlier != nullptr ? earlier->status : std::make_shared<JunctionStatus>();
  for (const Endpoint& server : junction.servers) {
    const Result<net::Address> address = net::Address::resolve(server.host, server.port);
    if (!address) {
      return usage(junction, address.error().what, address.error().remedy);
    }
    const std::string uuid = uuid_of(junction, server);
    std::shared_ptr<ServerStatus> status;
    if (earlier != nullptr) {
      const auto same =
          std::find_if(earlier->servers.begin(), earlier->servers.end(), [&uuid](const Server& other) { return same_server(other, uuid); });
      status = same != earlier->servers.end() ? same->status : nullptr;
    }
    if (std::any_of(mount.servers.begin(), mount.servers.end(), [&uuid](const Server& other) { return same_server(other, uuid); })) {
      return usage(junction, "server " + server.host + ":" + std::to_string(server.port) + " is there already", "name each server once");
    }
    mount.servers.push_back({uuid, server, server.host, *address, host_header(junction, server),
                             status ? std::move(status) : std::make_shared<ServerStatus>()});
  }
  if (junction.type == JunctionType::ssl) {
    Result<net::TlsContext> context = client_context(junction);
    if (!context) {
      return usage(junction, context.error().what, context.error().remedy);
    }
    mount.tls = std::move(*context);
  }
  if (junction.stateful) {
    mount.stateful_cookie = "PD_STATEFUL_" + fingerprint(mount.name, 8);
  }
  if (junction.login) {
    mount.login = basic_authorization(junction.login->user, junction.login->password);
  }
  if (junction.basic == BasicHeader::gso) {
    Result<std::map<std::string, std::string>> users = read_gso(junction);
    if (!users) {
      return users.error();
    }
    mount.gso = std::move(*users);
  }
  return mount;
}

// A Host header's name; its port only where the virtual host has one.
bool is_host(std::string_view host, std::string_view virtual_host) {
  if (virtual_host.find(':') == std::string_view::npos) {
    const auto colon = host.rfind(':');
    const bool port = colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos;
    host = host.substr(0, port ? colon : host.size());
  }
  return http::equals_ignore_case(host, virtual_host);
}

}  // namespace

std::string name_of(const Junction& junction) {
  if (!junction.virtual_host.empty()) {
    return junction.virtual_host;
  }
  const std::string point = normal_prefix(junction.point);
  return point.empty() ? "/" : point;
}

Letters letters_of(const Mount& mount) { return mount.junction.case_insensitive ? Letters::any_case : Letters::exact; }

Result<Junctions> Junctions::resolve(const std::vector<Junction>& junctions, const Junctions* earlier) {
  Junctions resolved;
  for (const Junction& junction : junctions) {
    const std::string name = name_of(junction);
    if (resolved.find_name(name) != kNone) {
      return usage(junction, "the mount point is taken twice", "give each junction a point of its own");
    }
    const std::size_t before = earlier == nullptr ? kNone : earlier->find_name(name);
    const MountPtr old = before == kNone ? nullptr : earlier->all()[before];
    if (old && old->junction == junction && junction.gso.empty()) {  // that file may have changed
      resolved.mounts_.push_back(old);
      continue;
    }
    Result<Mount> mount = resolve_one(junction, old.get());
    if (!mount) {
      return mount.error();
    }
    resolved.mounts_.push_back(std::make_shared<const Mount>(std::move(*mount)));
  }
  std::stable_sort(resolved.mounts_.begin(), resolved.mounts_.end(), [](const MountPtr& a, const MountPtr& b) {
    const bool a_host = !a->junction.virtual_host.empty(), b_host = !b->junction.virtual_host.empty();
    return a_host != b_host ? a_host : a->point.size() > b->point.size();
  });
  resolved.virtual_hosts_ = static_cast<std::size_t>(std::count_if(
      resolved.mounts_.begin(), resolved.mounts_.end(), [](const MountPtr& mount) { return !mount->junction.virtual_host.empty(); }));
  return resolved;
}

std::size_t Junctions::find(std::string_view host, std::string_view path) const {
  for (std::size_t i = 0; i < mounts_.size(); ++i) {
    if (i < virtual_hosts_ ? is_host(host, mounts_[i]->junction.virtual_host)
                           : is_below(path, mounts_[i]->point, letters_of(*mounts_[i]))) {
      return i;
    }
  }
  return kNone;
}

std::size_t Junctions::find_name(std::string_view name) const {
  while (name.size() > 1 && name.ends_with('/')) {
    name.remove_suffix(1);
  }
  for (std::size_t i = 0; i < mounts_.size(); ++i) {
    if (http::equals_ignore_case(mounts_[i]->name, name) && (mounts_[i]->name == name || !name.starts_with('/'))) {
      return i;
    }
  }
  return kNone;
}

}  // namespace lab::gateway
