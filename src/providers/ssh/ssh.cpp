#include "providers/ssh/ssh.hpp"

#include "lab/resolve.hpp"
#include "providers/node_ports.hpp"
#include "providers/ssh/commands.hpp"
#include "providers/ssh/host.hpp"
#include "providers/ssh/probe.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <type_traits>

namespace lab::providers::ssh {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kPlanning = 15s;  // for a host to answer while planning or looking
constexpr const char* kNoQuota = "provider ssh changes nothing on a host outside the node's directory, so it makes no control groups there";

// A connection a host, kept for as long as the command lasts: servers ban those who connect too often.
class Lines {
 public:
  // Calls `work` with the host's Remote; one caller a host at a time. A connection that broke is made anew by the next call.
  template <class Work>
  auto with(const Host& host, Deadline deadline, Work work) -> std::invoke_result_t<Work, remote::Remote&> {
    const auto line = line_of(host.node);
    const std::lock_guard guard(line->mutex);
    if (line->remote == nullptr) {
      auto connected = remote::connect_ssh(target_of(host), deadline);
      if (!connected) {
        return connected.error();
      }
      line->remote = std::move(*connected);
    }
    auto done = work(*line->remote);
    if (!done) {
      line->remote.reset();
    }
    return done;
  }

 private:
  struct Line {
    std::mutex mutex;
    std::unique_ptr<remote::Remote> remote;
  };

  std::shared_ptr<Line> line_of(const std::string& node) {
    const std::lock_guard guard(mutex_);
    auto& line = lines_[node];
    if (line == nullptr) {
      line = std::make_shared<Line>();
    }
    return line;
  }

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Line>> lines_;
};

bool is_given(const Node& node) { return node.software != Software::external; }

class Ssh final : public Provider {
 public:
  explicit Ssh(Options options) : options_(std::move(options)) {}

  Result<std::vector<Step>, Errors> plan(const Site& site, const std::vector<NodeRecord>& standing) override {
    Errors errors = clashes(site.lab);
    std::vector<std::future<Result<Step, Errors>>> pending;
    for (const Node& node : site.lab.nodes) {
      if (is_given(node)) {
        const bool recorded =
            std::any_of(standing.begin(), standing.end(), [&](const NodeRecord& record) { return record.node.name == node.name; });
        pending.push_back(std::async(std::launch::async, [this, &site, &node, recorded] { return plan_node(site, node, recorded); }));
      }
    }
    std::vector<Step> steps;
    for (auto& one : pending) {
      auto step = one.get();
      if (step) {
        steps.push_back(std::move(*step));
      } else {
        const Errors failed = step.error();  // by value
        errors.insert(errors.end(), failed.begin(), failed.end());
      }
    }
    return errors.empty() ? Result<std::vector<Step>, Errors>(std::move(steps)) : std::move(errors);
  }

  Result<NodeRecord> create(const Site& site, const Node& node, const RecordIntent& record, Deadline deadline) override {
    auto host = pinned(site, node, deadline);
    if (!host) {
      return host.error();
    }
    const std::string name = directory_name(site.name, site.state, node.name);
    const auto facts = lines_.with(*host, deadline, [&](remote::Remote& there) { return look(there, name, "", node.name, deadline); });
    if (!facts) {
      return facts.error();
    }
    host->directory = facts->home + "/" + name;
    NodeRecord made = describe(*host, node);
    if (auto recorded = record(made); !recorded) {
      return recorded.error();
    }
    if (auto saved = save(site.state, *host); !saved) {
      return saved.error();
    }
    const std::string label = label_of(site.name, site.state, node.name);
    const auto directory =
        lines_.with(*host, deadline, [&](remote::Remote& there) { return make_directory(there, host->directory, label, deadline); });
    return directory ? Result<NodeRecord>(std::move(made)) : located(directory.error(), *host);
  }

  Result<void> destroy(const Site& site, const NodeRecord& record, Deadline deadline) override {
    const auto host = load(site.state, record.node.name);
    if (!host) {
      return {};  // never touched, or left already
    }
    const std::string label = label_of(site.name, site.state, host->node);
    const auto left = lines_.with(*host, deadline, [&](remote::Remote& there) -> Result<void> {
      if (auto ended = end_processes(there, host->directory, host->node, deadline); !ended) {
        return ended;
      }
      return remove_directory(there, host->directory, label, deadline);
    });
    if (!left) {
      Error error = located(left.error(), *host);
      error.remedy += (error.remedy.empty() ? "" : "; ") + std::string("until it answers, ") + host->directory +
                      " may be left there: run `lab down` again then";
      return error;
    }
    forget(site.state, host->node);
    return {};
  }

  // A host that does not answer may still have something: it is reported, so that `down` does not claim that nothing is left.
  Result<std::vector<Found>> list(const std::string&, const fs::path& state) override {
    std::vector<Found> found;
    for (const Host& host : load_all(state)) {
      const Deadline deadline = Clock::now() + kPlanning;
      const auto there =
          lines_.with(host, deadline, [&](remote::Remote& remote) { return has_directory(remote, host.directory, deadline); });
      if (!there || *there) {
        found.push_back(
            {host.node, "folder " + host.directory + " on " + host.place() + (there ? "" : ", perhaps: " + there.error().what)});
      }
    }
    return found;
  }

  Result<CpuLimit> limit_cpus(const Site&, const NodeRecord&, std::optional<double>) override {
    return CpuLimit{CpuMethod::stop_continue, kNoQuota};
  }

  Result<CpuTimes> cpu_times(const Site& site, const NodeRecord& record) override {
    const auto host = load(site.state, record.node.name);
    if (!host) {
      return Error{"no host is recorded for it", "node " + record.node.name, "run `lab up` again"};
    }
    const Deadline deadline = Clock::now() + kPlanning;
    const auto seen =
        lines_.with(*host, deadline, [&](remote::Remote& there) { return look_at_processes(there, host->directory, deadline); });
    if (!seen) {
      return located(seen.error(), *host);
    }
    CpuTimes times{0, seen->busy_us, seen->idle_us, seen->steal_us, seen->cpus};
    for (const HostProcess& process : seen->processes) {
      times.node_us += process.cpu_us;
    }
    return times;
  }

 private:
  static Error located(Error error, const Host& host) {
    if (error.where.empty()) {
      error.where = "node " + host.node + ", " + host.place();
    }
    return error;
  }

  // Two nodes may share an address behind several sshd: their ports must not meet.
  static Errors clashes(const Lab& lab) {
    Errors errors;
    std::map<std::string, std::string> taken;
    for (const Node& node : lab.nodes) {
      for (const ServicePort& port : is_given(node) ? ports_of(node) : std::vector<ServicePort>{}) {
        const std::string place = (node.address.empty() ? node.host : node.address) + ":" + std::to_string(port.port);
        const auto [first, fresh] = taken.try_emplace(place, "node " + node.name + ", " + port.service);
        if (!fresh) {
          errors.push_back(Error{place + " is wanted twice, first by " + first->second, "node " + node.name + ", " + port.service,
                                 "give one of them another port in the lab file"});
        }
      }
    }
    return errors;
  }

  // With its host key: as recorded, as the lab file pins it, or as it is shown where that is allowed. Without one, the error tells which
  // key is shown.
  Result<Host> pinned(const Site& site, const Node& node, Deadline deadline) const {
    auto host = host_of(node, deadline);
    if (!host) {
      return host;
    }
    if (const auto known = load(site.state, node.name); known && host->host_key.empty()) {
      host->host_key = known->host_key;
    }
    auto shown = remote::shown_host_key(target_of(*host), deadline);
    if (!shown) {
      return shown.error();
    }
    if (host->host_key.empty() && !options_.accept_new_host_keys) {
      return Error{"the host's key is not pinned", "node " + node.name + ", " + host->place(),
                   "it shows " + shown->fingerprint +
                       " now: when `ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` says the same there, "
                       "write it as the node's `host-key`, or use --accept-new-host-keys"};
    }
    host->host_key = host->host_key.empty() ? shown->fingerprint : host->host_key;
    host->host_key_line = shown->line;  // of the key that connecting compares with the pinned one
    return host;
  }

  Result<Step, Errors> plan_node(const Site& site, const Node& node, bool recorded) {
    const Deadline deadline = Clock::now() + kPlanning;
    const auto host = pinned(site, node, deadline);
    if (!host) {
      return Errors{host.error()};
    }
    const std::string name = directory_name(site.name, site.state, node.name);
    const auto facts =
        lines_.with(*host, deadline, [&](remote::Remote& there) { return look(there, name, node.log_dir, node.name, deadline); });
    if (!facts) {
      return Errors{facts.error()};
    }
    const Wanted wanted{label_of(site.name, site.state, node.name), site.cpu_unit, !recorded, reads_database(site.lab)};
    Errors errors = judge(*facts, node, *host, wanted, options_.binaries);
    if (!errors.empty()) {
      return errors;
    }
    const bool there = !facts->directory.empty();
    const std::string limits = node.cpus || node.has(Role::gateway) ? "; CPUs by stopping and continuing" : "";
    return Step{!recorded ? "create"
                : there   ? "keep"
                          : "repair",
                "node " + node.name, host->place() + ", " + facts->home + "/" + name + limits};
  }

  static NodeRecord describe(const Host& host, const Node& node) {
    NodeRecord record;
    record.node.name = node.name;
    record.node.address = node.address.empty() ? host.address : node.address;
    record.node.machine = node.machine.empty() ? host.name : node.machine;
    record.node.ssh_address = host.address;
    record.node.ssh_port = host.port;
    record.node.ssh_user = host.user;
    record.node.ssh_host_key = host.host_key;
    record.node.ssh_key = host.key;
    record.node.directory = host.directory;
    record.details["host_key"] = host.host_key_line;
    return record;
  }

  const Options options_;
  Lines lines_;
};

}  // namespace

std::unique_ptr<Provider> make_ssh(Options options) { return std::make_unique<Ssh>(std::move(options)); }

}  // namespace lab::providers::ssh
