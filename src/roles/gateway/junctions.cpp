#include "roles/gateway/junctions.hpp"

#include "roles/gateway/path.hpp"

#include <algorithm>

namespace lab::gateway {

namespace {

Error usage(const Junction& junction, std::string what, std::string remedy) {
  return Error{"junction " + junction.point + ": " + std::move(what), {}, std::move(remedy), {}, Failure::usage};
}

std::string host_header(const Junction& junction, const Endpoint& server) {
  if (!junction.host_header.empty()) {
    return junction.host_header;
  }
  const std::string host = server.host.find(':') == std::string::npos ? server.host : "[" + server.host + "]";
  const std::uint16_t usual = junction.type == JunctionType::ssl ? 443 : 80;
  return server.port == usual ? host : host + ":" + std::to_string(server.port);
}

Result<net::TlsContext> client_context(const Junction& junction) {
  net::TlsClient settings;
  settings.verify = !junction.server_ca.empty();
  settings.ca = junction.server_ca;
  settings.ciphers = junction.ciphers;
  settings.max = junction.tls_max;
  return net::make_client_context(settings);
}

Result<Mount> resolve_one(const Junction& junction) {
  if (!junction.point.starts_with('/')) {
    return usage(junction, "a mount point begins with /", "write it as /app");
  }
  Mount mount;
  mount.point = normal_prefix(junction.point);
  mount.junction = junction;
  const bool local = junction.type == JunctionType::local;
  if (local != junction.servers.empty()) {
    return usage(junction, local ? "a local junction has no servers" : "it has no server", "give servers to tcp and ssl junctions only");
  }
  if (junction.servers.size() > kMaxServers) {
    return usage(junction, "it has more than 64 servers", "spread them over several junctions");
  }
  for (const Endpoint& server : junction.servers) {
    const Result<net::Address> address = net::Address::resolve(server.host, server.port);
    if (!address) {
      return usage(junction, address.error().what, address.error().remedy);
    }
    mount.servers.push_back({server.host, *address, host_header(junction, server)});
  }
  if (junction.type == JunctionType::ssl) {
    Result<net::TlsContext> context = client_context(junction);
    if (!context) {
      return usage(junction, context.error().what, context.error().remedy);
    }
    mount.tls = std::move(*context);
  }
  return mount;
}

}  // namespace

Result<Junctions> Junctions::resolve(const std::vector<Junction>& junctions) {
  Junctions resolved;
  for (const Junction& junction : junctions) {
    Result<Mount> mount = resolve_one(junction);
    if (!mount) {
      return mount.error();
    }
    for (const Mount& other : resolved.mounts_) {
      if (other.point == mount->point) {
        return usage(junction, "the mount point is taken twice", "give each junction a point of its own");
      }
    }
    resolved.mounts_.push_back(std::move(*mount));
  }
  std::stable_sort(resolved.mounts_.begin(), resolved.mounts_.end(),
                   [](const Mount& a, const Mount& b) { return a.point.size() > b.point.size(); });
  for (std::size_t i = 0; i < resolved.mounts_.size(); ++i) {
    resolved.mounts_[i].index = i;
  }
  return resolved;
}

const Mount* Junctions::find(std::string_view path) const {
  for (const Mount& mount : mounts_) {
    if (is_below(path, mount.point)) {
      return &mount;
    }
  }
  return nullptr;
}

}  // namespace lab::gateway
