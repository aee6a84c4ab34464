// A world in memory for the orchestrator: provider, SSH and agents, each with what can go wrong.
#pragma once

#include "memory_provider.hpp"
#include "orchestrator/up.hpp"
#include "orchestrator/world.hpp"
#include "temporary_folder.hpp"

#include <atomic>
#include <boost/json.hpp>
#include <map>
#include <mutex>
#include <set>

namespace fakes {

class SilentRemote final : public remote::Remote {
 public:
  explicit SilentRemote(std::atomic<int>& uploads) : uploads_(uploads) {}

  Result<remote::Output> exec(const std::string&, std::string_view, Deadline) override { return remote::Output{}; }
  Result<bool> upload(const std::filesystem::path&, const std::string&, int, Deadline) override {
    ++uploads_;
    return true;
  }
  Result<void> download(const std::string&, const std::filesystem::path&, Deadline) override { return {}; }
  Result<std::unique_ptr<remote::Channel>> open(const std::string&, Deadline) override { return Error{"no channels here", ""}; }
  void close(Deadline) override {}

 private:
  std::atomic<int>& uploads_;
};

// What runs on the nodes, whoever looks.
struct MemoryAgents {
  std::mutex mutex;
  std::set<std::string> installed;                                          // nodes with an agent
  std::map<std::string, std::map<std::string, boost::json::object>> roles;  // node, name: its configuration
  std::set<std::string> unreachable;
  std::set<std::string> failing;              // nodes whose roles do not start
  std::set<std::string> without_binary;       // nodes of an architecture that there is no binary for
  std::map<std::string, std::string> builds;  // of agents whose binary is not of this build
  std::atomic<int> installs = 0;
  std::atomic<int> uploads = 0;  // beside the binary
};

class MemoryCrew final : public orchestrator::Crew {
 public:
  explicit MemoryCrew(MemoryAgents& agents) : agents_(agents) {}

  Result<void> add(const StandingNode& node, std::unique_ptr<remote::Remote>, Deadline) override {
    const std::lock_guard guard(agents_.mutex);
    return agents_.installed.contains(node.name) ? Result<void>() : Error{"no agent", "node " + node.name};
  }

  Result<boost::json::value> call(const std::string& node, std::string_view method, boost::json::object params, Deadline) override {
    const std::lock_guard guard(agents_.mutex);
    auto& roles = agents_.roles[node];
    if (method == "hello") {
      const auto other = agents_.builds.find(node);
      return boost::json::value{{"build", other == agents_.builds.end() ? "this build" : other->second}};
    }
    if (method == "role.list") {
      boost::json::array all;
      for (const auto& [name, config] : roles) {
        all.push_back({{"name", name}, {"state", "running"}});
      }
      return boost::json::value{{"roles", all}};
    }
    if (method == "role.start" && agents_.failing.contains(node)) {
      return Error{"the role ended before it served", "node " + node + ": role.start", "", "bind: Address already in use"};
    }
    if (method == "role.start") {
      roles[std::string(params.at("name").as_string())] = params.at("config").as_object();
    }
    return boost::json::value(boost::json::object());
  }

 private:
  MemoryAgents& agents_;
};

// Two nodes and a load driver's; gateways on it have a lab CPU.
inline Lab small_lab() {
  Lab lab;
  lab.name = "small";
  lab.source =
      "lab: small\nprovider: local\nnetworks: {clients: 198.18.1.0/24, inner: 198.18.3.0/24}\nnodes:\n"
      "  client: {roles: [load], networks: [clients]}\n"
      "  webseal: {roles: [gateway], networks: [clients, inner], cpus: 1}\n"
      "  tam: {roles: [directory], networks: [inner]}\n"
      "  was: {roles: [pages], networks: [inner]}\n"
      "gateway:\n  junctions: [{point: /app, type: ssl, servers: [was]}]\n";
  return lab;
}

class FakeWorld {
 public:
  FakeWorld() {
    world.root = folder / "labs";
    world.build = "this build";
    world.provider = [this](ProviderKind kind) -> std::unique_ptr<providers::Provider> {
      return kind == ProviderKind::local ? std::make_unique<MemoryProvider>(host) : nullptr;
    };
    world.slot_taken = [this](const Lab&, int slot) { return slots_of_others.contains(slot); };
    world.connect = [this](const remote::Target& target, Deadline) -> Result<std::unique_ptr<remote::Remote>> {
      const std::lock_guard guard(agents.mutex);
      if (agents.unreachable.contains(target.node)) {
        return Error{"connection refused", "node " + target.node};
      }
      return std::unique_ptr<remote::Remote>(std::make_unique<SilentRemote>(agents.uploads));
    };
    world.install = [this](remote::Remote&, const StandingNode& node, Deadline) -> Result<void> {
      const std::lock_guard guard(agents.mutex);
      if (agents.without_binary.contains(node.name)) {
        return Error{"no binary for it", "node " + node.name};
      }
      agents.installed.insert(node.name);
      ++agents.installs;
      return {};
    };
    world.crew = [this] { return std::make_unique<MemoryCrew>(agents); };
  }

  orchestrator::Operation operation() {
    return {interrupt,
            [this](const orchestrator::Progress& progress) {
              if (on_progress) {
                on_progress(progress);
              }
            },
            {},
            Clock::now() + std::chrono::seconds(30)};
  }
  std::size_t machines(const std::string& name) { return host.nodes[(world.root / name).string()].size(); }

  TemporaryFolder folder;
  MemoryHost host;
  MemoryAgents agents;
  std::set<int> slots_of_others;
  Interrupt interrupt;
  std::function<void(const orchestrator::Progress&)> on_progress;
  orchestrator::World world;
};

}  // namespace fakes
