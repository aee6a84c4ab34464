#include "orchestrator/world.hpp"

#include "agent/client.hpp"
#include "orchestrator/state.hpp"
#include "providers/container/container.hpp"
#include "providers/local/local.hpp"
#include "providers/ssh/ssh.hpp"
#include "providers/zvm/zvm.hpp"

#include <boost/json.hpp>
#include <cstdlib>
#include <map>
#include <mutex>

namespace lab::orchestrator {

namespace {

namespace fs = std::filesystem;

// A fleet a node: one may be added while another is called.
class FleetCrew final : public Crew {
 public:
  Result<void> add(const StandingNode& node, std::unique_ptr<remote::Remote> remote, Deadline deadline) override {
    auto fleet = std::make_shared<agent::Fleet>();
    if (auto added = fleet->add(node, std::move(remote), deadline); !added) {
      return added;
    }
    const std::lock_guard guard(mutex_);
    fleets_[node.name] = std::move(fleet);
    return {};
  }

  Result<boost::json::value> call(const std::string& node, std::string_view method, boost::json::object params,
                                  Deadline deadline) override {
    const auto fleet = find(node);
    return fleet == nullptr ? Result<boost::json::value>(Error{"not attached to its agent", "node " + node})
                            : fleet->call(node, method, std::move(params), deadline);
  }

 private:
  std::shared_ptr<agent::Fleet> find(const std::string& node) {
    const std::lock_guard guard(mutex_);
    const auto at = fleets_.find(node);
    return at == fleets_.end() ? nullptr : at->second;
  }

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<agent::Fleet>> fleets_;
};

std::unique_ptr<providers::Provider> make_provider(ProviderKind kind, const remote::Binaries& binaries, bool new_host_keys) {
  switch (kind) {
    case ProviderKind::local: return providers::local::make_local();
    case ProviderKind::container: return providers::container::make_container();
    case ProviderKind::ssh: return providers::ssh::make_ssh({binaries, new_host_keys});
    case ProviderKind::zvm: return providers::zvm::make_zvm(providers::zvm::Means(binaries, new_host_keys));
    default: return nullptr;
  }
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : ", ") + word;
  }
  return text;
}

}  // namespace

World real_world(fs::path root, const fs::path& binary, std::string build, const NodeOptions& options) {
  const remote::Binaries binaries(binary, options.agent_binaries);
  World world;
  world.root = std::move(root);
  world.build = build;
  world.provider = [binaries, keys = options.new_host_keys](ProviderKind kind) { return make_provider(kind, binaries, keys); };
  world.slot_taken = [](const Lab& lab, int slot) {
    switch (lab.provider) {
      case ProviderKind::local: return providers::local::slot_taken(slot);
      case ProviderKind::container: return providers::container::slot_taken(providers::container::this_host(), lab, slot);
      default: return false;
    }
  };
  world.connect = remote::connect_ssh;
  world.install = [binaries, build = std::move(build)](remote::Remote& remote, const StandingNode& node, Deadline deadline) {
    return agent::install(remote, node, binaries, build, deadline);
  };
  world.crew = [] { return std::make_unique<FleetCrew>(); };
  return world;
}

Result<fs::path> default_root() {
  const char* const state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && fs::path(state).is_absolute()) {
    return (fs::path(state) / "lab").lexically_normal();
  }
  const char* const home = std::getenv("HOME");
  if (home == nullptr || !fs::path(home).is_absolute()) {
    return Error{"no place for the lab's state: neither XDG_STATE_HOME nor HOME is an absolute path", "", "set XDG_STATE_HOME"};
  }
  return (fs::path(home) / ".local" / "state" / "lab").lexically_normal();
}

Result<std::string> choose(const World& world, const std::string& name) {
  if (!name.empty()) {
    auto good = check_name(name);
    if (!good) {
      return good.error();
    }
    std::error_code ignored;
    return fs::is_directory(world.root / name, ignored) ? Result<std::string>(name)
                                                        : Error{"no lab " + name + " stands", "", "stand it up: lab up --name " + name};
  }
  const auto standing = names(world.root);
  if (standing.empty()) {
    return Error{"no lab stands", "", "stand one up: lab up"};
  }
  if (standing.size() > 1) {
    return Error{"several labs stand: " + joined(standing), "", "say which: --name " + standing.front(), "", Failure::usage};
  }
  return standing.front();
}

fs::path key_of(const fs::path& state, const StandingNode& node) {
  return node.ssh_key.empty() ? StateFiles(state).private_key : fs::path(node.ssh_key);
}

remote::Target target_of(const fs::path& state, const StandingNode& node) {
  return {node.name, node.ssh_address, node.ssh_port, node.ssh_user, key_of(state, node), node.ssh_host_key};
}

}  // namespace lab::orchestrator
