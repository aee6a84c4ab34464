#include "orchestrator/attach.hpp"

#include "orchestrator/nodes.hpp"
#include "orchestrator/parallel.hpp"
#include "orchestrator/state.hpp"

#include <sstream>

namespace lab::orchestrator {

namespace {

using namespace std::chrono_literals;

class Cpus final : public CpuControl {
 public:
  Cpus(State state, std::unique_ptr<providers::Provider> provider, Agents& agents, const std::filesystem::path& root)
      : state_(std::move(state)), site_(site_of(root, state_)), provider_(std::move(provider)), agents_(agents) {}

  Result<void> set(const std::string& node, std::optional<double> lab_cpus) override {
    const providers::NodeRecord* const record = state_.find(node);
    if (record == nullptr) {
      return Error{"no such node", "node " + node};
    }
    const auto host_cpus = lab_cpus ? std::optional(*lab_cpus * state_.cpu_unit) : std::nullopt;
    const std::size_t pinned = record->node.host_cpus.size();
    if (pinned > 0 && host_cpus && *host_cpus > static_cast<double>(pinned)) {
      std::ostringstream what;
      what << *lab_cpus << " lab CPUs are " << *host_cpus << " host CPUs, and this node has " << pinned;
      return Error{what.str(), "node " + node, "set a smaller cpu-unit in the lab file"};
    }
    const auto limit = limit_node(*provider_, agents_, site_, *record, host_cpus, Clock::now() + 10s);
    return limit ? Result<void>() : limit.error();
  }

 private:
  State state_;
  const providers::Site site_;
  const std::unique_ptr<providers::Provider> provider_;
  Agents& agents_;
};

}  // namespace

Result<Attached, Errors> attach(const World& world, const std::string& name, const std::string& command, const Interrupt& interrupt,
                                Deadline deadline) {
  const auto chosen = choose(world, name);
  if (!chosen) {
    return Errors{chosen.error()};
  }
  auto lock = Lock::take(world.root / *chosen, command, {}, interrupt, deadline);
  if (!lock) {
    return Errors{lock.error()};
  }
  auto state = load(world.root / *chosen);
  if (!state) {
    return Errors{state.error()};
  }
  if (!*state || (*state)->phase != Phase::running) {
    return Errors{Error{"lab " + *chosen + " does not stand as a whole", "", "run `lab up` again, or `lab down`"}};
  }
  auto provider = world.provider((*state)->lab.provider);
  if (provider == nullptr) {
    return Errors{Error{"provider " + to_string((*state)->lab.provider) + " is not in this build", "lab " + *chosen}};
  }
  auto crew = world.crew();
  Attached attached{std::move(*lock), standing_of(world.root, **state), nullptr, nullptr};
  auto errors = for_each_at_once(attached.standing.nodes, [&](const StandingNode& node) {
    return node.external ? Result<void>() : attach_node(world, *crew, attached.standing, node, deadline);
  });
  if (!errors.empty()) {
    return errors;
  }
  attached.cpus = std::make_unique<Cpus>(std::move(**state), std::move(provider), *crew, world.root);
  attached.agents = std::move(crew);
  return attached;
}

}  // namespace lab::orchestrator
