#include "providers/local/local.hpp"

#include "lab/resolve.hpp"
#include "providers/local/account.hpp"
#include "providers/local/cgroup.hpp"
#include "providers/local/machine.hpp"
#include "providers/local/plan.hpp"
#include "providers/local/ports.hpp"
#include "providers/local/processes.hpp"
#include "providers/local/sshd.hpp"

#include <openssl/sha.h>
#include <sys/stat.h>
#include <unistd.h>
#include <array>
#include <boost/json.hpp>
#include <cerrno>
#include <fstream>
#include <sstream>

namespace lab::providers::local {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kGrace = 1s;  // for services to drain
constexpr int kFirstSlotByte = 100;

fs::path node_folder(const Site& site, const std::string& node) { return site.state / "nodes" / node; }

// What the node has on another disk, by the file that says where.
fs::path log_folder(const Site& site, const std::string& node) {
  std::string logs;
  std::getline(std::ifstream(node_folder(site, node) / kLogFolderFile) >> std::ws, logs);
  return fs::path(logs).filename().string().starts_with(kLogFolderPrefix) ? fs::path(logs) : fs::path();
}

// Labs of one name under different state folders must not meet in the one tree of control groups.
std::string cgroup_prefix(const std::string& name, const fs::path& state) {
  const std::string path = state.string();
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(path.data()), path.size(), digest.data());
  std::ostringstream text;
  text << "lab-" << name << "-" << std::hex;
  for (std::size_t i = 0; i < 4; ++i) {
    text << (digest[i] >> 4U) << (digest[i] & 15U);
  }
  return text.str() + "-";
}

Result<void> make_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  return failed ? system_error("make " + folder.string(), failed.value(), "free some disk space, or make its parent writable")
                : Result<void>();
}

// sshd as root wants its privilege separation folder, which the package's service makes at boot: sshd(8).
Result<void> ensure_privilege_separation(const Account& account) {
  constexpr const char* kFolder = "/run/sshd";
  return !account.root || mkdir(kFolder, 0755) == 0 || errno == EEXIST ? Result<void>()
                                                                       : system_error(std::string("make ") + kFolder, errno);
}

class Local final : public Provider {
 public:
  explicit Local(Options options) : options_(std::move(options)), parents_(cgroup_parents()) {}

  Result<std::vector<Step>, Errors> plan(const Site& site, const std::vector<NodeRecord>& standing) override {
    return plan_nodes(site, standing, options_);
  }

  Result<NodeRecord> create(const Site& site, const Node& node, const RecordIntent& record, Deadline deadline) override {
    const auto programs = find_programs(options_);
    auto account = current_account(deadline);
    if (!programs || !account) {
      return programs ? account.error() : programs.error();
    }
    NodeRecord made = describe(site, node, *account);
    if (auto recorded = record(made); !recorded) {
      return recorded.error();
    }
    if (auto folder = make_folder(fs::path(made.node.directory) / "ssh"); !folder) {
      return folder.error();
    }
    const Sshd sshd{made.node.directory, made.node.address, account->name, site.state / "keys" / "id_ed25519.pub"};
    const auto key = ensure_host_key(sshd, *programs, deadline);
    if (!key) {
      return key.error();
    }
    made.node.ssh_host_key = key->fingerprint;
    made.details["host_key"] = key->line;
    const auto procs = join_files(site, made, deadline);
    if (running_sshd(sshd.node_folder)) {
      return made;
    }
    if (auto ready = ensure_privilege_separation(*account); !ready) {
      return ready.error();
    }
    const auto started = start_sshd(sshd, *programs, procs, deadline);
    return started ? Result<NodeRecord>(std::move(made)) : started.error();
  }

  Result<void> destroy(const Site& site, const NodeRecord& record, Deadline deadline) override {
    const std::string& node = record.node.name;
    const auto groups = groups_of(site, node);
    const auto find = [&] {
      auto found = find_processes(site.state / "nodes");
      std::erase_if(found, [&](const NodeProcess& process) { return process.node != node; });
      for (const Cgroup& group : groups) {
        for (const std::string& folder : group.folders()) {
          const auto members = processes_in(folder + "/cgroup.procs", node);
          found.insert(found.end(), members.begin(), members.end());
        }
      }
      return found;
    };
    if (auto ended = end_all(find, kGrace, deadline); !ended) {
      return ended;
    }
    for (const Cgroup& group : groups) {
      if (auto removed = remove_cgroup(group, deadline); !removed) {
        return removed;
      }
    }
    std::error_code failed;
    if (const fs::path logs = log_folder(site, node); !logs.empty()) {
      fs::remove_all(logs, failed);
    }
    fs::remove_all(node_folder(site, node), failed);
    return failed ? system_error("remove " + node_folder(site, node).string(), failed.value()) : Result<void>();
  }

  Result<std::vector<Found>> list(const std::string& name, const fs::path& state) override {
    std::vector<Found> found;
    for (const NodeProcess& process : find_processes(state / "nodes")) {
      found.push_back({process.node, "process " + std::to_string(process.identity.pid) + ": " + process.title});
    }
    const std::string prefix = cgroup_prefix(name, state);
    for (const Cgroup& group : find_cgroups(parents_, prefix)) {
      found.push_back({fs::path(group.cpu).filename().string().substr(prefix.size()), "cgroup " + group.cpu});
    }
    std::error_code ignored;
    for (const auto& folder : fs::directory_iterator(state / "nodes", ignored)) {
      found.push_back({folder.path().filename().string(), "folder " + folder.path().string()});
    }
    return found;
  }

  Result<CpuLimit> limit_cpus(const Site&, const NodeRecord& record, std::optional<double> host_cpus) override {
    const auto group = cgroup_from_json(record.details);
    if (!group) {
      const auto* const note = record.details.if_contains("cpu_note");
      return CpuLimit{CpuMethod::stop_continue, note != nullptr && note->is_string() ? std::string(note->get_string()) : std::string()};
    }
    const auto written = set_quota(*group, host_cpus);
    return written ? Result<CpuLimit>(CpuLimit{CpuMethod::quota, {}})
                   : Error{written.error().what, "node " + record.node.name, "run `lab up` again"};
  }

  Result<CpuTimes> cpu_times(const Site& site, const NodeRecord& record) override {
    CpuTimes times = machine_times();
    if (const auto group = cgroup_from_json(record.details)) {
      const auto used = cpu_time_us(*group);
      if (!used) {
        return used.error();
      }
      times.node_us = *used;
      return times;
    }
    auto processes = find_processes(site.state / "nodes");
    std::erase_if(processes, [&](const NodeProcess& process) { return process.node != record.node.name; });
    times.node_us = cpu_time_us(processes);
    return times;
  }

 private:
  NodeRecord describe(const Site& site, const Node& node, const Account& account) const {
    NodeRecord record;
    record.node.name = node.name;
    record.node.address = address_of(site.lab, node, site.slot);
    record.node.machine = node.machine.empty() ? "host" : node.machine;
    record.node.ssh_address = record.node.address;
    record.node.ssh_port = kSshPort;
    record.node.ssh_user = account.name;
    record.node.directory = node_folder(site, node.name).string();
    const auto pins = site.pins.find(node.name);
    record.node.host_cpus = pins == site.pins.end() ? std::vector<int>{} : pins->second;
    return record;
  }

  // Makes the node's control group, where that is allowed, and says in the record which it is or why there is none.
  std::vector<std::string> join_files(const Site& site, NodeRecord& record, Deadline deadline) const {
    const auto group = make_cgroup(parents_, cgroup_prefix(site.name, site.state) + record.node.name);
    const auto joined = group ? try_to_join(*group, deadline) : Result<void>(group.error());
    if (!joined) {
      if (group) {
        static_cast<void>(remove_cgroup(*group, deadline));
      }
      record.details["cpu_note"] = "no quota by cgroups: " + joined.error().what;
      return {};
    }
    record.details["cgroup"] = to_json(*group);
    std::vector<std::string> files;
    for (const std::string& folder : group->folders()) {
      files.push_back(folder + "/cgroup.procs");
    }
    return files;
  }

  std::vector<Cgroup> groups_of(const Site& site, const std::string& node) const {
    const std::string name = cgroup_prefix(site.name, site.state) + node;
    auto groups = find_cgroups(parents_, name);
    std::erase_if(groups, [&](const Cgroup& group) { return fs::path(group.cpu).filename() != name; });
    return groups;
  }

  const Options options_;
  const std::vector<Cgroup> parents_;
};

}  // namespace

std::unique_ptr<Provider> make_local(Options options) { return std::make_unique<Local>(std::move(options)); }
std::unique_ptr<Provider> make_local() { return make_local(Options{remote::find_program}); }

std::string address_of(const Lab& lab, const Node& node, int slot) {
  int network = 1, place = 1;
  for (std::size_t i = 0; i < lab.networks.size(); ++i) {
    if (!node.networks.empty() && lab.networks[i].name == node.networks.front()) {
      network = static_cast<int>(i) + 1;
    }
  }
  for (std::size_t i = 0; i < lab.nodes.size(); ++i) {
    if (lab.nodes[i].name == node.name) {
      place = static_cast<int>(i) + 1;
    }
  }
  return "127." + std::to_string(kFirstSlotByte + slot) + "." + std::to_string(network) + "." + std::to_string(place);
}

bool slot_taken(int slot) { return listens_within(kFirstSlotByte + slot); }

}  // namespace lab::providers::local
