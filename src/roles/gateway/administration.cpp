// `lab junction` on a running gateway: each call makes a new table of junctions and puts it in the old one's place.
#include "roles/gateway/service.hpp"

#include "config/config.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <optional>

namespace lab::gateway {

namespace {

namespace json = boost::json;

std::string text_of(const json::object& params, std::string_view key) {
  const json::value* value = params.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string{};
}

Error usage(std::string what, std::string remedy) { return {std::move(what), {}, std::move(remedy), {}, Failure::usage}; }

std::string_view word_of(ServerState state) {
  switch (state) {
    case ServerState::running: return "running";
    case ServerState::throttled: return "throttled";
    case ServerState::offline: return "offline";
  }
  return "";
}

json::object shown(const Server& server) {
  const ServerStatus& status = *server.status;
  const std::string_view state =
      status.down.load() && status.state.load() == ServerState::running ? "not running" : word_of(status.state.load());
  return {{"uuid", server.uuid},
          {"host", server.endpoint.host},
          {"port", server.endpoint.port},
          {"state", state},
          {"requests", status.requests.load()}};
}

json::object shown(const Mount& mount) {
  json::object junction = config::to_json(mount.junction);
  junction.erase("login");  // a password
  junction.erase("supply-password");
  json::array servers;
  for (const Server& server : mount.servers) {
    servers.push_back(shown(server));
  }
  return {{"name", mount.name},
          {"active", mount.status->active.load()},
          {"refused", mount.status->refused.load()},
          {"junction", std::move(junction)},
          {"servers", std::move(servers)}};
}

Result<MountPtr> find_mount(const Site& site, const json::object& params) {
  const std::string name = text_of(params, "name");
  const std::size_t index = site.junctions.find_name(name);
  if (index == Junctions::kNone) {
    return usage("there is no junction " + name, "`lab junction list` shows those there are");
  }
  return site.junctions.all()[index];
}

std::optional<Endpoint> to_endpoint(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) {
    return std::nullopt;
  }
  Endpoint endpoint{text.substr(0, colon), 0};
  if (endpoint.host.starts_with('[') && endpoint.host.ends_with(']')) {
    endpoint.host = endpoint.host.substr(1, endpoint.host.size() - 2);
  }
  const char* const end = text.data() + text.size();
  const auto [stop, bad] = std::from_chars(text.data() + colon + 1, end, endpoint.port);
  return bad == std::errc{} && stop == end && endpoint.port != 0 ? std::optional(std::move(endpoint)) : std::nullopt;
}

// A change of the list of junctions; what it answers.
using Change = Result<json::value>(std::vector<Junction>& junctions, const Site& site, const json::object& params);

Junction& named(std::vector<Junction>& junctions, const std::string& name) {
  return *std::find_if(junctions.begin(), junctions.end(), [&name](const Junction& one) { return name_of(one) == name; });
}

Result<json::value> create(std::vector<Junction>& junctions, const Site& site, const json::object& params) {
  const json::value* described = params.if_contains("junction");
  auto junction = config::parse_junction(described == nullptr ? "" : json::serialize(*described), "junction");
  if (!junction) {
    return junction.error().front();
  }
  const std::string name = name_of(*junction);
  const json::value* replace = params.if_contains("replace");
  const bool there = site.junctions.find_name(name) != Junctions::kNone;
  if (there && (replace == nullptr || !replace->is_bool() || !replace->get_bool())) {
    return usage("there is a junction " + name + " already", "replace it with -f");
  }
  junctions.erase(std::remove_if(junctions.begin(), junctions.end(), [&name](const Junction& one) { return name_of(one) == name; }),
                  junctions.end());
  junctions.push_back(std::move(*junction));
  return json::value(json::object{{"name", name}});
}

Result<json::value> remove_junction(std::vector<Junction>& junctions, const Site& site, const json::object& params) {
  const Result<MountPtr> mount = find_mount(site, params);
  if (!mount) {
    return mount.error();
  }
  junctions.erase(std::remove_if(junctions.begin(), junctions.end(), [&](const Junction& one) { return name_of(one) == (*mount)->name; }),
                  junctions.end());
  return json::value(json::object{});
}

Result<json::value> add_server(std::vector<Junction>& junctions, const Site& site, const json::object& params) {
  const Result<MountPtr> mount = find_mount(site, params);
  if (!mount) {
    return mount.error();
  }
  const std::string text = text_of(params, "server");
  const std::optional<Endpoint> server = to_endpoint(text);
  if (!server) {
    return usage("\"" + text + "\" is no server", "write HOST:PORT");
  }
  named(junctions, (*mount)->name).servers.push_back(*server);
  return json::value(json::object{});
}

Result<json::value> remove_server(std::vector<Junction>& junctions, const Site& site, const json::object& params) {
  const Result<MountPtr> mount = find_mount(site, params);
  if (!mount) {
    return mount.error();
  }
  const std::string uuid = text_of(params, "uuid");
  const auto& servers = (*mount)->servers;
  const auto server = std::find_if(servers.begin(), servers.end(), [&uuid](const Server& one) { return one.uuid == uuid; });
  if (server == servers.end()) {
    return usage("junction " + (*mount)->name + " has no server " + uuid, "`lab junction show` gives their UUIDs");
  }
  if (servers.size() == 1) {
    return usage("it is the junction's last server", "delete the junction, or take the server offline");
  }
  auto& left = named(junctions, (*mount)->name).servers;
  left.erase(std::find(left.begin(), left.end(), server->endpoint));
  return json::value(json::object{});
}

Result<json::value> set_state(const Site& site, ServerState state, const json::object& params) {
  const Result<MountPtr> mount = find_mount(site, params);
  if (!mount) {
    return mount.error();
  }
  const std::string uuid = text_of(params, "uuid");
  std::size_t changed = 0;
  for (const Server& server : (*mount)->servers) {
    if (uuid.empty() || server.uuid == uuid) {
      server.status->state = state;
      ++changed;
    }
  }
  if (changed == 0) {
    return usage("junction " + (*mount)->name + (uuid.empty() ? " has no servers" : " has no server " + uuid),
                 "`lab junction show` gives their UUIDs");
  }
  return json::value(json::object{{"servers", changed}});
}

Result<json::value> list(const Site& site) {
  json::array names;
  for (const MountPtr& mount : site.junctions.all()) {
    names.emplace_back(mount->name);
  }
  return json::value(json::object{{"junctions", std::move(names)}});
}

Change* change_of(std::string_view method) {
  return method == "junction.create"   ? create
         : method == "junction.delete" ? remove_junction
         : method == "junction.add"    ? add_server
         : method == "junction.remove" ? remove_server
                                       : nullptr;
}

}  // namespace

Result<json::value> Service::administer(std::string_view method, const json::object& params) {
  const std::lock_guard lock(administration_);
  const SitePtr current = site();
  if (method == "junction.list") {
    return list(*current);
  }
  if (method == "junction.show") {
    const Result<MountPtr> mount = find_mount(*current, params);
    return mount ? Result<json::value>(json::value(shown(**mount))) : mount.error();
  }
  if (method == "junction.offline" || method == "junction.online" || method == "junction.throttle") {
    const ServerState state = method == "junction.offline"  ? ServerState::offline
                              : method == "junction.online" ? ServerState::running
                                                            : ServerState::throttled;
    return set_state(*current, state, params);
  }
  Change* const change = change_of(method);
  if (change == nullptr) {
    return Error{"no such method", std::string(method), "see docs/agent-protocol.md", {}};
  }
  GatewayConfig config = current->config;
  Result<json::value> answer = change(config.junctions, *current, params);
  if (!answer) {
    return answer;
  }
  Result<SitePtr> next = Site::create(config, current.get());
  if (!next) {
    return next.error();
  }
  if (const Result<void> published = publish(std::move(*next)); !published) {
    return published.error();
  }
  return answer;
}

}  // namespace lab::gateway
