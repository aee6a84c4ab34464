// labs/NAME.yaml to a Lab.
#include "config/addresses.hpp"
#include "config/config.hpp"
#include "config/keys.hpp"
#include "config/lab_check.hpp"
#include "config/parts.hpp"
#include "config/words.hpp"

#include <algorithm>
#include <charconv>

namespace lab::config {

namespace {

constexpr std::size_t kMostNodes = 250;
constexpr double kMostCpus = 1024;
constexpr double kFewestCpus = 0.01;
constexpr std::size_t kVmName = 8;

constexpr Choice<ProviderKind> kProviders[] = {{"local", ProviderKind::local},
                                               {"container", ProviderKind::container},
                                               {"ssh", ProviderKind::ssh},
                                               {"zvm", ProviderKind::zvm},
                                               {"lxd", ProviderKind::lxd}};
constexpr Choice<Role> kRoles[] = {{"gateway", Role::gateway}, {"directory", Role::directory}, {"pages", Role::pages},
                                   {"load", Role::load},       {"firewall", Role::firewall},   {"database", Role::database},
                                   {"guest", Role::guest},     {"external", Role::external}};
constexpr Choice<bool> kSources[] = {{"generated", false}, {"postgresql", true}};

constexpr Field<GatewaySettings> kGateway[] = {
    {"authentication",
     [](Cursor at, GatewaySettings& into) {
       read_authentication(at, {into.basic, into.realm, into.forms});
     }},
    {"http", [](Cursor at, GatewaySettings& into) { set(into.http, port(at)); }},
    {"https", [](Cursor at, GatewaySettings& into) { set(into.https, port(at)); }},
    {"junctions", [](Cursor at, GatewaySettings& into) { into.junctions = list(at, junction_plan); }},
    {"access", [](Cursor at, GatewaySettings& into) { into.access = list(at, access_rule); }},
};

constexpr Field<DirectorySettings> kDirectory[] = {
    {"ldap", [](Cursor at, DirectorySettings& into) { set(into.ldap, port(at)); }},
    {"users", [](Cursor at, DirectorySettings& into) { set(into.users, whole<unsigned>(at, 1, 999'999)); }},
};

constexpr Field<PagesSettings> kPages[] = {
    {"http", [](Cursor at, PagesSettings& into) { set(into.http, port(at)); }},
    {"https", [](Cursor at, PagesSettings& into) { set(into.https, port(at)); }},
    {"threads", [](Cursor at, PagesSettings& into) { set(into.threads, whole<int>(at, 1, 1024)); }},
    {"source", [](Cursor at, PagesSettings& into) { set(into.from_database, choice(at, kSources)); }},
    {"connections", [](Cursor at, PagesSettings& into) { set(into.connections, whole<int>(at, 1, 64)); }},
    {"cache", [](Cursor at, PagesSettings& into) { set(into.cache, boolean(at)); }},
};

constexpr Field<DatabaseSettings> kDatabase[] = {
    {"port", [](Cursor at, DatabaseSettings& into) { set(into.port, port(at)); }},
};

void read_gateway(Cursor at, GatewaySettings& into) {
  const std::size_t before = at.errors.complaints();
  read_map(at, "`gateway`", kGateway, into);
  if (into.http == into.https && at.errors.complaints() == before) {
    at.refuse("`http` and `https` are both port " + std::to_string(into.http), "give them different ports");
  }
}

void read_directory(Cursor at, DirectorySettings& into) { read_map(at, "`directory`", kDirectory, into); }

void read_pages(Cursor at, PagesSettings& into) {
  const std::size_t before = at.errors.complaints();
  read_map(at, "`pages`", kPages, into);
  if (into.http == into.https && at.errors.complaints() == before) {
    at.refuse("`http` and `https` are both port " + std::to_string(into.http), "give them different ports");
  }
}

void read_database(Cursor at, DatabaseSettings& into) { read_map(at, "`database`", kDatabase, into); }

std::optional<std::string> absolute_path(Cursor at) {
  auto value = filled(at);
  return !value || value->front() == '/' ? value : at.wants("an absolute path");
}

// Of this host's user; nobody knows later which folder a relative one began in.
std::optional<std::string> key_path(Cursor at) {
  auto value = filled(at);
  return !value || value->front() == '/' || value->starts_with("~/") ? value : at.wants("an absolute path, or one that begins with ~/");
}

std::optional<std::string> fingerprint(Cursor at) {
  auto value = filled(at);
  return !value || value->starts_with("SHA256:") ? value : at.wants("a fingerprint like SHA256:…, as `ssh-keygen -lf` prints it");
}

std::optional<std::string> address(Cursor at) {
  auto value = filled(at);
  return !value || parse_address(*value) ? value : at.wants("an IPv4 address like 198.18.1.5");
}

// z/VM's names are upper case; those who write them are not bound to that.
std::optional<std::string> vm_name(Cursor at, std::string_view what) {
  auto value = filled(at);
  const bool good = !value || (value->size() <= kVmName && std::all_of(value->begin(), value->end(), [](char c) {
                                 return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
                               }));
  if (!good) {
    return at.wants(what);
  }
  if (value) {
    std::transform(value->begin(), value->end(), value->begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  }
  return value;
}

std::optional<std::string> userid(Cursor at) { return vm_name(at, "a z/VM user id: one to eight letters and digits"); }

std::optional<std::string> vswitch(Cursor at) { return vm_name(at, "a virtual switch's name: one to eight letters and digits"); }

std::optional<std::string> rest_url(Cursor at) {
  auto value = filled(at);
  if (value && value->find('@') != std::string::npos) {  // not to be shown
    return at.refuse("`url` has a user or a password in it", "take it out: the admin token goes into `token-file`");
  }
  const bool good = !value || value->starts_with("http://") || value->starts_with("https://");
  return good ? value : at.wants("a URL like http://zvm.example:8080");
}

std::optional<std::string> disk_pool(Cursor at) {
  auto value = filled(at);
  const std::size_t colon = value ? value->find(':') : 0;
  return !value || (colon > 0 && colon + 1 < value->size() && colon != std::string::npos) ? value : at.wants("a disk pool like ECKD:POOL1");
}

constexpr Field<FeilongAccess> kFeilong[] = {
    {"url", [](Cursor at, FeilongAccess& into) { set(into.url, rest_url(at)); }, true},
    {"token-file", [](Cursor at, FeilongAccess& into) { set(into.token_file, key_path(at)); }},
    {"ca-file", [](Cursor at, FeilongAccess& into) { set(into.ca_file, key_path(at)); }},
    {"disk-pool", [](Cursor at, FeilongAccess& into) { set(into.disk_pool, disk_pool(at)); }},
    {"user-profile", [](Cursor at, FeilongAccess& into) { set(into.user_profile, userid(at)); }},
};

// On provider zvm a node's `gateway` may also be its default route.
void read_node_gateway(Cursor at, Node& node) {
  if (at.value.kind == Value::Kind::scalar) {
    set(node.guest.gateway, address(at));
  } else {
    read_gateway(at, node.gateway);
  }
}

constexpr Field<Node> kNode[] = {
    {"roles",
     [](Cursor at, Node& node) {
       node.roles = one_or_more(at, [](Cursor one) { return choice(Cursor{one.value, "role", one.errors}, kRoles); });
     },
     true},
    {"networks", [](Cursor at, Node& node) { node.networks = one_or_more(at, name); }},
    {"cpus", [](Cursor at, Node& node) { set(node.cpus, number(at, kFewestCpus, kMostCpus)); }},
    {"machine", [](Cursor at, Node& node) { set(node.machine, name(at)); }},
    {"kind", [](Cursor at, Node& node) { set(node.software, choice(at, kSoftware)); }},
    {"log-dir", [](Cursor at, Node& node) { set(node.log_dir, absolute_path(at)); }},
    {"address", [](Cursor at, Node& node) { set(node.address, address(at)); }},
    {"host", [](Cursor at, Node& node) { set(node.host, filled(at)); }},
    {"port", [](Cursor at, Node& node) { set(node.port, port(at)); }},
    {"userid", [](Cursor at, Node& node) { set(node.guest.userid, userid(at)); }},  // before `user`: what is near to both is this
    {"user", [](Cursor at, Node& node) { set(node.user, filled(at)); }},
    {"key", [](Cursor at, Node& node) { set(node.key, key_path(at)); }},
    {"host-key", [](Cursor at, Node& node) { set(node.host_key, fingerprint(at)); }},
    {"memory", [](Cursor at, Node& node) { set(node.guest.memory, size(at)); }},
    {"image", [](Cursor at, Node& node) { set(node.guest.image, filled(at)); }},
    {"disks", [](Cursor at, Node& node) { node.guest.disks = one_or_more(at, size); }},
    {"vswitch", [](Cursor at, Node& node) { set(node.guest.vswitch, vswitch(at)); }},
    {"max-cpus", [](Cursor at, Node& node) { set(node.guest.max_cpus, whole<int>(at, 1, 64)); }},
    {"gateway", read_node_gateway},
    {"directory", [](Cursor at, Node& node) { read_directory(at, node.directory); }},
    {"pages", [](Cursor at, Node& node) { read_pages(at, node.pages); }},
    {"database", [](Cursor at, Node& node) { read_database(at, node.database); }},
};

// What is read before its nodes are: the settings that they start from.
struct Draft {
  Lab lab;
  Node base;
};

std::optional<Network> network(Cursor at) {
  const auto text = filled(at);
  if (!text) {
    return std::nullopt;
  }
  const std::size_t slash = text->find('/');
  Network result;
  const auto parsed = parse_address(std::string_view(*text).substr(0, slash));
  const std::string_view digits = slash == std::string::npos ? std::string_view() : std::string_view(*text).substr(slash + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), result.prefix);
  if (!parsed || error != std::errc{} || end != digits.data() + digits.size() || result.prefix < 8 || result.prefix > 30) {
    return at.wants("a network like 198.18.1.0/24, its prefix from 8 to 30");
  }
  result.address = *parsed & mask_of(result.prefix);
  if (result.address != *parsed) {
    return at.refuse(shown(*text) + " has bits set beyond its prefix", "write " + format_network(result));
  }
  return result;
}

std::optional<std::string> key_name(const Entry& entry, Diagnostics& errors) {
  Value key;
  key.kind = Value::Kind::scalar;
  key.mark = entry.mark;
  key.text = entry.key;
  return name(Cursor{key, "name", errors});
}

bool is_map(Cursor at, std::string_view example) {
  if (at.value.kind == Value::Kind::map && !at.value.entries.empty()) {
    return true;
  }
  at.wants(example);
  return false;
}

void read_networks(Cursor at, Draft& draft) {
  if (!is_map(at, "a map like {clients: 198.18.1.0/24}")) {
    return;
  }
  for (const Entry& entry : at.value.entries) {
    const auto known = key_name(entry, at.errors);
    auto read = network(Cursor{entry.value, entry.key, at.errors});
    if (known && read) {
      read->name = *known;
      draft.lab.networks.push_back(std::move(*read));
    }
  }
}

void read_nodes(Cursor at, Draft& draft) {
  if (!is_map(at, "a map like {client1: {roles: [load], networks: [clients]}}")) {
    return;
  }
  if (at.value.entries.size() > kMostNodes) {
    at.refuse("more than " + std::to_string(kMostNodes) + " nodes", "split the lab");
    return;
  }
  for (const Entry& entry : at.value.entries) {
    key_name(entry, at.errors);
    Node node = draft.base;
    node.name = entry.key;
    read_map(Cursor{entry.value, entry.key, at.errors}, "node " + shown(entry.key), kNode, node);
    draft.lab.nodes.push_back(std::move(node));
  }
}

void read_cpu_unit(Cursor at, Draft& draft) {
  if (at.value.kind == Value::Kind::scalar && at.value.text == "auto") {
    return;
  }
  if (at.value.kind != Value::Kind::scalar || nearest(at.value.text, {"auto"}) == "auto") {
    at.wants("auto, or a number of host CPUs");
    return;
  }
  set(draft.lab.cpu_unit, number(at, kFewestCpus, kMostCpus));
}

// In this order: nodes start from the settings above them.
constexpr Field<Draft> kLab[] = {
    {"lab", [](Cursor at, Draft& draft) { set(draft.lab.name, name(at)); }, true},
    {"provider", [](Cursor at, Draft& draft) { set(draft.lab.provider, choice(at, kProviders)); }},
    {"cpu-unit", read_cpu_unit},
    {"feilong", [](Cursor at, Draft& draft) { read_map(at, "`feilong`", kFeilong, draft.lab.feilong); }},
    {"networks", read_networks},
    {"gateway", [](Cursor at, Draft& draft) { read_gateway(at, draft.base.gateway); }},
    {"directory", [](Cursor at, Draft& draft) { read_directory(at, draft.base.directory); }},
    {"pages", [](Cursor at, Draft& draft) { read_pages(at, draft.base.pages); }},
    {"database", [](Cursor at, Draft& draft) { read_database(at, draft.base.database); }},
    {"nodes", read_nodes, true},
};

}  // namespace

Keys lab_keys() {
  return {{"lab", keys_of(kLab)},
          {"feilong", keys_of(kFeilong)},
          {"node", keys_of(kNode)},
          {"gateway", keys_of(kGateway)},
          {"directory", keys_of(kDirectory)},
          {"pages", keys_of(kPages)},
          {"database", keys_of(kDatabase)},
          {"authentication", authentication_keys()},
          {"junction", junction_plan_keys()},
          {"access", access_rule_keys()}};
}

Result<Lab, Errors> parse_lab(std::string_view text, const std::string& path) {
  Diagnostics errors(text, path);
  Draft draft;
  if (const auto root = parse_document(text, errors)) {
    read_map(Cursor{*root, "lab", errors}, "a lab file", kLab, draft);
    check_lab(draft.lab, *root, errors);
  }
  if (Errors found = errors.take(); !found.empty()) {
    return found;
  }
  draft.lab.source = text;
  draft.lab.path = path;
  return draft.lab;
}

}  // namespace lab::config
