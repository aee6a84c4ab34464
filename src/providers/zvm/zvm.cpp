#include "providers/zvm/zvm.hpp"

#include "providers/ssh/host.hpp"
#include "providers/ssh/ssh.hpp"
#include "providers/zvm/cpu_time.hpp"
#include "providers/zvm/cpus.hpp"
#include "providers/zvm/feilongs.hpp"
#include "providers/zvm/guests.hpp"
#include "providers/zvm/keys.hpp"
#include "providers/zvm/look.hpp"
#include "providers/zvm/order.hpp"
#include "providers/zvm/plan.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <map>
#include <mutex>
#include <semaphore>

namespace lab::providers::zvm {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kPlanning = 60s;
constexpr auto kLooking = 15s;
constexpr auto kGlance = 3s;                      // at a guest that may be off
constexpr auto kFirstTry = 1s, kLongestTry = 5s;  // between attempts to reach a guest that starts
constexpr const char* kUnknownMachine = "zvm";

Error located(Error error, const std::string& node) {
  if (error.where.find("node ") == std::string::npos) {
    error.where = "node " + node + (error.where.empty() ? "" : ", " + error.where);
  }
  return error;
}

Lab given_part(const Lab& lab) {
  Lab given = lab;
  std::erase_if(given.nodes, [](const Node& node) { return is_created(node); });
  return given;
}

class Zvm final : public Provider {
 public:
  explicit Zvm(Means means)
      : means_(std::move(means)),
        ssh_(ssh::make_ssh({means_.binaries, means_.accept_new_host_keys})),
        feilongs_(means_.transport, means_.pause) {}

  Result<std::vector<Step>, Errors> plan(const Site& site, const std::vector<NodeRecord>& standing) override {
    Errors errors;
    std::map<std::string, Step> planned;
    const Lab given = given_part(site.lab);
    auto by_ssh = ssh_->plan({site.name, site.state, given, site.cpu_unit, site.pins, site.slot}, standing);
    if (by_ssh) {
      for (Step& step : *by_ssh) {
        planned[step.what] = std::move(step);
      }
    } else {
      const Errors failed = by_ssh.error();
      errors.insert(errors.end(), failed.begin(), failed.end());
    }
    auto by_feilong = plan_created(feilongs_, site, means_.binaries);
    if (by_feilong) {
      for (auto& [node, step] : *by_feilong) {
        planned[step.what] = std::move(step);
      }
    } else {
      const Errors failed = by_feilong.error();
      errors.insert(errors.end(), failed.begin(), failed.end());
    }
    std::vector<Step> steps;
    for (const Node& node : site.lab.nodes) {
      if (const auto at = planned.find("node " + node.name); at != planned.end()) {
        steps.push_back(std::move(at->second));
      }
    }
    return errors.empty() ? Result<std::vector<Step>, Errors>(std::move(steps)) : std::move(errors);
  }

  Result<NodeRecord> create(const Site& site, const Node& node, const RecordIntent& record, Deadline deadline) override {
    if (!is_created(node)) {
      return ssh_->create(site, node, record, deadline);
    }
    const auto access = access_of(site.lab, site.state);
    if (!access) {
      return no_feilong(node.name);
    }
    const auto feilong = feilongs_.at(*access);
    const auto order = order_of(site, node, *access);
    const auto key = host_key_of(site.state, node.name, deadline);
    if (!feilong || !order || !key) {
      return !feilong ? feilong.error() : !order ? order.error() : key.error();
    }
    GuestRecord guest = load(site.state, node.name).value_or(GuestRecord{node.name, order->userid, order->vswitch});
    if (auto recorded = record(describe(node, guest, *key)); !recorded) {
      return recorded.error();
    }
    for (auto& saved : {write_down(site.state, *access), save(site.state, guest)}) {
      if (!saved) {
        return saved.error();
      }
    }
    auto raised = raise(**feilong, site, node, guest, *order, *key, deadline);
    return raised ? Result<NodeRecord>(describe(node, guest, *key)) : located(raised.error(), node.name);
  }

  Result<void> destroy(const Site& site, const NodeRecord& record, Deadline deadline) override {
    const std::string& node = record.node.name;
    auto guest = load(site.state, node);
    if (guest && guest->given) {
      if (auto restored = restore(site, node, *guest, deadline); !restored) {
        return located(restored.error(), node);
      }
      forget_guest(site.state, node);
      return ssh_->destroy(site, record, deadline);
    }
    if (auto removed = remove_created(site, node, guest, deadline); !removed) {
      return located(removed.error(), node);
    }
    forget_guest(site.state, node);
    return ssh_->destroy(site, record, deadline);
  }

  Result<std::vector<Found>> list(const std::string& name, const fs::path& state) override {
    auto found = ssh_->list(name, state);
    const auto access = found ? access_of(Lab{}, state) : std::nullopt;
    if (!access) {
      return found;
    }
    const auto feilong = feilongs_.at(*access);
    if (!feilong) {
      return feilong.error();
    }
    Guests guests(**feilong, name, state);
    const Deadline deadline = Clock::now() + kPlanning;
    const auto labelled = guests.labelled(deadline);
    if (!labelled) {
      return labelled.error();
    }
    std::map<std::string, std::string> there;  // user id to node
    for (const auto& one : *labelled) {
      there[one.userid] = one.node;
    }
    for (const GuestRecord& record : load_all(state)) {
      if (record.given || (record.stage == Stage::intended && !there.contains(record.userid))) {
        continue;
      }
      const auto entry = there.contains(record.userid) ? Result<std::optional<std::vector<std::string>>>(std::vector<std::string>())
                                                       : guests.entry(record.userid, deadline);
      if (!entry) {
        return entry.error();
      }
      if (*entry || record.stray) {
        there[record.userid] = record.node;
      }
    }
    for (const auto& [userid, node] : there) {
      found->push_back({node, "guest " + userid + " of z/VM, at " + access->url});
    }
    return found;
  }

  Result<CpuLimit> limit_cpus(const Site& site, const NodeRecord& record, std::optional<double> host_cpus) override {
    const Deadline deadline = Clock::now() + kPlanning * 2;
    const auto remote = means_.connect(target_of(site, record), deadline);
    if (!remote) {
      return remote.error();
    }
    const auto inside = look_inside(**remote, record.node.name, deadline);
    if (!inside) {
      return inside.error();
    }
    if (!inside->on_zvm()) {
      return CpuLimit{CpuMethod::stop_continue, "node " + record.node.name + " is no guest of z/VM: its CPUs are not changed"};
    }
    auto guest = load(site.state, record.node.name);
    if (auto noted = note_given(site, record, guest, *inside); !noted) {
      return noted.error();
    }
    const int known = static_cast<int>(inside->present.size());
    const int wanted = host_cpus ? std::max(1, static_cast<int>(std::ceil(*host_cpus))) : known;
    if (auto set = set_cpus(**remote, record.node.name, wanted, define_for(site, guest), deadline); !set) {
      return guest && guest->given ? Result<CpuLimit>(CpuLimit{CpuMethod::stop_continue, set.error().what + ": " + set.error().remedy})
                                   : set.error();
    }
    if (host_cpus && *host_cpus != std::floor(*host_cpus)) {
      return CpuLimit{CpuMethod::stop_continue, "a guest of z/VM has whole CPUs; parts of one are made by stopping and continuing"};
    }
    return CpuLimit{CpuMethod::quota, "", true};
  }

  Result<CpuTimes> cpu_times(const Site& site, const NodeRecord& record) override {
    const auto guest = load(site.state, record.node.name);
    const Node* const node = site.lab.find(record.node.name);
    const std::string userid = guest && !guest->given ? guest->userid : node == nullptr ? "" : node->guest.userid;
    if (userid.empty()) {
      return ssh_->cpu_times(site, record);
    }
    const Deadline deadline = Clock::now() + kLooking;
    const auto access = access_of(site.lab, site.state);
    const auto feilong = access ? feilongs_.at(*access) : Result<Feilong*>(no_feilong(record.node.name));
    const auto own = feilong ? times_.now(**feilong, userid, deadline) : Result<std::uint64_t>(feilong.error());
    if (!own) {
      return located(own.error(), record.node.name);
    }
    std::vector<std::uint64_t> others;
    for (const GuestRecord& other : load_all(site.state)) {
      if (other.node != record.node.name && !other.userid.empty()) {
        others.push_back(times_.recent(**feilong, other.userid, deadline));
      }
    }
    const auto remote = means_.connect(target_of(site, record), Clock::now() + kGlance);
    const auto inside = remote ? look_inside(**remote, record.node.name, Clock::now() + kGlance) : Result<Inside>(remote.error());
    return times_of(*own, others, inside ? &*inside : nullptr);
  }

 private:
  // The same for all nodes, which come at once.
  Result<void> write_down(const fs::path& state, const FeilongAccess& access) {
    const std::lock_guard guard(writing_);
    return save(state, access);
  }

  Result<void> raise(Feilong& feilong, const Site& site, const Node& node, GuestRecord& guest, GuestOrder order, const local::HostKey& key,
                     Deadline deadline) {
    std::string drive;
    if (guest.stage < Stage::ready) {
      if (Errors errors = check_order(feilong, order, node.name, deadline); !errors.empty()) {
        return errors.front();
      }
      auto made = drive_of(site, node, key);
      if (!made) {
        return made.error();
      }
      drive = std::move(*made);
    }
    Guests guests(feilong, site.name, site.state);
    if (auto raised = guests.raise(guest, order, drive, deploying_, deadline); !raised) {
      return raised;
    }
    return guest.stage == Stage::ready ? Result<void>() : await_ssh(site, node, guest, key, deadline);
  }

  // A guest that starts answers when it can; until its config drive is read, perhaps with another key.
  Result<void> await_ssh(const Site& site, const Node& node, GuestRecord& guest, const local::HostKey& key, Deadline deadline) {
    const remote::Target target = target_of(site, describe(node, guest, key));
    std::chrono::nanoseconds pause = kFirstTry;
    while (true) {
      const auto remote = means_.connect(target, std::min(deadline, Clock::now() + kLooking));
      const auto inside = remote ? look_inside(**remote, node.name, deadline) : Result<Inside>(remote.error());
      if (inside) {
        guest.directory = inside->home + "/" + ssh::directory_name(site.name, site.state, node.name);
        guest.machine = !node.machine.empty() ? node.machine : inside->sysinfo ? inside->sysinfo->lpar : kUnknownMachine;
        guest.architecture = inside->architecture;
        guest.stage = Stage::ready;
        return save(site.state, guest);
      }
      if (!means_.pause(pause, deadline)) {
        return Error{"guest " + guest.userid + " has started, and does not let the lab in: " + inside.error().what, "node " + node.name,
                     "look at its console, and whether zvmguestconfigure and cloud-init of its image read the config drive: docs/zvm.md"};
      }
      pause = std::min<std::chrono::nanoseconds>(pause * 2, kLongestTry);
    }
  }

  Result<void> remove_created(const Site& site, const std::string& node, std::optional<GuestRecord>& guest, Deadline deadline) {
    const auto access = access_of(site.lab, site.state);
    if (!access) {
      return guest ? Result<void>(no_feilong(node)) : Result<void>();
    }
    if (!guest && ssh::load(site.state, node)) {
      return {};  // a given host
    }
    const auto feilong = feilongs_.at(*access);
    if (!feilong) {
      return feilong.error();
    }
    Guests guests(**feilong, site.name, site.state);
    if (guest) {
      return guests.remove(*guest, deadline);
    }
    const auto labelled = guests.labelled(deadline);
    if (!labelled) {
      return labelled.error();
    }
    for (const auto& one : *labelled) {
      if (names_node(one.node, node)) {
        GuestRecord found{node, one.userid, "", Stage::created};
        if (auto removed = guests.remove(found, deadline); !removed) {
          return removed;
        }
      }
    }
    return {};
  }

  static void forget_guest(const fs::path& state, const std::string& node) {
    forget_key(state, node);
    forget(state, node);
  }

  // Which CPUs a given guest had, before the first of them is taken or added.
  Result<void> note_given(const Site& site, const NodeRecord& record, std::optional<GuestRecord>& guest, const Inside& inside) {
    const Node* const node = site.lab.find(record.node.name);
    if (guest || (node != nullptr && is_created(*node))) {
      return {};
    }
    guest = GuestRecord{record.node.name, node == nullptr ? "" : node->guest.userid, ""};
    guest->given = true;
    guest->online_before = inside.online;
    return save(site.state, *guest);
  }

  Result<void> restore(const Site& site, const std::string& node, const GuestRecord& guest, Deadline deadline) {
    const auto host = ssh::load(site.state, node);
    if (!host || guest.online_before.empty()) {
      return {};
    }
    const auto remote = means_.connect(ssh::target_of(*host), deadline);
    return remote ? restore_cpus(**remote, node, guest.online_before, deadline) : remote.error();
  }

  // More CPUs come from Feilong where it knows the guest; else the guest asks CP itself.
  Define define_for(const Site& site, const std::optional<GuestRecord>& guest) {
    const auto access = access_of(site.lab, site.state);
    if (!guest || guest->userid.empty() || !access) {
      return {};
    }
    return [this, access = *access, guest = *guest](int cpus) -> Result<void> {
      const auto feilong = feilongs_.at(access);
      if (!feilong) {
        return feilong.error();
      }
      const Call call = live_resize(guest.userid, cpus);
      const auto answer = (*feilong)->answer_to(call, Clock::now() + kPlanning);
      if (!answer) {
        return answer.error();
      }
      constexpr int kOff = 1, kBeyondMaximum = 4;
      const std::string remedy = answer->rs == kOff             ? "start it: lab up"
                                 : answer->rs == kBeyondMaximum ? "raise `max-cpus`, then have the guest created anew: lab down, lab up"
                                                                : "";
      return answer->ok() ? Result<void>()
                          : to_error(*answer, name_of(call) + " live_resize_cpus", guest.node, answer->there_already() ? remedy : "");
    };
  }

  static remote::Target target_of(const Site& site, const NodeRecord& record) {
    const StandingNode& node = record.node;
    const fs::path key = node.ssh_key.empty() ? site.state / "keys" / "id_ed25519" : fs::path(node.ssh_key);
    return {node.name, node.ssh_address, node.ssh_port, node.ssh_user, key, node.ssh_host_key};
  }

  static NodeRecord describe(const Node& node, const GuestRecord& guest, const local::HostKey& key) {
    NodeRecord record;
    record.node.name = node.name;
    record.node.address = node.address;
    record.node.machine = !node.machine.empty() ? node.machine : guest.machine.empty() ? kUnknownMachine : guest.machine;
    record.node.ssh_address = node.address;
    record.node.ssh_port = node.port;
    record.node.ssh_user = node.user.empty() ? kUser : node.user;
    record.node.ssh_host_key = key.fingerprint;
    record.node.directory = guest.directory;
    record.details["host_key"] = key.line;
    record.details["userid"] = guest.userid;
    return record;
  }

  const Means means_;
  const std::unique_ptr<Provider> ssh_;
  std::counting_semaphore<> deploying_{static_cast<std::ptrdiff_t>(kMostAtOnce)};
  std::mutex writing_;
  Feilongs feilongs_;
  GuestTimes times_;
};

}  // namespace

std::unique_ptr<Provider> make_zvm(Means means) { return std::make_unique<Zvm>(std::move(means)); }

}  // namespace lab::providers::zvm
