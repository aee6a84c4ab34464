#include "orchestrator/state.hpp"

#include "config/config.hpp"
#include "lab/resolve.hpp"
#include "orchestrator/state_json.hpp"
#include "store/files.hpp"

#include <unistd.h>
#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>

namespace lab::orchestrator {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNameLimit = 40;

// The name always has a state: the old one until the rename, then the new one.
Result<void> keep_previous(const StateFiles& files) {
  const std::string part = files.previous.string() + ".part";
  unlink(part.c_str());
  if (link(files.state.c_str(), part.c_str()) != 0) {
    return errno == ENOENT ? Result<void>() : system_error("keep " + files.state.string(), errno);
  }
  return rename(part.c_str(), files.previous.c_str()) == 0 ? Result<void>() : system_error("keep " + files.state.string(), errno);
}

Result<State> load_file(const fs::path& file) {
  auto text = config::read_file(file);
  return text ? state_from_json(*text, file.string()) : text.error();
}

}  // namespace

StateFiles::StateFiles(const fs::path& folder)
    : state(folder / "state.json"),
      previous(folder / "state.json.1"),
      lab(folder / "lab.yaml"),
      keys(folder / "keys"),
      private_key(keys / "id_ed25519"),
      database_password(keys / "database"),
      known_hosts(folder / "known_hosts"),
      certificates(folder / "certs") {}

providers::NodeRecord* State::find(const std::string& node) {
  const auto at = std::find_if(nodes.begin(), nodes.end(), [&](const providers::NodeRecord& record) { return record.node.name == node; });
  return at == nodes.end() ? nullptr : &*at;
}

void State::put(providers::NodeRecord record) {
  if (providers::NodeRecord* const present = find(record.node.name)) {
    *present = std::move(record);
  } else {
    nodes.push_back(std::move(record));
  }
}

Result<void> check_name(const std::string& name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
  };
  if (name.empty() || name.size() > kNameLimit || name.front() == '.' || name.front() == '-' ||
      !std::all_of(name.begin(), name.end(), allowed)) {
    return Error{"\"" + name + "\" is no name for a lab", "", "use up to 40 letters, digits, '-', '_' and '.', a letter or digit first", "",
                 Failure::usage};
  }
  return {};
}

Result<void> save(const fs::path& folder, const State& state) {
  const StateFiles files(folder);
  if (auto written = store::write_atomically(files.lab, state.lab.source); !written) {
    return written;
  }
  if (auto kept = keep_previous(files); !kept) {
    return kept;
  }
  return store::write_atomically(files.state, boost::json::serialize(to_json(state)) + "\n");
}

Result<std::optional<State>> load(const fs::path& folder) {
  const StateFiles files(folder);
  std::error_code ignored;
  if (!fs::exists(files.state, ignored) && !fs::exists(files.previous, ignored)) {
    return std::optional<State>();
  }
  auto state = load_file(files.state);
  if (!state) {
    auto previous = load_file(files.previous);
    state = previous ? std::move(previous) : std::move(state);
  }
  if (!state) {
    return state.error();
  }
  const auto text = config::read_file(files.lab);
  auto lab = text ? config::parse_lab(*text, files.lab.string()) : Result<Lab, Errors>(Errors{text.error()});
  if (!lab) {
    return lab.error().front();
  }
  state->lab = std::move(*lab);
  return std::optional(std::move(*state));
}

std::vector<std::string> names(const fs::path& root) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(root, ignored)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory(ignored) && check_name(name)) {
      found.push_back(name);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

providers::Site site_of(const fs::path& root, const State& state) {
  providers::Site site{state.name, root / state.name, state.lab, state.cpu_unit, {}, state.slot};
  for (const providers::NodeRecord& record : state.nodes) {
    if (!record.node.host_cpus.empty()) {
      site.pins[record.node.name] = record.node.host_cpus;
    }
  }
  return site;
}

Standing standing_of(const fs::path& root, const State& state) {
  Standing standing;
  standing.name = state.name;
  standing.lab = state.lab;
  standing.state = root / state.name;
  standing.cpu_unit = state.cpu_unit;
  standing.cpu_method = state.cpu_method;
  standing.cpu_note = state.cpu_note;
  for (const Node& node : state.lab.nodes) {
    const auto at = std::find_if(state.nodes.begin(), state.nodes.end(), [&](const auto& record) { return record.node.name == node.name; });
    if (at != state.nodes.end()) {
      standing.nodes.push_back(at->node);
      standing.nodes.back().log_dir = own_log_folder(node.log_dir, at->node.directory);
      standing.nodes.back().external = node.software == Software::external;
    }
  }
  return standing;
}

}  // namespace lab::orchestrator
