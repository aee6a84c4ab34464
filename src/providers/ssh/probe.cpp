#include "providers/ssh/probe.hpp"

#include "lab/units.hpp"
#include "providers/node_ports.hpp"

#include <arpa/inet.h>
#include <endian.h>
#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <sstream>

namespace lab::providers::ssh {

namespace {

constexpr std::uint64_t kNeededKib = 64 << 10;  // the binary of a build and its successor, logs
constexpr std::string_view kMounts = "mounts", kTcp = "tcp";

// The options of the mount that a path is on: the longest mount point above it counts, and of equals the last one.
class Mounts {
 public:
  explicit Mounts(std::string path) : path_(std::move(path)) {}
  // fstab(5): device, mount point (spaces as \040), type, options
  void add(const std::string& line) {
    std::istringstream fields(line);
    std::string device, point, type, options;
    fields >> device >> point >> type >> options;
    for (std::size_t at = point.find("\\040"); at != std::string::npos; at = point.find("\\040", at)) {
      point.replace(at, 4, " ");
    }
    const bool above = point == "/" || (path_ + "/").starts_with(point + "/");
    if (above && point.size() >= longest_) {
      longest_ = point.size();
      options_ = "," + options + ",";
    }
  }
  bool has(const std::string& option) const { return options_.find("," + option + ",") != std::string::npos; }

 private:
  std::string path_;
  std::size_t longest_ = 0;
  std::string options_;
};

// proc(5), /proc/net/tcp: sl local remote st …; 0A is LISTEN
void add_listener(Facts& facts, const std::string& line) {
  std::istringstream fields(line);
  std::string number, local, remote, state;
  fields >> number >> local >> remote >> state;
  if (state == "0A") {
    facts.listening.insert(local);
  }
}

// The kernel prints the word that has the address in network order as a number of its own byte order, which need not be ours.
bool listens(const Facts& facts, const std::string& address, std::uint16_t port) {
  in_addr v4{};
  std::array<char, 16> digits{};
  std::snprintf(digits.data(), digits.size(), ":%04X", port);
  const std::string suffix = digits.data();
  if (inet_pton(AF_INET, address.c_str(), &v4) == 1) {
    for (const std::uint32_t word : {htobe32(v4.s_addr), htole32(v4.s_addr)}) {
      std::snprintf(digits.data(), digits.size(), "%08X", word);
      if (facts.listening.contains(digits.data() + suffix)) {
        return true;
      }
    }
  }
  return facts.listening.contains("00000000" + suffix) || facts.listening.contains(std::string(32, '0') + suffix);
}

void judge_home(Errors& errors, const Facts& facts, const std::string& where) {
  if (!facts.writable) {
    errors.push_back(Error{"the user may not write in its home " + facts.home, where, "log in as a user with a home of its own"});
  } else if (!facts.programs_run) {
    errors.push_back(
        Error{"programs may not run from " + facts.home + ": it is mounted noexec", where, "log in as a user whose home is elsewhere"});
  } else if (facts.free_kib < kNeededKib) {
    errors.push_back(Error{facts.home + " has " + format_size(facts.free_kib << 10U) + " left", where,
                           "free " + format_size(kNeededKib << 10U) + " there"});
  }
}

void judge_roles(Errors& errors, const Node& node, const Facts& facts, double cpu_unit, bool database, const std::string& where) {
  if (node.has(Role::firewall)) {
    errors.push_back(Error{"a firewall would change the host's network, and provider ssh changes nothing outside its directory", where,
                           "leave the node out, or use provider container"});
  }
  if (node.has(Role::gateway) && node.software != Software::lab && !facts.programs.contains(to_string(node.software))) {
    errors.push_back(Error{to_string(node.software) + " is not installed on the host", where,
                           "install it there (Debian: " + package_of(node.software) + "), or take `kind` out"});
  }
  if (node.has(Role::database) && database && !facts.programs.contains(kPostgreSql)) {
    errors.push_back(Error{"PostgreSQL is not installed on the host", where,
                           "install it there (Debian: postgresql-15), or take `source: postgresql` out"});
  }
  if (!node.log_dir.empty() && !facts.logs_writable) {
    errors.push_back(Error{"the user may not write in log-dir " + node.log_dir + ", or it is not there", where,
                           "make it and give it to that user, or take `log-dir` out"});
  }
  if (node.cpus && *node.cpus * cpu_unit > facts.cpus) {
    std::ostringstream what;
    what << *node.cpus << " lab CPUs are " << *node.cpus * cpu_unit << " host CPUs, and the host has " << facts.cpus;
    errors.push_back(Error{what.str(), where, "lower its cpus, or set a smaller cpu-unit in the lab file"});
  }
}

void judge_ports(Errors& errors, const Node& node, const Facts& facts, const std::string& address, const std::string& where) {
  for (const ServicePort& port : ports_of(node)) {
    const std::string place = address + ":" + std::to_string(port.port);
    if (port.port < 1024 && facts.uid != 0) {
      errors.push_back(Error{place + " wants root, and the user is not", where + ", " + port.service,
                             "give " + port.service + " a port from 1024 on in the lab file"});
    } else if (listens(facts, address, port.port)) {
      errors.push_back(Error{place + " is in use on the host", where + ", " + port.service,
                             "end what listens there, or give " + port.service + " another port in the lab file"});
    }
  }
}

}  // namespace

const char* const kProbe = R"sh(
LC_ALL=C; export LC_ALL
dir=$HOME/$1
echo "arch $(uname -m)"
echo "home $HOME"
echo "uid $(id -u)"
echo "cpus $(getconf _NPROCESSORS_ONLN)"
if [ -d "$HOME" ] && [ -w "$HOME" ]; then echo "writable 1"; fi
df -Pk "$HOME" | { read -r line; read -r device blocks used free rest; echo "free $free"; }
if [ -e "$dir" ]; then echo "directory $dir"; fi
if [ -f "$dir/.lab-node" ]; then echo "label $(cat "$dir/.lab-node")"; fi
if [ -n "$2" ] && [ -d "$2" ] && [ -w "$2" ]; then echo "logs 1"; fi
for program in nginx haproxy pg_ctlcluster; do
  for folder in /usr/sbin /usr/bin /usr/local/sbin /usr/local/bin; do if [ -x "$folder/$program" ]; then echo "program $program"; break; fi; done
done
echo mounts; cat /proc/self/mounts
echo tcp; cat /proc/net/tcp /proc/net/tcp6 2>/dev/null
exit 0
)sh";

Facts parse_facts(std::string_view text) {
  Facts facts;
  const std::map<std::string, std::function<void(const std::string&)>> readers{
      {"arch", [&](const std::string& value) { facts.architecture = value; }},
      {"home", [&](const std::string& value) { facts.home = value; }},
      {"uid", [&](const std::string& value) { facts.uid = std::atoi(value.c_str()); }},
      {"cpus", [&](const std::string& value) { facts.cpus = std::atoi(value.c_str()); }},
      {"writable", [&](const std::string&) { facts.writable = true; }},
      {"free", [&](const std::string& value) { facts.free_kib = std::strtoull(value.c_str(), nullptr, 10); }},
      {"directory", [&](const std::string& value) { facts.directory = value; }},
      {"label", [&](const std::string& value) { facts.label = value; }},
      {"program", [&](const std::string& value) { facts.programs.insert(value); }},
      {"logs", [&](const std::string&) { facts.logs_writable = true; }},
  };
  std::istringstream lines{std::string(text)};
  std::string section;
  std::optional<Mounts> mounts;
  for (std::string line; std::getline(lines, line);) {
    if (line == kMounts || line == kTcp) {
      section = line;
      mounts = mounts ? mounts : Mounts(facts.home);
    } else if (section == kMounts) {
      mounts->add(line);
    } else if (section == kTcp) {
      add_listener(facts, line);
    } else if (const auto reader = readers.find(line.substr(0, line.find(' '))); reader != readers.end()) {
      reader->second(line.substr(std::min(line.size(), reader->first.size() + 1)));
    }
  }
  facts.programs_run = !mounts || !mounts->has("noexec");
  return facts;
}

Result<Facts> look(remote::Remote& remote, const std::string& directory_name, const std::string& log_dir, const std::string& node,
                   Deadline deadline) {
  const auto said = remote.exec("sh -s -- " + remote::shell_quote(directory_name) + " " + remote::shell_quote(log_dir), kProbe, deadline);
  if (!said) {
    return said.error();
  }
  Facts facts = parse_facts(said->out);
  if (said->exit != 0 || facts.home.empty() || facts.architecture.empty()) {
    return Error{"the host does not run commands as a shell would", "node " + node, "give the user a login shell", said->out + said->err};
  }
  return facts;
}

Errors judge(const Facts& facts, const Node& node, const Host& host, const Wanted& wanted, const remote::Binaries& binaries) {
  const std::string where = "node " + node.name + ", " + host.place();
  Errors errors;
  if (const auto binary = binaries.find(facts.architecture); !binary) {
    errors.push_back(Error{binary.error().what, where, binary.error().remedy});
  }
  judge_home(errors, facts, where);
  judge_roles(errors, node, facts, wanted.cpu_unit, wanted.database, where);
  if (!facts.directory.empty() && facts.label != wanted.label) {
    errors.push_back(Error{facts.directory + " on the host is not this lab's", where,
                           facts.label.empty() ? "remove it by hand" : "it belongs to " + facts.label});
  }
  if (wanted.fresh && facts.directory.empty()) {
    judge_ports(errors, node, facts, node.address.empty() ? host.address : node.address, where);
  }
  return errors;
}

}  // namespace lab::providers::ssh
