#include "config/lab_check.hpp"

#include "config/addresses.hpp"

#include <algorithm>
#include <set>

namespace lab::config {

namespace {

// Keys of a node that only some providers read.
struct ProviderKeys {
  ProviderKind provider;
  std::vector<std::string_view> keys;
};

const std::vector<ProviderKeys>& provider_keys() {
  static const std::vector<ProviderKeys> all{
      {ProviderKind::local, {}},
      {ProviderKind::container, {"address", "memory"}},
      {ProviderKind::ssh, {"host", "port", "user", "key", "host-key", "address"}},
      {ProviderKind::zvm,
       {"host", "port", "user", "key", "host-key", "userid", "memory", "image", "disks", "vswitch", "address", "max-cpus"}},
      {ProviderKind::lxd, {"address"}},
  };
  return all;
}

bool reads(ProviderKind provider, std::string_view key) {
  return std::any_of(provider_keys().begin(), provider_keys().end(), [&](const ProviderKeys& one) {
    return one.provider == provider && std::find(one.keys.begin(), one.keys.end(), key) != one.keys.end();
  });
}

// Names of the providers that read a key; none: it is for all.
std::vector<std::string> readers_of(std::string_view key) {
  std::vector<std::string> names;
  for (const ProviderKeys& one : provider_keys()) {
    if (reads(one.provider, key)) {
      names.push_back(to_string(one.provider));
    }
  }
  return names;
}

template <class Range>
std::vector<std::string> names_of(const Range& range) {
  std::vector<std::string> names;
  names.reserve(range.size());
  for (const auto& one : range) {
    names.push_back(one.name);
  }
  return names;
}

class Checker {
 public:
  Checker(const Lab& lab, const Value& root, Diagnostics& errors) : lab_(lab), root_(root), errors_(errors) {}

  void run() {
    check_networks();
    check_feilong();
    const Value* nodes = root_.find("nodes");
    for (const Node& node : lab_.nodes) {
      const Value* value = nodes->find(node.name);
      if (value->kind != Value::Kind::map) {
        continue;
      }
      check_provider(node, *nodes->entry(node.name));
      check_guest(node, *nodes->entry(node.name));
      check_roles(node, *value);
      check_source(node, *nodes->entry(node.name));
      check_node_networks(*value);
      check_address(node, *value);
      check_junctions(value->find("gateway"));
    }
    check_junctions(root_.find("gateway"));
  }

 private:
  void check_networks() {
    for (std::size_t i = 0; i < lab_.networks.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const Network& later = lab_.networks[i];
        const Network& earlier = lab_.networks[j];
        if (overlap(later, earlier)) {
          errors_.add_with(network_entry(later).mark, "network " + shown(later.name) + " overlaps " + shown(earlier.name),
                           "give each network addresses of its own", later.name.size(), "the other", network_entry(earlier).mark);
        }
      }
    }
  }

  void check_provider(const Node& node, const Entry& entry) {
    const Value& value = entry.value;
    for (const Entry& key : value.entries) {
      const auto readers = readers_of(key.key);
      const bool driven = key.key == "address" && node.software == Software::external;
      if (!readers.empty() && !driven && !misspelt(root_) && !reads(lab_.provider, key.key)) {
        errors_.add(key.mark, "`" + key.key + "` means nothing to provider " + to_string(lab_.provider),
                    "take it out; it is for provider " + join(readers), key.key.size());
      }
    }
    const Entry* route = value.entry("gateway");
    if (route != nullptr && route->value.kind == Value::Kind::scalar && lab_.provider != ProviderKind::zvm && !misspelt(root_)) {
      errors_.add(route->value.mark, "`gateway` wants a map of settings", "an address here is a default route, for provider zvm",
                  route->value.width());
    }
    // An address that is only driven is no host of the provider's.
    const bool given = node.software != Software::external && !misspelt(value);
    if (given && lab_.provider == ProviderKind::ssh && node.host.empty() && value.entry("host") == nullptr) {
      errors_.add(entry.mark, "node " + shown(node.name) + " has no `host`", "add `host: NAME-OR-ADDRESS`: provider ssh makes no machines",
                  node.name.size());
    }
    if (given && lab_.provider == ProviderKind::zvm && value.entry("host") == nullptr && value.entry("userid") == nullptr) {
      errors_.add(entry.mark, "node " + shown(node.name) + " has neither `userid` nor `host`",
                  "add `userid` for a guest to create, or `host` for one that exists", node.name.size());
    }
    if (node.software == Software::external && node.address.empty() && value.entry("address") == nullptr && !misspelt(value)) {
      errors_.add(entry.mark, "node " + shown(node.name) + " is external and has no `address`", "add the address to drive",
                  node.name.size());
    }
  }

  void check_feilong() {
    const Entry* feilong = root_.entry("feilong");
    if (feilong != nullptr && !misspelt(root_) && lab_.provider != ProviderKind::zvm) {
      errors_.add(feilong->mark, "`feilong` means nothing to provider " + to_string(lab_.provider), "take it out; it is for provider zvm",
                  7);
    }
  }

  // Provider zvm: a guest to create is described in full, one that is given is not created.
  void check_guest(const Node& node, const Entry& entry) {
    const Value& value = entry.value;
    if (lab_.provider != ProviderKind::zvm || node.software == Software::external || misspelt(value)) {
      return;
    }
    if (value.entry("host") != nullptr) {
      for (const char* key : {"memory", "image", "disks", "vswitch", "max-cpus"}) {
        if (const Entry* given = value.entry(key)) {
          errors_.add(given->mark, "`" + given->key + "` on a guest that exists",
                      "take it out, or take `host` out: the guest is created then", given->key.size());
        }
      }
      return;
    }
    const Entry* userid = value.entry("userid");
    if (userid == nullptr) {
      return;
    }
    for (const char* key : {"image", "vswitch", "address", "networks"}) {
      if (value.entry(key) == nullptr) {
        errors_.add(userid->mark, "guest " + shown(node.name) + " has no `" + key + "`", "add it: the guest is created with it", 6);
      }
    }
    if (!node.guest.userid.empty()) {
      const auto [other, fresh] = userids_.try_emplace(node.guest.userid, userid->value.mark);
      if (!fresh) {
        errors_.add_with(userid->value.mark, "two nodes are guest " + node.guest.userid, "give each node a user id of its own",
                         userid->value.width(), "the other", other->second);
      }
    }
    if (const Entry* cpus = value.entry("cpus");
        cpus != nullptr && node.cpus && node.guest.max_cpus > 0 && *node.cpus * lab_.cpu_unit.value_or(1) > node.guest.max_cpus) {
      errors_.add(cpus->value.mark, "`cpus` is more than `max-cpus`", "raise `max-cpus`: a guest gets no more once it is created",
                  cpus->value.width());
    }
    if (node.has(Role::firewall)) {
      errors_.add(value.find("roles")->mark, "a guest of provider zvm has one network and cannot be a firewall",
                  "let z/VM's router stand between the networks, or use provider container");
    }
  }

  void check_roles(const Node& node, const Value& value) {
    const Value* roles = value.find("roles");
    if (roles == nullptr || node.roles.empty()) {
      return;
    }
    if (std::set<Role>(node.roles.begin(), node.roles.end()).size() != node.roles.size()) {
      errors_.add(roles->mark, "node " + shown(node.name) + " has a role twice", "name each role once");
    }
    const auto belongs = [&](std::string_view key, Role role) {
      const Entry* entry = value.entry(key);
      if (entry != nullptr && entry->value.kind == Value::Kind::map && !node.has(role)) {
        errors_.add(entry->mark, "node " + shown(node.name) + " has settings for a role that it does not have",
                    "add `" + to_string(role) + "` to its roles, or take the settings out", key.size());
      }
    };
    belongs("gateway", Role::gateway);
    belongs("directory", Role::directory);
    belongs("pages", Role::pages);
    belongs("database", Role::database);
    if (const Entry* directory = value.entry("log-dir"); directory != nullptr && !node.has(Role::gateway)) {
      errors_.add(directory->mark, "`log-dir` on a node that is no gateway", "take it out, or add `gateway` to its roles", 7);
    }
    if (const Entry* kind = value.entry("kind"); kind != nullptr && !node.has(Role::gateway) && !node.has(Role::pages)) {
      errors_.add(kind->mark, "`kind` on a node that is neither gateway nor pages", "take it out", 4);
    } else if (kind != nullptr && !node.has(Role::gateway) && (node.software == Software::nginx || node.software == Software::haproxy)) {
      errors_.add(kind->mark, "kind " + to_string(node.software) + " is for gateways", "take it out: pages are lab's own, or external", 4);
    } else if (kind != nullptr && node.roles.size() > 1 && node.software == Software::external) {
      errors_.add(roles->mark, "an external node has one role", "name a node for each of them, on the same address");
    }
    if (node.has(Role::firewall) && value.entry("networks") != nullptr && node.networks.size() < 2) {
      errors_.add(value.entry("networks")->mark, "firewall " + shown(node.name) + " stands on fewer than two networks",
                  "name the networks between which it forwards", 8);
    }
  }

  // Pages that come from a database want one; where something could not be read, it may be that.
  void check_source(const Node& node, const Entry& entry) {
    const bool database = std::any_of(lab_.nodes.begin(), lab_.nodes.end(), [](const Node& one) { return one.has(Role::database); });
    if (node.has(Role::pages) && node.pages.from_database && !database && errors_.complaints() == 0) {
      errors_.add(entry.mark, "node " + shown(node.name) + " takes its pages from a database, and the lab has none",
                  "add a node with role database, or `source: generated`", node.name.size());
    }
  }

  void check_node_networks(const Value& node) {
    const Value* named = node.find("networks");
    const Value* networks = root_.find("networks");
    if (named == nullptr || (networks != nullptr && networks->kind != Value::Kind::map)) {
      return;
    }
    if (networks == nullptr) {
      if (!networks_missed_ && !misspelt(root_)) {
        errors_.add(named->mark, "the lab has no `networks`", "add `networks: {NAME: 198.18.1.0/24}` above the nodes");
      }
      networks_missed_ = true;
      return;
    }
    std::vector<std::string> known;
    for (const Entry& entry : networks->entries) {
      known.push_back(entry.key);
    }
    std::set<std::string> seen;
    for (const Value* one : texts_of(named)) {
      if (!contains(known, one->text)) {
        errors_.add(one->mark, "unknown network " + shown(one->text), suggestion(one->text, known), one->width());
      } else if (!seen.insert(one->text).second) {
        errors_.add(one->mark, "network " + shown(one->text) + " is named twice", "name it once", one->width());
      }
    }
  }

  void check_address(const Node& node, const Value& value) {
    const bool has_host = !node.host.empty();
    const Value* at = value.find(has_host ? "host" : "address");
    const std::string place = has_host ? node.host + ":" + std::to_string(node.port) : node.address;
    if (at == nullptr || place.empty()) {
      return;
    }
    const auto [other, fresh] = taken_.try_emplace(place, at->mark);
    if (!fresh) {
      errors_.add_with(at->mark, "two nodes on one address, " + place, "give each node an address of its own", at->width(), "the other",
                       other->second);
    }
    const auto address = parse_address(node.address);
    if (!address || node.software == Software::external || node.networks.empty()) {
      return;
    }
    const bool inside = std::any_of(node.networks.begin(), node.networks.end(), [&](const std::string& wanted) {
      const auto network =
          std::find_if(lab_.networks.begin(), lab_.networks.end(), [&](const Network& candidate) { return candidate.name == wanted; });
      return network == lab_.networks.end() || is_host(*network, *address);
    });
    if (!inside) {
      const Value* where = value.find("address");
      errors_.add(where->mark, "address " + node.address + " is not a host's in " + networks_text(node), "choose one inside",
                  where->width());
    }
  }

  std::string networks_text(const Node& node) const {
    std::vector<std::string> texts;
    for (const Network& network : lab_.networks) {
      if (std::find(node.networks.begin(), node.networks.end(), network.name) != node.networks.end()) {
        texts.push_back(network.name + " (" + format_network(network) + ")");
      }
    }
    return join(texts, " or ");
  }

  void check_junctions(const Value* gateway) {
    if (lab_.nodes.empty()) {
      return;
    }
    std::map<std::string, Mark> points;
    for (const Value& junction : items_of(part_of(gateway, "junctions"))) {
      if (const Value* point = junction.find("point"); point != nullptr && point->kind == Value::Kind::scalar) {
        const auto [first, fresh] = points.try_emplace(point->text, point->mark);
        if (!fresh) {
          errors_.add_with(point->mark, "two junctions at " + shown(point->text), "give each a mount point of its own", point->width(),
                           "the other", first->second);
        }
      }
      for (const Value* server : texts_of(junction.find("servers"))) {
        check_server(*server);
      }
    }
  }

  void check_server(const Value& server) {
    if (server.text.find(':') != std::string::npos) {
      return;
    }
    const Node* node = lab_.find(server.text);
    if (node == nullptr) {
      errors_.add(server.mark, "unknown node " + shown(server.text), suggestion(server.text, names_of(lab_.nodes)), server.width());
    } else if (!node->roles.empty() && !node->has(Role::pages) && !node->has(Role::external)) {
      errors_.add(server.mark, "node " + shown(server.text) + " serves no pages", "name a node with role pages, or host:port",
                  server.width());
    }
  }

  // Whether a key of this map is already complained about: what seems missing may be meant by it.
  bool misspelt(const Value& map) const {
    return std::any_of(map.entries.begin(), map.entries.end(), [&](const Entry& entry) { return errors_.complained_at(entry.mark); });
  }

  const Entry& network_entry(const Network& network) const { return *root_.find("networks")->entry(network.name); }

  const Lab& lab_;
  const Value& root_;
  Diagnostics& errors_;
  bool networks_missed_ = false;         // and said so
  std::map<std::string, Mark> taken_;    // address to where it is given first
  std::map<std::string, Mark> userids_;  // likewise
};

}  // namespace

void check_lab(const Lab& lab, const Value& root, Diagnostics& errors) { Checker(lab, root, errors).run(); }

}  // namespace lab::config
