#include "orchestrator/removal.hpp"

#include "orchestrator/lock.hpp"
#include "orchestrator/parallel.hpp"
#include "orchestrator/state.hpp"

#include <array>
#include <mutex>
#include <set>

namespace lab::orchestrator {

namespace {

namespace fs = std::filesystem;

constexpr std::array kProviders{ProviderKind::local, ProviderKind::container, ProviderKind::ssh, ProviderKind::zvm, ProviderKind::lxd};

std::vector<std::unique_ptr<providers::Provider>> all_providers(const World& world, const State* state) {
  std::vector<std::unique_ptr<providers::Provider>> all;
  for (const ProviderKind kind : kProviders) {
    auto provider = state == nullptr || state->lab.provider == kind ? world.provider(kind) : nullptr;
    if (provider != nullptr) {
      all.push_back(std::move(provider));
    }
  }
  return all;
}

// Nodes that the state knows, and those of which something is found.
Result<std::vector<std::string>> nodes_of(providers::Provider& provider, const std::string& name, const fs::path& folder,
                                          const State* state) {
  std::set<std::string> nodes;
  const auto found = provider.list(name, folder);
  if (!found) {
    return found.error();
  }
  for (const providers::Found& thing : *found) {
    nodes.insert(thing.node);
  }
  for (std::size_t i = 0; state != nullptr && i < state->nodes.size(); ++i) {
    nodes.insert(state->nodes[i].node.name);
  }
  return std::vector<std::string>(nodes.begin(), nodes.end());
}

Errors remove_nodes(providers::Provider& provider, const providers::Site& site, State* state, const std::vector<std::string>& nodes,
                    const Operation& operation) {
  std::mutex telling;
  const auto tell = [&](Progress::Kind kind, const std::string& node) {
    const std::lock_guard guard(telling);
    operation.tell({kind, node, "removed"});
  };
  return for_each_at_once(nodes, [&](const std::string& node) -> Result<void> {
    const providers::NodeRecord* const known = state == nullptr ? nullptr : state->find(node);
    providers::NodeRecord record;
    record.node.name = node;
    tell(Progress::Kind::started, node);
    auto removed = provider.destroy(site, known == nullptr ? record : *known, operation.deadline);
    tell(removed ? Progress::Kind::done : Progress::Kind::failed, node);
    return removed;
  });
}

// The proof: labels are looked for once more.
Errors leftovers(providers::Provider& provider, const std::string& name, const fs::path& folder) {
  const auto found = provider.list(name, folder);
  if (!found) {
    return {found.error()};
  }
  Errors errors;
  for (const providers::Found& thing : *found) {
    errors.push_back(Error{"left behind: " + thing.what, "node " + thing.node, "run `lab down` again, or end it by hand"});
  }
  return errors;
}

void append(Errors& all, Errors more) { all.insert(all.end(), more.begin(), more.end()); }

}  // namespace

Result<void, Errors> remove_lab(const World& world, const std::string& name, const Operation& operation) {
  const fs::path folder = world.root / name;
  auto loaded = load(folder);
  State* const state = loaded && *loaded ? &**loaded : nullptr;
  if (state != nullptr) {
    state->phase = Phase::removing;
    static_cast<void>(save(folder, *state));  // a full disk must not keep a lab from being removed
  }
  const Lab nameless;
  const providers::Site site{name, folder, state == nullptr ? nameless : state->lab};
  Errors errors;
  const auto providers = all_providers(world, state);
  for (const auto& provider : providers) {
    const auto nodes = nodes_of(*provider, name, folder, state);
    append(errors, nodes ? remove_nodes(*provider, site, state, *nodes, operation) : Errors{nodes.error()});
  }
  if (errors.empty()) {
    std::error_code failed;
    fs::remove_all(folder, failed);
    if (failed) {
      errors.push_back(system_error("remove " + folder.string(), failed.value(), "remove it by hand"));
    }
  }
  for (const auto& provider : providers) {
    append(errors, leftovers(*provider, name, folder));
  }
  return errors.empty() ? Result<void, Errors>() : Result<void, Errors>(std::move(errors));
}

void remove_empty(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists(StateFiles(folder).state, ignored)) {
    fs::remove(folder / kHolderFile, ignored);
    fs::remove(folder, ignored);  // not when something else is in it
  }
}

}  // namespace lab::orchestrator
