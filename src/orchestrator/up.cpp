#include "orchestrator/up.hpp"

#include "lab/resolve.hpp"
#include "orchestrator/access.hpp"
#include "orchestrator/network.hpp"
#include "orchestrator/nodes.hpp"
#include "orchestrator/parallel.hpp"
#include "orchestrator/removal.hpp"
#include "orchestrator/state.hpp"
#include "pki/pki.hpp"
#include "store/files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <algorithm>
#include <atomic>
#include <mutex>

namespace lab::orchestrator {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

using Kind = Progress::Kind;

Error interrupted() { return Error{"interrupted", "", "`lab up` goes on with it, `lab down` removes it", "", Failure::interrupted}; }

// Two labs must not choose the same slot: from the choice until it is in a state file, this is held.
class SlotChoice {
 public:
  explicit SlotChoice(const fs::path& root) : root_(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) { flock(root_.get(), LOCK_EX); }

 private:
  remote::Descriptor root_;
};

// One `lab up`, from the intent on.
class Raising {
 public:
  Raising(const World& world, const Plan& plan, State state, const Operation& operation)
      : world_(world),
        operation_(operation),
        folder_(world.root / state.name),
        state_(std::move(state)),
        site_{state_.name, folder_, state_.lab, state_.cpu_unit, plan.cpus.pins, state_.slot},
        provider_(world.provider(state_.lab.provider)),
        crew_(world.crew()),
        kept_(std::all_of(plan.steps.begin(), plan.steps.end(),
                          [](const auto& step) { return step.action == "keep" || step.action == "start" || step.action == "use"; })) {}

  // Each error says where; what was done until then is in the state.
  Errors run() {
    Errors errors = checked("keys", [&] { return make_keys(); });
    if (errors.empty()) {
      errors = for_each_at_once(state_.lab.nodes, [&](const Node& node) { return create(node); });
    }
    if (errors.empty()) {
      errors = checked("state", [&] { return save_created(); });
    }
    if (errors.empty()) {
      standing_ = standing_of(world_.root, state_);
      errors = for_each_at_once(standing_.nodes, [&](const StandingNode& node) { return furnish(node); });
    }
    if (errors.empty()) {
      errors = checked("state", [&] { return finish(); });
    }
    return errors;
  }

  Raised result() const { return {standing_of(world_.root, state_), changed_}; }

 private:
  void tell(Kind kind, const std::string& node, const std::string& step) {
    const std::lock_guard guard(telling_);
    operation_.tell({kind, node, step});
  }

  template <class Work>
  Errors checked(const std::string& step, Work work) {
    const auto done = at_step("", step, work);
    return done ? Errors{} : Errors{done.error()};
  }

  template <class Work>
  Result<void> at_step(const std::string& node, const std::string& step, Work work) {
    if (operation_.interrupt.requested()) {
      return interrupted();
    }
    tell(Kind::started, node, step);
    Result<void> done = work();
    tell(done ? Kind::done : Kind::failed, node, step);
    return done;
  }

  Result<void> make_keys() {
    auto made = ensure_key(folder_, operation_.deadline);
    if (made && reads_database(state_.lab)) {
      made = ensure_database_password(folder_);
    }
    if (!made) {
      return made;
    }
    std::error_code failed;
    fs::create_directories(StateFiles(folder_).certificates, failed);
    return failed ? system_error("make " + StateFiles(folder_).certificates.string(), failed.value())
                  : pki::ensure_authority(StateFiles(folder_).certificates, state_.name);
  }

  // It is there without the lab, which only writes down where.
  static providers::NodeRecord external(const Node& node) {
    providers::NodeRecord record;
    record.node.name = node.name;
    record.node.address = node.address;
    record.node.machine = node.machine.empty() ? node.address : node.machine;
    record.node.external = true;
    return record;
  }

  Result<void> create(const Node& node) {
    if (node.software == Software::external) {
      const std::lock_guard guard(mutex_);
      state_.put(external(node));
      return {};
    }
    return at_step(node.name, "node", [&]() -> Result<void> {
      const auto record_intent = [&](const providers::NodeRecord& record) -> Result<void> {
        const std::lock_guard guard(mutex_);
        if (state_.find(node.name) != nullptr) {
          return {};
        }
        state_.put(record);
        return save(folder_, state_);
      };
      auto made = provider_->create(site_, node, record_intent, operation_.deadline);
      if (!made) {
        return made.error();
      }
      const std::lock_guard guard(mutex_);
      state_.put(std::move(*made));
      return {};
    });
  }

  Result<void> save_created() {
    auto saved = save(folder_, state_);
    return saved ? store::write_atomically(StateFiles(folder_).known_hosts, known_hosts(state_)) : saved;
  }

  // Agent, routes and packet filter, CPU limit, roles.
  Result<void> furnish(const StandingNode& node) {
    if (node.external) {
      tell(Kind::done, node.name, "ready");
      return {};
    }
    const Node& described = *state_.lab.find(node.name);
    auto done = at_step(node.name, "agent", [&] { return ensure_agent(node); });
    if (done && !kept_ && has_networks(standing_)) {
      done = at_step(node.name, "network", [&] { return set_network(*crew_, standing_, node, operation_.deadline); });
    }
    if (done && (described.cpus || described.has(Role::gateway))) {  // a run may limit any gateway
      done = at_step(node.name, "cpus", [&] { return limit(node, described.cpus); });
    }
    for (const Role role : standing_roles(state_.lab, described)) {
      if (done) {
        done = at_step(node.name, to_string(role), [&]() -> Result<void> {
          const auto started = start_role(*crew_, standing_, node, role, operation_.deadline);
          changed_ = changed_ || (started && *started);
          return started ? Result<void>() : started.error();
        });
      }
    }
    if (done) {
      tell(Kind::done, node.name, "ready");
    }
    return done;
  }

  Result<void> ensure_agent(const StandingNode& node) {
    if (kept_ && attach_node(world_, *crew_, standing_, node, operation_.deadline)) {
      return {};
    }
    changed_ = true;
    return install_node(world_, *crew_, standing_, node, operation_.deadline);
  }

  Result<void> limit(const StandingNode& node, std::optional<double> lab_cpus) {
    const auto record = *state_.find(node.name);  // only read from here on, but for the method below
    const auto host_cpus = lab_cpus ? std::optional(*lab_cpus * state_.cpu_unit) : std::nullopt;
    const auto limited = limit_node(*provider_, *crew_, site_, record, host_cpus, operation_.deadline);
    if (!limited) {
      return limited.error();
    }
    const std::lock_guard guard(mutex_);
    state_.cpu_method = limited->method;
    state_.cpu_note = limited->note;
    return {};
  }

  Result<void> finish() {
    state_.phase = Phase::running;
    return save(folder_, state_);
  }

  const World& world_;
  const Operation& operation_;
  const fs::path folder_;
  std::mutex telling_;
  std::mutex mutex_;  // guards what several nodes write in state_
  State state_;
  const providers::Site site_;
  const std::unique_ptr<providers::Provider> provider_;
  const std::unique_ptr<Crew> crew_;
  Standing standing_;
  const bool kept_;  // every node stands already
  std::atomic<bool> changed_ = false;
};

State fresh_state(const Lab& lab, const std::string& name, const Plan& plan) {
  State state;
  state.name = name;
  state.lab = lab;
  state.slot = plan.slot;
  state.cpu_unit = plan.cpus.unit;
  return state;
}

// Looks, and writes down that it will: the only part that two ups of different labs must not do at once.
Result<Plan, Errors> plan_and_record(const World& world, const Lab& lab, const std::string& name, State& state) {
  const SlotChoice choice(world.root);
  auto looked = plan(world, lab, name);
  if (!looked) {
    return looked;
  }
  if (looked->fresh) {
    state = fresh_state(lab, name, *looked);
  } else if (auto loaded = load(world.root / name); loaded && *loaded) {
    state = std::move(**loaded);
  }
  auto saved = looked->fresh ? save(world.root / name, state) : Result<void>();
  return saved ? std::move(looked) : Result<Plan, Errors>(Errors{saved.error()});
}

// A lab that never stood is removed again; what went wrong has been told by then, logs included.
void roll_back(const World& world, const std::string& name, ProviderKind provider, const Operation& operation, Errors& errors) {
  const Deadline patience = Clock::now() + (provider == ProviderKind::zvm ? 300s : 20s);  // guests are stopped and deleted one call a step
  const auto removal = remove_lab(world, name, {operation.interrupt, operation.tell, {}, patience});
  errors.front().remedy += errors.front().remedy.empty() ? "" : "\n  ";
  errors.front().remedy += removal ? "what was created has been removed again" : "some of it is left: lab down " + name;
}

bool is_interruption(const Error& error) { return error.failure == Failure::interrupted; }

}  // namespace

Result<Raised, Errors> up(const World& world, const Lab& lab, const std::string& name, const Operation& operation) {
  if (auto good = check_name(name); !good) {
    return Errors{good.error()};
  }
  const fs::path folder = world.root / name;
  auto lock = Lock::take(folder, "lab up", operation.waiting, operation.interrupt, operation.deadline);
  if (!lock) {
    return Errors{lock.error()};
  }
  State state;
  const auto looked = plan_and_record(world, lab, name, state);
  if (!looked) {
    remove_empty(folder);
    return looked.error();
  }
  Raising raising(world, *looked, std::move(state), operation);
  Errors errors = raising.run();
  if (errors.empty()) {
    return raising.result();
  }
  if (std::any_of(errors.begin(), errors.end(), is_interruption)) {
    return Errors{interrupted()};
  }
  if (looked->fresh) {
    roll_back(world, name, lab.provider, operation, errors);
  }
  return errors;
}

}  // namespace lab::orchestrator
