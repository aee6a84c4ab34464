#include "orchestrator/state_json.hpp"

#include "store/read.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <limits>

namespace lab::orchestrator {

namespace json = boost::json;

namespace {

constexpr int kSchema = 1;
constexpr std::array kPhases{"creating", "running", "removing"};
constexpr std::array kMethods{"none", "quota", "stop-continue"};

template <class Enum, std::size_t N>
Enum value_of(const std::array<const char*, N>& words, const std::string& word) {
  const auto at = std::find(words.begin(), words.end(), word);
  return static_cast<Enum>(at == words.end() ? 0 : at - words.begin());
}

json::object to_json(const StandingNode& node) {
  return {{"name", node.name},
          {"address", node.address},
          {"machine", node.machine},
          {"ssh_address", node.ssh_address},
          {"ssh_user", node.ssh_user},
          {"ssh_host_key", node.ssh_host_key},
          {"ssh_port", node.ssh_port},
          {"ssh_key", node.ssh_key},
          {"directory", node.directory},
          {"host_cpus", json::array(node.host_cpus.begin(), node.host_cpus.end())},
          {"addresses", json::value_from(node.addresses)}};
}

StandingNode node_from_json(const json::object& object) {
  StandingNode node;
  node.name = store::text_of(object, "name");
  node.address = store::text_of(object, "address");
  node.machine = store::text_of(object, "machine");
  node.ssh_address = store::text_of(object, "ssh_address");
  node.ssh_user = store::text_of(object, "ssh_user");
  node.ssh_host_key = store::text_of(object, "ssh_host_key");
  node.ssh_port = static_cast<std::uint16_t>(store::count_of(object, "ssh_port"));
  node.ssh_key = store::text_of(object, "ssh_key");
  node.directory = store::text_of(object, "directory");
  for (const json::value& cpu : store::array_of(object, "host_cpus")) {
    if (cpu.is_int64()) {
      node.host_cpus.push_back(static_cast<int>(cpu.get_int64()));
    }
  }
  for (const auto& [network, address] : store::object_of(object, "addresses")) {
    if (address.is_string()) {
      node.addresses[network] = address.get_string();
    }
  }
  return node;
}

Error broken(const std::string& path, const std::string& why) {
  return Error{"the lab's state cannot be read: " + why, path, "`lab down` removes the lab all the same: it goes by labels"};
}

}  // namespace

std::string to_string(Phase phase) { return kPhases.at(static_cast<std::size_t>(phase)); }

json::object to_json(const State& state) {
  json::array nodes;
  for (const providers::NodeRecord& record : state.nodes) {
    nodes.push_back(json::object{{"node", to_json(record.node)}, {"details", record.details}});
  }
  return {{"schema", kSchema},
          {"name", state.name},
          {"lab", state.lab.name},
          {"provider", to_string(state.lab.provider)},
          {"phase", to_string(state.phase)},
          {"slot", state.slot},
          {"cpu_unit", state.cpu_unit},
          {"cpu_method", kMethods.at(static_cast<std::size_t>(state.cpu_method))},
          {"cpu_note", state.cpu_note},
          {"nodes", nodes}};
}

Result<State> state_from_json(std::string_view text, const std::string& path) {
  boost::system::error_code failed;
  const json::value value = json::parse({text.data(), text.size()}, failed);
  if (failed || !value.is_object()) {
    return broken(path, failed ? failed.message() : "not an object");
  }
  const json::object& object = value.get_object();
  if (store::integer_of(object, "schema") != kSchema) {
    return broken(path, "it is of another version of lab");
  }
  State state;
  state.name = store::text_of(object, "name");
  state.phase = value_of<Phase>(kPhases, store::text_of(object, "phase"));
  state.slot = static_cast<int>(store::integer_of(object, "slot"));
  state.cpu_unit = store::number_of(object, "cpu_unit");
  state.cpu_method = value_of<CpuMethod>(kMethods, store::text_of(object, "cpu_method"));
  state.cpu_note = store::text_of(object, "cpu_note");
  for (const json::value& node : store::array_of(object, "nodes")) {
    if (node.is_object()) {
      state.nodes.push_back({node_from_json(store::object_of(node.get_object(), "node")), store::object_of(node.get_object(), "details")});
    }
  }
  return state;
}

}  // namespace lab::orchestrator
