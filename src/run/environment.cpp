#include "environment.hpp"

#include "lab/version.hpp"
#include "store/read.hpp"

#include <sys/utsname.h>
#include <algorithm>
#include <boost/json.hpp>
#include <fstream>

namespace lab::run {

namespace json = boost::json;
namespace fs = std::filesystem;

namespace {

constexpr int kQuotaPeriodUs = 10'000;

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\n");
  const auto last = text.find_last_not_of(" \t\n");
  return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return trimmed(line);
}

// The value of the first "key : value" of a file such as /proc/cpuinfo, and how often the key is there.
std::pair<std::string, int> field(const fs::path& file, const std::string& key) {
  std::ifstream in(file);
  std::pair<std::string, int> found{{}, 0};
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(':');
    if (colon != std::string::npos && trimmed(line.substr(0, colon)) == key && found.second++ == 0) {
      found.first = trimmed(line.substr(colon + 1));
    }
  }
  return found;
}

void add_unless_empty(json::object& object, const char* key, const std::string& value) {
  if (!value.empty()) {
    object[key] = value;
  }
}

std::string cgroup_version(const fs::path& root) {
  const bool v2 = fs::exists(root / "sys/fs/cgroup/cgroup.controllers");
  const bool v1 = fs::exists(root / "sys/fs/cgroup/cpu") || fs::exists(root / "sys/fs/cgroup/cpu,cpuacct");
  const bool mixed = fs::exists(root / "sys/fs/cgroup/unified/cgroup.controllers");
  return v2 ? "2" : v1 ? (mixed ? "1+2" : "1") : "";
}

const char* name_of(CpuMethod method) {
  switch (method) {
    case CpuMethod::quota: return "quota";
    case CpuMethod::stop_continue: return "stop-continue";
    case CpuMethod::none: return "none";
  }
  return "";
}

const char* name_of(JunctionType type) {
  switch (type) {
    case JunctionType::tcp: return "tcp";
    case JunctionType::ssl: return "ssl";
    case JunctionType::local: return "local";
  }
  return "";
}

const char* name_of(LoginMode login) {
  switch (login) {
    case LoginMode::none: return "none";
    case LoginMode::once: return "once";
    case LoginMode::every: return "every";
  }
  return "";
}

const char* name_of(HandshakeMode handshake) {
  switch (handshake) {
    case HandshakeMode::once: return "once";
    case HandshakeMode::resume: return "resume";
    case HandshakeMode::full: return "full";
  }
  return "";
}

json::array names(const Identity& identity) {
  json::array names;
  for (const auto& [set, name] : {std::pair{identity.user, "user"}, {identity.groups, "groups"}, {identity.creds, "creds"}}) {
    if (set) {
      names.emplace_back(name);
    }
  }
  return names;
}

json::object describe(const Scenario& scenario) {
  json::object tls;
  if (scenario.https) {
    tls["handshake"] = name_of(scenario.tls.handshake);
    if (scenario.tls.version) {
      tls["version"] = *scenario.tls.version == TlsVersion::tls1_2 ? "1.2" : "1.3";
    }
    add_unless_empty(tls, "cipher", scenario.tls.cipher);
  }
  return {{"id", scenario.id},
          {"title", scenario.title},
          {"client", scenario.https ? "https" : "http"},
          {"junction",
           {{"point", scenario.junction.point},
            {"type", name_of(scenario.junction.type)},
            {"servers", store::to_array(scenario.junction.servers)},
            {"identity", names(scenario.junction.identity)}}},
          {"auth", name_of(scenario.login)},
          {"tls", std::move(tls)},
          {"notes", scenario.notes}};
}

json::object describe(const StandingNode& node, const Node& described) {
  json::array roles;
  for (const Role role : described.roles) {
    roles.emplace_back(to_string(role));
  }
  json::object object{{"name", node.name},       {"roles", std::move(roles)}, {"networks", store::to_array(described.networks)},
                      {"address", node.address}, {"machine", node.machine},   {"host_cpus", json::value_from(node.host_cpus)}};
  if (described.cpus) {
    object["cpus"] = *described.cpus;
  }
  return object;
}

// Machines that are LPARs: {cpus, lower_bound}; the latter where no node may ask how busy all of it is.
json::object carriers_of(const Standing& standing, const Facts& facts) {
  json::object carriers;
  for (const StandingNode& node : standing.nodes) {
    const auto known = facts.find(node.name);
    if (known == facts.end() || known->second.carrier_cpus == 0) {
      continue;
    }
    const auto* const seen = carriers.if_contains(node.machine);
    const bool bound = !known->second.carrier_known && (seen == nullptr || seen->at("lower_bound").as_bool());
    carriers[node.machine] = json::object{{"cpus", known->second.carrier_cpus}, {"lower_bound", bound}};
  }
  return carriers;
}

}  // namespace

json::object host_environment(const fs::path& root) {
  json::object environment;
  utsname host{};
  uname(&host);
  environment["hostname"] = host.nodename;
  environment["kernel"] = std::string(host.sysname) + " " + host.release;
  environment["architecture"] = host.machine;
  const fs::path cpuinfo = root / "proc/cpuinfo";
  std::string model = field(cpuinfo, "model name").first;
  add_unless_empty(environment, "cpu_model", model.empty() ? field(cpuinfo, "vendor_id").first : model);
  int cores = field(cpuinfo, "processor").second;
  cores = cores > 0 ? cores : std::atoi(field(cpuinfo, "# processors").first.c_str());  // s390x counts them so
  if (cores > 0) {
    environment["cores"] = cores;
  }
  if (const std::string smt = first_line(root / "sys/devices/system/cpu/smt/active"); !smt.empty()) {
    environment["smt"] = smt == "1";
  }
  add_unless_empty(environment, "governor", first_line(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
  add_unless_empty(environment, "cgroup", cgroup_version(root));
  if (const long long kib = std::atoll(field(root / "proc/meminfo", "MemTotal").first.c_str()); kib > 0) {
    environment["memory_bytes"] = kib * 1024;
  }
  return environment;
}

void add_lab_environment(json::object& environment, const Standing& standing, const Facts& facts, const Playbook& playbook) {
  environment["lab"] = standing.name;
  environment["provider"] = to_string(standing.lab.provider);
  environment["playbook"] = playbook.name;
  environment["version"] = version();
  environment["build"] = build_id();
  environment["cpu_unit"] = standing.cpu_unit;
  environment["cpu_method"] = name_of(standing.cpu_method);
  add_unless_empty(environment, "cpu_note", standing.cpu_note);
  if (standing.cpu_method == CpuMethod::quota) {
    environment["quota_period_us"] = kQuotaPeriodUs;
  }
  json::array nodes;
  for (const StandingNode& node : standing.nodes) {
    if (const Node* described = standing.lab.find(node.name); described != nullptr) {
      nodes.push_back(describe(node, *described));
    }
    if (const auto known = facts.find(node.name); known != facts.end()) {
      add_unless_empty(environment, "openssl", known->second.openssl);
    }
  }
  environment["nodes"] = std::move(nodes);
  if (json::object carriers = carriers_of(standing, facts); !carriers.empty()) {
    environment["carriers"] = std::move(carriers);
  }
  json::array scenarios;
  for (const Scenario& scenario : playbook.scenarios) {
    scenarios.push_back(describe(scenario));
  }
  environment["scenarios"] = std::move(scenarios);
}

void add_crypto_environment(json::object& environment, const Plan& plan, const std::vector<Trial>& trials, const Facts& facts) {
  json::object crypto;
  for (const Trial& trial : trials) {
    for (const Side& side : trial.sides) {
      const Cell* cell = find_cell(plan.cells, side.cell);
      const std::string setting = cell == nullptr ? std::string() : cell->axis("crypto");
      if ((setting == "software" || setting == "hardware") && !side.openssl_cpu.empty()) {
        crypto[setting] = side.openssl_cpu;
      }
    }
  }
  if (!facts.empty()) {
    crypto["features"] = store::to_array(facts.begin()->second.crypto);
  }
  environment["crypto"] = std::move(crypto);
}

}  // namespace lab::run
