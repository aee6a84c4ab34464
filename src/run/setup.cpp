#include "setup.hpp"

#include "crypto.hpp"
#include "lab/resolve.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace lab::run {

namespace {

constexpr std::chrono::seconds kRequestTimeout{10};
constexpr const char* kNullDevice = "/dev/null";

double number_of(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Error unfit(const Cell& cell, const std::string& what, const std::string& remedy) { return Error{what, "cell " + cell.id, remedy, {}}; }

template <class Item, class Same>
void replace_or_add(std::vector<Item>& items, Item item, Same same) {
  items.erase(std::remove_if(items.begin(), items.end(), same), items.end());
  items.push_back(std::move(item));
}

// Rotation is off: a trial counts the lines of one file.
GatewayLogs logs_of(const Cell& cell, const StandingNode& gateway, const GatewayLogs& files, Place place) {
  const std::string log = cell.axis("log");
  GatewayLogs logs = log == "own-disk" ? gateway_logs(gateway.log_dir) : files;
  for (std::string* const file : {&logs.request, &logs.agent, &logs.referer}) {
    if (log == "null") {
      *file = kNullDevice;
    } else if (place != Place::alone && !file->empty()) {
      *file += place == Place::a ? ".a" : ".b";
    }
  }
  logs.max_size = 0;
  return logs;
}

GatewayPorts ports_of(const Node& gateway, Place place) {
  return place == Place::b ? second_ports(gateway.gateway) : GatewayPorts{gateway.gateway.http, gateway.gateway.https};
}

void listen_at(std::vector<Endpoint>& endpoints, std::uint16_t port) {
  for (Endpoint& endpoint : endpoints) {
    endpoint.port = port;
  }
}

// The scenario's junction in place of a standing one at its point, open to everybody or to those who log in.
Result<void> add_junction(GatewayConfig& config, const Scenario& scenario, const Standing& standing, const StandingNode& gateway) {
  auto junction = resolve_junction(standing, gateway, scenario.junction);
  if (!junction) {
    return junction.error();
  }
  const std::string& point = scenario.junction.point;
  replace_or_add(config.junctions, std::move(*junction), [&](const Junction& other) { return other.point == point; });
  AccessRule rule{point, scenario.login == LoginMode::none ? AccessRule::Who::everybody : AccessRule::Who::authenticated, {}, {}};
  replace_or_add(config.access, std::move(rule), [&](const AccessRule& other) { return other.path == point; });
  return {};
}

std::string url_of(const Cell& cell, const StandingNode& gateway, const GatewayPorts& ports) {
  const bool https = cell.scenario.https;
  const std::string& point = cell.scenario.junction.point;
  const std::string page = cell.axis("page");
  return (https ? "https://" : "http://") + gateway.address + ":" + std::to_string(https ? ports.https : ports.http) +
         (point == "/" ? "" : point) + (page.empty() ? "/" : "/page/" + page);
}

unsigned users_of(const Lab& lab) {
  const auto directory = std::find_if(lab.nodes.begin(), lab.nodes.end(), [](const Node& node) { return node.has(Role::directory); });
  return directory == lab.nodes.end() ? 0 : directory->directory.users;
}

LoadConfig load_of(const Cell& cell, const StandingNode& driver, const Timing& timing) {
  const Scenario& scenario = cell.scenario;
  LoadConfig load;
  load.warmup = timing.warmup;
  load.duration = timing.measure;
  load.timeout = kRequestTimeout;
  load.login = scenario.login;
  load.expect_pages = !cell.axis("page").empty();
  if (scenario.https) {
    load.handshake = scenario.tls.handshake;
    load.tls_min = load.tls_max = scenario.tls.version;
    load.ciphers = scenario.tls.cipher;
    load.ca = NodeFiles(driver.directory).authority;
  }
  return load;
}

// Clients, threads and users of each driver: evenly, no user on two nodes.
Result<std::vector<Driver>> drivers_of(const Cell& cell, const Setup& setup, const Standing& standing, const Facts& facts,
                                       const std::string& url, const Timing& timing) {
  std::vector<const StandingNode*> nodes;
  for (const Node& node : standing.lab.nodes) {
    if (const StandingNode* at = node.has(Role::load) ? standing.find(node.name) : nullptr; at != nullptr) {
      nodes.push_back(at);
    }
  }
  if (nodes.empty()) {
    return unfit(cell, "the lab has no node with role load", "add one to the lab file and run `lab up`");
  }
  const int number = static_cast<int>(nodes.size());
  const unsigned users = users_of(standing.lab) / static_cast<unsigned>(number);
  std::vector<Driver> drivers;
  for (int i = 0; i < number; ++i) {
    const StandingNode& node = *nodes[static_cast<std::size_t>(i)];
    const int clients = setup.clients / number + (i < setup.clients % number ? 1 : 0);
    if (clients == 0) {
      continue;
    }
    LoadConfig load = load_of(cell, node, timing);
    load.url = url;
    load.clients = clients;
    if (const auto rate = cell.scenario.rate) {
      load.rate = *rate * clients / setup.clients;
      load.first_arrival = std::chrono::nanoseconds(std::llround(1e9 * i / *rate));
    }
    const auto known = facts.find(node.name);
    const int cpus = !node.host_cpus.empty() ? static_cast<int>(node.host_cpus.size()) : known != facts.end() ? known->second.cpus : 1;
    load.threads = std::clamp(cpus, 1, clients);
    if (load.login != LoginMode::none) {
      if (users < static_cast<unsigned>(clients)) {
        return unfit(
            cell,
            "the directory has " + std::to_string(users_of(standing.lab)) + " users for " + std::to_string(setup.clients) + " clients",
            "raise `users` of the lab's `directory`");
      }
      load.generated_users = users;
      load.first_user = static_cast<unsigned>(i) * users + 1;
    }
    drivers.push_back({node.name, std::move(load)});
  }
  return drivers;
}

// Those whose pages can be counted: all of the junction's, or none.
void add_back_ends(Setup& setup, const Scenario& scenario, const Lab& lab) {
  if (scenario.junction.type == JunctionType::local) {
    return;
  }
  for (const std::string& server : scenario.junction.servers) {
    const Node* const node = lab.find(server);
    if (node == nullptr || node->software == Software::external) {
      setup.pages.clear();
      setup.pages_elsewhere = "the pages that the back ends served are not checked: " + server +
                              (node == nullptr ? " is not a node of the lab" : " is external");
      return;
    }
    if (std::find(setup.pages.begin(), setup.pages.end(), server) == setup.pages.end()) {
      setup.pages.push_back(server);
    }
  }
}

bool has_aes(const NodeFacts& facts) {
  return std::any_of(facts.crypto.begin(), facts.crypto.end(),
                     [](const std::string& name) { return name == "aes" || name == "cpacf" || name == "kma" || name == "msa"; });
}

std::string why_no_crypto(const std::string& crypto, const NodeFacts& facts) {
  if (crypto == "software" && !software_environment(facts.architecture)) {
    return "no way is known to switch crypto instructions off on " + facts.architecture;
  }
  if (crypto == "hardware" && !has_aes(facts)) {
    return "the gateway's CPU has no AES instructions";
  }
  return crypto == "adapter" ? facts.adapter : std::string();
}

// What other people's programs have no words for; nothing: the gateway can do all of the scenario.
std::string why_not_by(Software software, const Scenario& scenario) {
  const std::string name = to_string(software);
  if (software != Software::nginx && software != Software::haproxy) {
    return {};
  }
  if (scenario.login != LoginMode::none) {
    return name + " has no logins against an LDAP directory";
  }
  if (scenario.junction.type == JunctionType::local) {
    return name + " has no local junction";
  }
  return scenario.junction.identity == Identity{} ? "" : name + " sends no identity headers";
}

// Of a gateway that is only driven nothing can be set, and into other people's programs nobody looks.
std::string why_not_set(const Cell& cell, const Node& gateway) {
  if (gateway.software == Software::external) {
    for (const char* axis : {"crypto", "cpus", "log"}) {
      if (!cell.axis(axis).empty()) {
        return "gateway " + gateway.name + " is external: its " + axis + " cannot be set";
      }
    }
  }
  if (gateway.software != Software::lab && cell.axis("crypto") == "adapter") {
    return "whether " + to_string(gateway.software) + " uses a crypto adapter cannot be verified in its process";
  }
  return {};
}

std::vector<std::string> guests_of(const Lab& lab) {
  std::vector<std::string> guests;
  for (const Node& node : lab.nodes) {
    if (node.has(Role::guest)) {
      guests.push_back(node.name);
    }
  }
  return guests;
}

// The value of axis `busy`.
std::size_t busy_guests(const Cell& cell) { return static_cast<std::size_t>(number_of(cell.axis("busy"))); }

std::string why_no_guests(const Cell& cell, const Lab& lab) {
  const std::size_t wanted = busy_guests(cell), there = guests_of(lab).size();
  return wanted <= there
             ? ""
             : "the lab has " + std::to_string(there) + " nodes of role guest, and " + std::to_string(wanted) + " are to be busy";
}

std::string why_no_own_disk(const Cell& cell, const Node& gateway, const Facts& facts) {
  if (cell.axis("log") != "own-disk") {
    return {};
  }
  if (gateway.log_dir.empty()) {
    return "the lab gives node " + gateway.name + " no log-dir on a disk of its own";
  }
  const auto known = facts.find(gateway.name);
  return known == facts.end() ? std::string() : known->second.log_disk;
}

}  // namespace

const Node* gateway_node(const Cell& cell, const Lab& lab) {
  const std::string wanted = cell.axis("gateway");
  const auto find = [&](auto fits) {
    const auto at =
        std::find_if(lab.nodes.begin(), lab.nodes.end(), [&](const Node& node) { return node.has(Role::gateway) && fits(node); });
    return at == lab.nodes.end() ? nullptr : &*at;
  };
  const Node* const named = find([&](const Node& node) { return wanted.empty() || node.name == wanted; });
  return named != nullptr ? named : find([&](const Node& node) { return to_string(node.software) == wanted; });
}

std::string why_not_here(const Cell& cell, const Standing& standing, const Facts& facts) {
  const Node* gateway = gateway_node(cell, standing.lab);
  if (gateway == nullptr) {
    return "the lab has no gateway" +
           (cell.axis("gateway").empty() ? std::string() : " named " + cell.axis("gateway") + ", or of that kind");
  }
  for (const std::string& why : {why_not_by(gateway->software, cell.scenario), why_not_set(cell, *gateway),
                                 why_no_own_disk(cell, *gateway, facts), why_no_guests(cell, standing.lab)}) {
    if (!why.empty()) {
      return why;
    }
  }
  if (!cell.axis("cpus").empty() && standing.cpu_method == CpuMethod::none) {
    return "CPUs cannot be limited here" + (standing.cpu_note.empty() ? std::string() : ": " + standing.cpu_note);
  }
  const auto known = facts.find(gateway->name);
  return known == facts.end() ? std::string() : why_no_crypto(cell.axis("crypto"), known->second);
}

std::string gateway_role(Place place) { return place == Place::alone ? "gateway" : place == Place::a ? "gateway.a" : "gateway.b"; }

Result<Setup> set_up(const Cell& cell, const Standing& standing, const Facts& facts, const Timing& timing, Place place) {
  const Node* node = gateway_node(cell, standing.lab);
  const StandingNode* gateway = node == nullptr ? nullptr : standing.find(node->name);
  if (gateway == nullptr) {
    return unfit(cell, "the lab has no gateway that stands", "run `lab up`");
  }
  Setup setup;
  setup.cell = cell.id;
  setup.gateway = node->name;
  setup.role = gateway_role(place);
  setup.cpus = number_of(cell.axis("cpus"));
  setup.clients = cell.axis("clients").empty() ? 1 : static_cast<int>(number_of(cell.axis("clients")));
  setup.open_loop = cell.scenario.rate.has_value();
  auto config = resolve_gateway(standing, *gateway);
  if (!config) {
    return config.error();
  }
  setup.config = std::move(*config);
  if (setup.cpus > 0) {
    setup.config.service.threads = std::max(1, static_cast<int>(std::ceil(setup.cpus)));
  }
  const GatewayPorts ports = ports_of(*node, place);
  listen_at(setup.config.service.plain, ports.http);
  listen_at(setup.config.service.tls, ports.https);
  setup.config.logs = logs_of(cell, *gateway, setup.config.logs, place);
  if (auto added = add_junction(setup.config, cell.scenario, standing, *gateway); !added) {
    return added.error();
  }
  const std::string crypto = cell.axis("crypto");
  if (crypto == "software") {
    setup.crypto = CryptoSwitch::software;
    const auto known = facts.find(setup.gateway);
    auto environment = software_environment(known == facts.end() ? std::string_view() : known->second.architecture);
    if (!environment) {
      return unfit(cell, "no way is known to switch crypto instructions off on the gateway's node", "leave the cell out with --only");
    }
    setup.environment = std::move(*environment);
  } else if (!crypto.empty()) {
    setup.crypto = crypto == "adapter" ? CryptoSwitch::adapter : CryptoSwitch::hardware;
  }
  setup.external = gateway->external;
  setup.guests = guests_of(standing.lab);
  setup.guests.resize(std::min(setup.guests.size(), busy_guests(cell)));
  add_back_ends(setup, cell.scenario, standing.lab);
  auto drivers = drivers_of(cell, setup, standing, facts, url_of(cell, *gateway, ports), timing);
  if (!drivers) {
    return drivers.error();
  }
  setup.drivers = std::move(*drivers);
  return setup;
}

}  // namespace lab::run
