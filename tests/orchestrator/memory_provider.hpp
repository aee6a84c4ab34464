// A provider whose nodes are entries in a map: keeps the contract of tests/providers/contract.hpp without a host.
#pragma once

#include "providers/provider.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace fakes {

using namespace lab;

// What is there, whoever looks.
struct MemoryHost {
  std::mutex mutex;
  std::map<std::string, std::map<std::string, double>> nodes;  // by state folder: node to its CPU limit
  std::set<std::string> broken;                                // nodes that cannot be created
  std::set<std::string> stuck;                                 // nodes that cannot be destroyed
  std::set<std::string> busy_ports;                            // nodes whose ports are in use
  providers::CpuLimit limit{CpuMethod::quota, ""};             // how CPUs are limited there
};

class MemoryProvider final : public providers::Provider {
 public:
  explicit MemoryProvider(MemoryHost& host) : host_(host) {}

  Result<std::vector<providers::Step>, Errors> plan(const providers::Site& site, const std::vector<providers::NodeRecord>&) override {
    const std::lock_guard guard(host_.mutex);
    Errors errors;
    std::vector<providers::Step> steps;
    for (const Node& node : site.lab.nodes) {
      if (node.software == Software::external) {  // none of a provider's
        continue;
      }
      if (host_.busy_ports.contains(node.name)) {
        errors.push_back(Error{"port in use", "node " + node.name});
      }
      steps.push_back({there(site, node.name) ? "keep" : "create", "node " + node.name, ""});
    }
    if (!errors.empty()) {
      return errors;
    }
    return steps;
  }

  Result<providers::NodeRecord> create(const providers::Site& site, const Node& node, const providers::RecordIntent& record,
                                       Deadline) override {
    providers::NodeRecord made;
    made.node = {node.name, "192.0.2." + std::to_string(1 + (&node - site.lab.nodes.data())),
                 "host",    "192.0.2.1",
                 "lab",     "SHA256:" + node.name,
                 22,        "/nodes/" + node.name,
                 {}};
    if (auto recorded = record(made); !recorded) {
      return recorded.error();
    }
    const std::lock_guard guard(host_.mutex);
    if (host_.broken.contains(node.name)) {
      return Error{"no room for it", "node " + node.name};
    }
    host_.nodes[site.state.string()].emplace(node.name, 0);
    return made;
  }

  Result<void> destroy(const providers::Site& site, const providers::NodeRecord& record, Deadline) override {
    const std::lock_guard guard(host_.mutex);
    if (host_.stuck.contains(record.node.name)) {
      return Error{"it does not end", "node " + record.node.name};
    }
    host_.nodes[site.state.string()].erase(record.node.name);
    return {};
  }

  Result<std::vector<providers::Found>> list(const std::string&, const std::filesystem::path& state) override {
    const std::lock_guard guard(host_.mutex);
    std::vector<providers::Found> found;
    for (const auto& [node, cpus] : host_.nodes[state.string()]) {
      found.push_back({node, "machine " + node});
    }
    return found;
  }

  Result<providers::CpuLimit> limit_cpus(const providers::Site& site, const providers::NodeRecord& record,
                                         std::optional<double> host_cpus) override {
    const std::lock_guard guard(host_.mutex);
    host_.nodes[site.state.string()][record.node.name] = host_cpus.value_or(0);
    return host_.limit;
  }

  Result<providers::CpuTimes> cpu_times(const providers::Site&, const providers::NodeRecord&) override {
    return providers::CpuTimes{0, 0, 0, 0, 1};
  }

 private:
  bool there(const providers::Site& site, const std::string& node) { return host_.nodes[site.state.string()].contains(node); }

  MemoryHost& host_;
};

}  // namespace fakes
