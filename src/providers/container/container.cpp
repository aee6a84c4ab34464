#include "providers/container/container.hpp"

#include "providers/container/commands.hpp"
#include "providers/container/image.hpp"
#include "providers/container/inventory.hpp"
#include "providers/container/limits.hpp"
#include "providers/container/occupied.hpp"
#include "providers/container/plan.hpp"
#include "providers/local/machine.hpp"
#include "providers/local/sshd.hpp"
#include "providers/local/watch.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <fstream>
#include <mutex>
#include <sstream>

namespace lab::providers::container {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kQuickly = 20s;  // for a question to the engine
constexpr auto kLookAgain = 500ms;

fs::path node_folder(const Site& site, const std::string& node) { return site.state / "nodes" / node; }

Result<void> write_file(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::trunc);
  out << text;
  out.close();
  return out ? Result<void>() : system_error("write " + file.string(), errno == 0 ? EIO : errno, "free some disk space");
}

// The node's folder that its sshd sees: configuration, host key, who may log in.
Result<local::HostKey> furnish_ssh(const Site& site, const Node& node, const Host& host, Deadline deadline) {
  const fs::path folder = node_folder(site, node.name);
  std::error_code failed;
  fs::create_directories(folder / "ssh", failed);
  if (failed) {
    return system_error("make " + (folder / "ssh").string(), failed.value(), "free some disk space, or make its parent writable");
  }
  fs::copy_file(site.state / "keys" / "id_ed25519.pub", folder / "ssh" / "authorized_keys", fs::copy_options::overwrite_existing, failed);
  if (failed) {
    return system_error("copy the lab's public key", failed.value());
  }
  if (auto written = write_file(folder / "ssh" / "sshd_config", sshd_config()); !written) {
    return written.error();
  }
  const auto keygen = host.find_program("ssh-keygen");
  if (!keygen) {
    return Error{"ssh-keygen not found", "provider container", "apt-get install openssh-client"};
  }
  local::Sshd sshd;
  sshd.node_folder = folder;
  return local::ensure_host_key(sshd, {{}, *keygen}, deadline);
}

class ContainerProvider final : public Provider {
 public:
  explicit ContainerProvider(Host host) : host_(std::move(host)) {}

  Result<std::vector<Step>, Errors> plan(const Site& site, const std::vector<NodeRecord>& standing) override {
    return plan_nodes(site, standing, host_);
  }

  Result<NodeRecord> create(const Site& site, const Node& node, const RecordIntent& record, Deadline deadline) override {
    const auto engine = Engine::find(host_);
    if (!engine) {
      return engine.error();
    }
    NodePlace place;
    auto made = describe_node(site, node, *engine, place);
    if (!made) {
      return made;
    }
    if (auto recorded = record(*made); !recorded) {
      return recorded.error();
    }
    const auto key = furnish_ssh(site, node, host_, deadline);
    if (!key) {
      return key.error();
    }
    made->node.ssh_host_key = key->fingerprint;
    made->details["host_key"] = key->line;
    if (auto ready = prepare(site, *engine, deadline); !ready) {
      return ready.error();
    }
    if (auto runs = ensure_running(site, node, *engine, place, deadline); !runs) {
      return runs.error();
    }
    auto reached = describe_running(site, std::move(*made), *engine, deadline);
    return reached;
  }

  Result<void> destroy(const Site& site, const NodeRecord& record, Deadline deadline) override {
    const Naming naming(site.name, site.state);
    const std::string& node = record.node.name;
    const auto engine = Engine::find(host_);
    if (engine && !unused(*engine, site.state)) {
      if (auto removed = remove_container(*engine, naming, node, deadline); !removed) {
        return removed;
      }
      if (auto removed = remove_networks_of_nobody(*engine, naming, deadline); !removed) {
        return removed;
      }
    }
    std::error_code failed;
    if (!node.empty()) {
      fs::remove_all(node_folder(site, node), failed);
    }
    return failed ? system_error("remove " + node_folder(site, node).string(), failed.value()) : Result<void>();
  }

  Result<std::vector<Found>> list(const std::string& name, const fs::path& state) override {
    std::vector<Found> found;
    std::error_code ignored;
    for (const auto& folder : fs::directory_iterator(state / "nodes", ignored)) {
      found.push_back({folder.path().filename().string(), "folder " + folder.path().string()});
    }
    const auto engine = Engine::find(host_);
    if (!engine || unused(*engine, state)) {
      return found;
    }
    const Naming naming(name, state);
    const Deadline deadline = Clock::now() + kQuickly;
    const auto containers = containers_of(*engine, naming, deadline);
    const auto networks = containers ? networks_of(*engine, naming, deadline) : Result<std::vector<std::string>>(containers.error());
    if (!networks) {
      return found.empty() && engine_is_out_of_order(*engine, deadline) ? Result<std::vector<Found>>(found) : networks.error();
    }
    for (const Container& container : *containers) {
      found.push_back({container.node, "container " + container.name});
    }
    const std::string last = containers->empty() ? "" : containers->front().node;  // the last node's end is theirs
    for (const std::string& network : *networks) {
      found.push_back({last, "network " + network});
    }
    return found;
  }

  Result<CpuLimit> limit_cpus(const Site& site, const NodeRecord& record, std::optional<double> host_cpus) override {
    if (const auto group = local::cgroup_from_json(record.details)) {
      const auto written = local::set_quota(*group, host_cpus);
      return written ? Result<CpuLimit>(CpuLimit{CpuMethod::quota, {}})
                     : Error{written.error().what, "node " + record.node.name, "run `lab up` again"};
    }
    const auto* const note = record.details.if_contains("cpu_note");
    CpuLimit limit{CpuMethod::stop_continue, note != nullptr && note->is_string() ? std::string(note->get_string()) : std::string()};
    return by_engine(site, record, host_cpus) ? CpuLimit{CpuMethod::quota, {}} : limit;
  }

  Result<CpuTimes> cpu_times(const Site& site, const NodeRecord& record) override {
    CpuTimes times = local::machine_times();
    if (const auto group = local::cgroup_from_json(record.details)) {
      const auto used = local::cpu_time_us(*group);
      if (!used) {
        return Error{"container not running", "node " + record.node.name, "lab up starts it again"};
      }
      times.node_us = *used;
      return times;
    }
    const auto engine = Engine::find(host_);
    const auto details = engine ? look_at(*engine, Naming(site.name, site.state).container(record.node.name), Clock::now() + kQuickly)
                                : Result<std::optional<Details>>(engine.error());
    if (!details) {
      return details.error();
    }
    if (!*details || (*details)->pid == 0) {
      return Error{"container not running", "node " + record.node.name, "lab up starts it again"};
    }
    times.node_us = namespace_cpu_us((*details)->pid);
    return times;
  }

 private:
  Result<NodeRecord> describe_node(const Site& site, const Node& node, const Engine& engine, NodePlace& place) const {
    auto addresses = addresses_of(site.lab, node, site.slot);
    auto management = management_address(site.lab, node, site.slot);
    if (!addresses || !management) {
      return addresses ? management.error() : addresses.error();
    }
    place = {std::move(*management), std::move(*addresses)};
    NodeRecord record;
    record.node.name = node.name;
    record.node.address = node.networks.empty() ? place.management : place.addresses[node.networks.front()];
    record.node.addresses = place.addresses;
    record.node.machine = node.machine.empty() ? "host" : node.machine;
    record.node.ssh_address = place.management;
    record.node.ssh_port = kSshPort;
    record.node.ssh_user = "root";
    record.node.directory = kDirectory;
    const auto pins = site.pins.find(node.name);
    record.node.host_cpus = pins == site.pins.end() ? std::vector<int>{} : pins->second;
    record.details["engine"] = engine.name();
    record.details["container"] = Naming(site.name, site.state).container(node.name);
    return record;
  }

  // What all nodes need, once: what the engine can do, and the networks.
  Result<void> prepare(const Site& site, const Engine& engine, Deadline deadline) {
    const std::lock_guard guard(mutex_);
    if (facts_) {
      return {};
    }
    const auto facts = engine.facts(deadline);
    if (!facts) {
      return facts.error();
    }
    const Naming naming(site.name, site.state);
    const auto there = networks_of(engine, naming, deadline);
    if (!there) {
      return there.error();
    }
    const Addresses addresses = addresses_of(site.lab, site.slot);
    const auto ensure = [&](const std::string& name, const Network& network) -> Result<void> {
      if (std::find(there->begin(), there->end(), naming.network(name)) != there->end()) {
        return {};
      }
      const auto made = engine.run(create_network(naming, engine.kind(), *facts, name, network), deadline);
      return made ? Result<void>() : made.error();
    };
    auto made = ensure(kManagement, addresses.management);
    for (const Network& network : addresses.networks) {
      made = made ? ensure(network.name, network) : made;
    }
    if (made) {
      facts_ = *facts;
    }
    return made;
  }

  Result<void> ensure_running(const Site& site, const Node& node, const Engine& engine, const NodePlace& place, Deadline deadline) const {
    const Naming naming(site.name, site.state);
    const std::string name = naming.container(node.name);
    auto there = look_at(engine, name, deadline);
    if (!there) {
      return there.error();
    }
    if (*there && (*there)->state == "running") {
      return {};
    }
    if (*there && (*there)->state == "created") {  // perhaps not on all its networks
      if (auto removed = remove_container(engine, naming, node.name, deadline); !removed) {
        return removed;
      }
      *there = std::nullopt;
    }
    if (!*there) {
      if (auto made = make(site, node, engine, place, deadline); !made) {
        return made;
      }
    }
    const fs::path ssh = node_folder(site, node.name) / "ssh";
    std::error_code ignored;
    fs::remove(ssh / "sshd.pid", ignored);
    local::Watch watch(ssh);
    if (const auto started = engine.run_in(ssh.parent_path(), {"start", name}, deadline); !started) {
      return Error{started.error().what, "node " + node.name, "see `lab doctor`", started.error().detail};
    }
    return await_sshd(engine, name, ssh / "sshd.pid", watch, deadline);
  }

  Result<void> make(const Site& site, const Node& node, const Engine& engine, const NodePlace& place, Deadline deadline) const {
    const Naming naming(site.name, site.state);
    const std::string folder = (node_folder(site, node.name) / "ssh").string();
    auto made = engine.run(create_container(naming, engine.kind(), *facts_, image_name(), node, place, folder), deadline);
    for (auto at = place.addresses.begin(); made && at != place.addresses.end(); ++at) {
      made = engine.run(connect_network(naming, engine.kind(), node, at->first, at->second), deadline);
    }
    return made ? Result<void>() : Error{made.error().what, "node " + node.name, "see `lab doctor`", made.error().detail};
  }

  // sshd writes its pid once it listens. A container that ended says why.
  static Result<void> await_sshd(const Engine& engine, const std::string& name, const fs::path& pid, local::Watch& watch,
                                 Deadline deadline) {
    std::error_code ignored;
    while (!fs::exists(pid, ignored)) {
      if (watch.await_change(std::min<Deadline>(deadline, Clock::now() + kLookAgain))) {
        continue;
      }
      const auto details = look_at(engine, name, deadline);
      const bool runs = details && *details && (*details)->state == "running";
      if (!runs || Clock::now() >= deadline) {
        const auto log = engine.attempt({"logs", name}, Clock::now() + kQuickly);
        return Error{runs ? "sshd does not listen in time" : "the container ended before its sshd listened", "container " + name,
                     "see `lab doctor`", log ? log->out + log->err : ""};
      }
    }
    return {};
  }

  Result<NodeRecord> describe_running(const Site& site, NodeRecord record, const Engine& engine, Deadline deadline) const {
    const std::string name = Naming(site.name, site.state).container(record.node.name);
    const auto details = look_at(engine, name, deadline);
    if (!details || !*details) {
      return details ? Error{"the container is gone", "node " + record.node.name, "run `lab up` again"} : details.error();
    }
    const Control control = control_of((*details)->pid, (*details)->id);
    if (control.cgroup) {
      record.details["cgroup"] = local::to_json(*control.cgroup);
    } else {
      record.details["cpu_note"] = control.note;
    }
    record.details["rootless"] = facts_->rootless;
    if (facts_->rootless) {
      const auto published = engine.run({"port", name, std::to_string(kSshPort)}, deadline);  // "127.0.0.1:46371"
      if (!published) {
        return published.error();
      }
      const auto lines = lines_of(*published);
      const auto colon = lines.empty() ? std::string::npos : lines.front().rfind(':');
      if (colon == std::string::npos) {
        return Error{"the engine published no port for SSH", "node " + record.node.name, "run `lab up` again", *published};
      }
      record.node.ssh_address = "127.0.0.1";
      record.node.ssh_port = static_cast<std::uint16_t>(std::atoi(lines.front().c_str() + colon + 1));
    }
    return record;
  }

  static Result<void> remove_container(const Engine& engine, const Naming& naming, const std::string& node, Deadline deadline) {
    const std::string name = naming.container(node);
    while (!node.empty()) {
      const auto there = look_at(engine, name, deadline);
      if (!there || !*there) {
        return there ? Result<void>() : there.error();
      }
      const auto removed = engine.run({"rm", "--force", "--volumes", name}, deadline);
      if (!removed && (Clock::now() >= deadline || removed.error().what.find("already in progress") == std::string::npos)) {
        const auto gone = look_at(engine, name, Clock::now() + kQuickly);
        return gone && !*gone ? Result<void>()
                              : Error{removed.error().what, "node " + node, "run `lab down` again", removed.error().detail};
      }
    }
    return {};
  }

  Result<void> remove_networks_of_nobody(const Engine& engine, const Naming& naming, Deadline deadline) {
    const std::lock_guard guard(mutex_);
    const auto containers = containers_of(engine, naming, deadline);
    if (!containers || !containers->empty()) {
      return containers ? Result<void>() : containers.error();
    }
    facts_.reset();
    const auto networks = networks_of(engine, naming, deadline);
    if (!networks || networks->empty()) {
      return networks ? Result<void>() : networks.error();
    }
    Words words{"network", "rm"};
    words.insert(words.end(), networks->begin(), networks->end());
    const auto removed = engine.run(words, deadline);
    return removed ? Result<void>() : removed.error();
  }

  // Where this process may not write the container's control group, the engine may.
  bool by_engine(const Site& site, const NodeRecord& record, std::optional<double> host_cpus) const {
    constexpr double kPeriodUs = 10'000;
    const auto* const rootless = record.details.if_contains("rootless");
    const auto engine = Engine::find(host_);
    if (!engine || rootless == nullptr || !rootless->is_bool() || rootless->get_bool()) {
      return false;
    }
    const std::string quota = host_cpus ? std::to_string(std::max(1000L, std::lround(*host_cpus * kPeriodUs))) : "-1";
    const auto updated =
        engine->run({"update", "--cpu-period", "10000", "--cpu-quota", quota, Naming(site.name, site.state).container(record.node.name)},
                    Clock::now() + kQuickly);
    return updated.has_value();
  }

  static bool unused(const Engine& engine, const fs::path& state) {
    std::error_code ignored;
    return engine.never_used() && !fs::exists(state / "nodes", ignored);
  }

  // An engine that cannot even describe itself to this user has made nothing for them either.
  static bool engine_is_out_of_order(const Engine& engine, Deadline deadline) { return !engine.facts(deadline); }

  const Host host_;
  std::mutex mutex_;  // guards facts_, and what is done for all nodes at once
  std::optional<EngineFacts> facts_;
};

}  // namespace

std::unique_ptr<Provider> make_container(Host host) { return std::make_unique<ContainerProvider>(std::move(host)); }
std::unique_ptr<Provider> make_container() { return make_container(this_host()); }

bool slot_taken(const Host& host, const Lab& lab, int slot) {
  if (slot > kContainerSlots) {
    return true;
  }
  const auto engine = Engine::find(host);
  if (!engine) {
    return false;  // the plan says so
  }
  const Deadline deadline = Clock::now() + kQuickly;
  const auto names = engine->run({"network", "ls", "--format", "{{.Name}}"}, deadline);
  Words inspect{"network", "inspect"};
  if (names) {
    const auto lines = lines_of(*names);
    inspect.insert(inspect.end(), lines.begin(), lines.end());
  }
  const auto described = names ? engine->run(inspect, deadline) : names;
  auto taken = subnets_in(described ? *described : "");
  std::ostringstream routes;
  routes << std::ifstream("/proc/net/route").rdbuf();
  const auto routed = routes_in(routes.str());
  taken.insert(taken.end(), routed.begin(), routed.end());
  const Addresses wanted = addresses_of(lab, slot);
  const auto in_the_way = [&](const Network& network) {
    return std::any_of(taken.begin(), taken.end(), [&](const Network& other) { return overlap(network, other); });
  };
  return in_the_way(wanted.management) || std::any_of(wanted.networks.begin(), wanted.networks.end(), in_the_way);
}

}  // namespace lab::providers::container
