#include "orchestrator/status.hpp"

#include "lab/resolve.hpp"
#include "orchestrator/nodes.hpp"
#include "orchestrator/parallel.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <map>

namespace lab::orchestrator {

namespace json = boost::json;

namespace {

// What its roles say; the agent is reached already.
void ask_roles(Crew& crew, const Lab& lab, const Node& node, NodeStatus& status, Deadline deadline) {
  const auto answering = answering_roles(crew, node.name, deadline);
  if (!answering) {
    status.health = Health::down;
    status.why = answering.error().what;
    return;
  }
  status.health = Health::ok;
  for (const Role role : standing_roles(lab, node)) {
    if (std::find(answering->begin(), answering->end(), to_string(role)) == answering->end()) {
      status.health = Health::down;
      status.why = to_string(role) + " does not answer: lab logs " + node.name + " " + to_string(role);
    }
  }
  if (status.health == Health::ok && node.has(Role::firewall) && !crew.call(node.name, "network.counters", {}, deadline)) {
    status.health = Health::down;
    status.why = "its packet filter is gone: lab up sets it again";
  }
  if (status.health == Health::ok && node.has(Role::database) && !reads_database(lab)) {
    status.why = "no pages come from it: PostgreSQL is not started";
  }
}

std::map<std::string, providers::CpuTimes> cpu_times(providers::Provider& provider, const providers::Site& site, const State& state) {
  std::map<std::string, providers::CpuTimes> times;
  for (const providers::NodeRecord& record : state.nodes) {
    const Node* const described = state.lab.find(record.node.name);
    if (described != nullptr && described->software == Software::external) {
      continue;
    }
    if (const auto used = provider.cpu_times(site, record)) {
      times[record.node.name] = *used;
    }
  }
  return times;
}

using Times = std::map<std::string, providers::CpuTimes>;

// Each LPAR once, by the node there that knows most of it.
std::vector<MachineStatus> machines_of(const State& state, const Times& before, const Times& after, double us) {
  std::map<std::string, MachineStatus> machines;
  for (const providers::NodeRecord& record : state.nodes) {
    const auto first = before.find(record.node.name), last = after.find(record.node.name);
    if (first == before.end() || last == after.end() || last->second.machine_busy_us < first->second.machine_busy_us) {
      continue;
    }
    const double used = static_cast<double>(last->second.machine_busy_us - first->second.machine_busy_us) / us;
    const MachineStatus seen{record.node.machine, used, last->second.machine_cpus, last->second.lower_bound};
    const auto [known, fresh] = machines.try_emplace(seen.name, seen);
    if (!fresh && (known->second.lower_bound && (!seen.lower_bound || seen.cpu > known->second.cpu))) {
      known->second = seen;
    }
  }
  std::vector<MachineStatus> all;
  for (auto& [name, machine] : machines) {
    all.push_back(std::move(machine));
  }
  return all;
}

// What the provider says of nodes that do not answer: it may know why.
void ask_provider(providers::Provider& provider, const providers::Site& site, const State& state, Status& status) {
  const bool all_answer =
      std::none_of(status.nodes.begin(), status.nodes.end(), [](const NodeStatus& node) { return node.health == Health::down; });
  const auto steps = all_answer ? Result<std::vector<providers::Step>, Errors>(Errors{}) : provider.plan(site, state.nodes);
  if (!steps) {
    return;
  }
  for (const providers::Step& step : *steps) {
    const auto node = std::find_if(status.nodes.begin(), status.nodes.end(),
                                   [&](const NodeStatus& one) { return step.action == "repair" && step.what == "node " + one.name; });
    if (node != status.nodes.end()) {
      node->health = Health::down;
      node->why = step.detail + ": lab up repairs it";
    }
  }
}

void look_at_nodes(const World& world, const State& state, Status& status, Deadline deadline) {
  const Standing standing = standing_of(world.root, state);
  const auto crew = world.crew();
  std::vector<NodeStatus*> created;
  for (NodeStatus& node : status.nodes) {
    if (standing.find(node.name) != nullptr) {
      created.push_back(&node);
    }
  }
  for_each_at_once(created, [&](NodeStatus* node) -> Result<void> {
    if (standing.find(node->name)->external) {
      node->why = "only driven: nothing of the lab's runs there";
      return {};
    }
    const auto attached = attach_node(world, *crew, standing, *standing.find(node->name), deadline);
    if (attached) {
      ask_roles(*crew, state.lab, *state.lab.find(node->name), *node, deadline);
    } else {
      node->health = Health::down;
      node->why = attached.error().what;
    }
    return {};
  });
}

}  // namespace

std::string to_string(Health health) {
  switch (health) {
    case Health::ok: return "ok";
    case Health::down: return "down";
    case Health::unknown: return "unknown";
  }
  return {};
}

bool Status::ok() const {
  return phase == Phase::running &&
         std::all_of(nodes.begin(), nodes.end(), [](const NodeStatus& node) { return node.health == Health::ok || node.external; });
}

Result<Status> look(const World& world, const std::string& name, Deadline deadline) {
  auto state = load(world.root / name);
  if (!state) {
    return state.error();
  }
  if (!*state) {
    return Error{"lab " + name + " has no state, only a folder", (world.root / name).string(),
                 "remove what is left of it: lab down " + name};
  }
  Status status{name, (*state)->lab.provider, (*state)->phase, (*state)->cpu_unit, (*state)->cpu_method, (*state)->cpu_note, {}, {}};
  for (const Node& node : (*state)->lab.nodes) {
    const providers::NodeRecord* const record = (*state)->find(node.name);
    status.nodes.push_back({node.name, record == nullptr ? "" : record->node.address, node.roles, Health::unknown,
                            record == nullptr ? "not created" : "", std::nullopt, node.software == Software::external});
  }
  const auto provider = world.provider(status.provider);
  if (provider == nullptr) {
    return status;
  }
  const auto site = site_of(world.root, **state);
  const auto before = cpu_times(*provider, site, **state);
  const auto start = Clock::now();
  look_at_nodes(world, **state, status, deadline);
  const auto after = cpu_times(*provider, site, **state);
  const double us = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  for (NodeStatus& node : status.nodes) {
    const auto first = before.find(node.name), last = after.find(node.name);
    if (first != before.end() && last != after.end() && last->second.node_us >= first->second.node_us) {
      node.cpu = static_cast<double>(last->second.node_us - first->second.node_us) / us;
    }
    if (last != after.end() && node.health == Health::ok && node.why.empty()) {
      node.why = last->second.note;
    }
  }
  if (status.provider == ProviderKind::zvm) {
    status.machines = machines_of(**state, before, after, us);
  }
  ask_provider(*provider, site, **state, status);
  return status;
}

json::object to_json(const Status& status) {
  json::array nodes;
  for (const NodeStatus& node : status.nodes) {
    json::array roles;
    for (const Role role : node.roles) {
      roles.emplace_back(to_string(role));
    }
    nodes.push_back(json::object{{"name", node.name},
                                 {"address", node.address},
                                 {"roles", roles},
                                 {"health", to_string(node.health)},
                                 {"cpu", node.cpu ? json::value(*node.cpu) : json::value(nullptr)},
                                 {"note", node.why}});
  }
  json::array machines;
  for (const MachineStatus& machine : status.machines) {
    machines.push_back(
        json::object{{"name", machine.name}, {"cpu", machine.cpu}, {"cpus", machine.cpus}, {"lower_bound", machine.lower_bound}});
  }
  return {{"lab", status.name},
          {"provider", to_string(status.provider)},
          {"state", to_string(status.phase)},
          {"nodes", nodes},
          {"machines", machines}};
}

}  // namespace lab::orchestrator
