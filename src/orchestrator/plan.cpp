#include "orchestrator/flows.hpp"
#include "orchestrator/nodes.hpp"
#include "orchestrator/state.hpp"
#include "orchestrator/up.hpp"

#include <algorithm>
#include <set>

namespace lab::orchestrator {

namespace {

// As deployed and as asked for; where the text comes from does not matter, only what it says.
bool same_lab(Lab deployed, const Lab& wanted) {
  deployed.source = wanted.source;
  deployed.path = wanted.path;
  return deployed == wanted;
}

// Users who start at different places do not meet while they choose at the same moment. FNV-1a.
int first_slot(const std::filesystem::path& root) {
  std::uint32_t hash = 2166136261U;
  for (const char c : root.string()) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  }
  return static_cast<int>(hash % providers::kSlots) + 1;
}

Result<int> free_slot(const World& world, const Lab& lab) {
  std::set<int> used;
  for (const std::string& other : names(world.root)) {
    const auto state = load(world.root / other);
    if (state && *state) {
      used.insert((*state)->slot);
    }
  }
  // A container lab's addresses are the file's own in slot 1.
  const int first = lab.provider == ProviderKind::container ? 1 : first_slot(world.root);
  for (int i = 0; i < providers::kSlots; ++i) {
    const int slot = (first - 1 + i) % providers::kSlots + 1;
    if (!used.contains(slot) && !world.slot_taken(lab, slot)) {
      return slot;
    }
  }
  return Error{"no address range is left for another lab", "", "take one down: lab down --name NAME"};
}

// Containers stand on networks of their own, from which no way leads to an address outside.
Errors check_container(const Lab& lab) {
  Errors errors;
  for (const Node& node : lab.nodes) {
    if (node.software == Software::external) {
      errors.push_back(Error{"provider container has no way to an external node", lab.path + ": node " + node.name,
                             "drive it from provider local or ssh"});
    }
  }
  return errors.empty() ? check_ways(lab) : errors;
}

Result<void> check_deployed(const State& state, const Lab& lab) {
  if (state.phase == Phase::removing) {
    return Error{"lab " + state.name + " was being removed", "", "finish that first: lab down " + state.name};
  }
  return same_lab(state.lab, lab) ? Result<void>()
                                  : Error{"lab " + state.name + " stands as another file described it", lab.path,
                                          "take it down first: lab down " + state.name + "; or give this one a name: --name OTHER"};
}

}  // namespace

Result<Plan, Errors> plan(const World& world, const Lab& lab, const std::string& name) {
  if (auto good = check_name(name); !good) {
    return Errors{good.error()};
  }
  auto state = load(world.root / name);
  if (!state) {
    return Errors{state.error()};
  }
  if (*state) {
    if (auto same = check_deployed(**state, lab); !same) {
      return Errors{same.error()};
    }
  }
  const auto provider = world.provider(lab.provider);
  if (provider == nullptr) {
    return Errors{Error{"provider " + to_string(lab.provider) + " is not in this build of lab", lab.path, "use provider: local"}};
  }
  if (Errors errors = lab.provider == ProviderKind::container ? check_container(lab) : Errors{}; !errors.empty()) {
    return errors;
  }
  Plan plan;
  plan.fresh = !*state;
  plan.cpus = lay_out_cpus(lab, allowed_cpus());
  const auto slot = plan.fresh ? free_slot(world, lab) : Result<int>((*state)->slot);
  if (!slot) {
    return Errors{slot.error()};
  }
  plan.slot = *slot;
  auto steps = provider->plan({name, world.root / name, lab, plan.cpus.unit, plan.cpus.pins, plan.slot},
                              plan.fresh ? std::vector<providers::NodeRecord>{} : (*state)->nodes);
  if (!steps) {
    return steps.error();
  }
  plan.steps = std::move(*steps);
  for (const Node& node : lab.nodes) {
    if (node.software == Software::external) {
      plan.steps.push_back({"use", "node " + node.name, node.address + ", which the lab only drives"});
    }
    for (const Role role : standing_roles(lab, node)) {
      plan.steps.push_back({"start", to_string(role) + " on " + node.name, "unless it runs"});
    }
  }
  return plan;
}

}  // namespace lab::orchestrator
