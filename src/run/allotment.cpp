#include "allotment.hpp"

#include <algorithm>

namespace lab::run {

namespace {

constexpr double kUsedUp = 0.90;

double host_cpus_of(const StandingNode& node, const Facts& facts) {
  if (!node.host_cpus.empty()) {
    return static_cast<double>(node.host_cpus.size());
  }
  const auto known = facts.find(node.name);
  return known == facts.end() ? 1.0 : std::max(1.0, static_cast<double>(known->second.cpus));
}

double value_or_zero(const std::map<std::string, double>& values, const std::string& key) {
  const auto at = values.find(key);
  return at == values.end() ? 0.0 : at->second;
}

// Nodes that are pinned to the same CPUs of one host; elsewhere each node for itself.
std::vector<std::vector<const StandingNode*>> cpu_sharers(const Standing& standing) {
  std::vector<std::vector<const StandingNode*>> groups;
  for (const StandingNode& node : standing.nodes) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return on_one_host(standing) && !node.host_cpus.empty() && group.front()->host_cpus == node.host_cpus;
    });
    if (same == groups.end()) {
      groups.push_back({&node});
    } else {
      same->push_back(&node);
    }
  }
  return groups;
}

}  // namespace

HostCpus allotments_of(const Standing& standing, const Facts& facts, const std::string& gateway, double gateway_cpus) {
  HostCpus allotments;
  for (const StandingNode& node : standing.nodes) {
    const Node* described = standing.lab.find(node.name);
    double lab_cpus = described == nullptr ? 0.0 : described->cpus.value_or(0.0);
    if (node.name == gateway && gateway_cpus > 0) {
      lab_cpus = gateway_cpus;
    }
    const bool limited = lab_cpus > 0 && standing.cpu_method != CpuMethod::none;
    allotments[node.name] = limited ? lab_cpus * standing.cpu_unit : host_cpus_of(node, facts);
  }
  return allotments;
}

bool on_one_host(const Standing& standing) {
  return standing.lab.provider == ProviderKind::local || standing.lab.provider == ProviderKind::container;
}

double saturation(CpuMethod method) {
  switch (method) {
    case CpuMethod::quota: return 0.97;
    case CpuMethod::stop_continue: return 0.94;
    case CpuMethod::none: return kUsedUp;
  }
  return kUsedUp;
}

std::string limiting_node(const std::map<std::string, double>& cpu, const HostCpus& allotments, const std::string& gateway,
                          const Standing& standing) {
  if (value_or_zero(cpu, gateway) >= saturation(standing.cpu_method)) {
    return gateway;
  }
  const auto used = [&](const StandingNode* node) { return value_or_zero(cpu, node->name) * value_or_zero(allotments, node->name); };
  std::string limiting;
  double most = 0;
  for (const auto& group : cpu_sharers(standing)) {
    double together = 0;
    for (const StandingNode* node : group) {
      together += used(node);
    }
    const bool shared = group.size() > 1 && together >= kUsedUp * static_cast<double>(group.front()->host_cpus.size());
    for (const StandingNode* node : group) {
      if (node->name != gateway && (shared || value_or_zero(cpu, node->name) >= kUsedUp) && used(node) > most) {
        most = used(node);
        limiting = node->name;
      }
    }
  }
  return limiting;
}

}  // namespace lab::run
