#include "orchestrator/down.hpp"

#include "orchestrator/removal.hpp"
#include "orchestrator/state.hpp"

namespace lab::orchestrator {

namespace {

namespace fs = std::filesystem;

// Without a state folder only labels can tell.
bool anything_labelled(const World& world, const std::string& name) {
  for (const ProviderKind kind : {ProviderKind::local, ProviderKind::container, ProviderKind::ssh, ProviderKind::zvm, ProviderKind::lxd}) {
    const auto provider = world.provider(kind);
    const auto found = provider == nullptr ? Result<std::vector<providers::Found>>() : provider->list(name, world.root / name);
    if (!found || !found->empty()) {
      return true;
    }
  }
  return false;
}

}  // namespace

Result<Taken, Errors> down(const World& world, const std::string& name, const Operation& operation) {
  if (auto good = check_name(name); !good) {
    return Errors{good.error()};
  }
  std::error_code ignored;
  if (!fs::exists(world.root / name, ignored) && !anything_labelled(world, name)) {
    return Taken{false};
  }
  const auto lock = Lock::take(world.root / name, "lab down", operation.waiting, operation.interrupt, operation.deadline);
  if (!lock) {
    return Errors{lock.error()};
  }
  auto removed = remove_lab(world, name, operation);
  return removed ? Result<Taken, Errors>(Taken{true}) : removed.error();
}

}  // namespace lab::orchestrator
