// What is known of a standing lab between commands: <root>/<name>/state.json. Intent is written before each creation.
#pragma once

#include "lab/error.hpp"
#include "lab/lab.hpp"
#include "lab/standing.hpp"
#include "providers/provider.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lab::orchestrator {

enum class Phase { creating, running, removing };
std::string to_string(Phase phase);

struct State {
  std::string name;
  Lab lab;  // as deployed
  Phase phase = Phase::creating;
  int slot = 0;
  double cpu_unit = 1;
  CpuMethod cpu_method = CpuMethod::none;
  std::string cpu_note;
  std::vector<providers::NodeRecord> nodes;  // intended or created, in no order

  providers::NodeRecord* find(const std::string& node);
  void put(providers::NodeRecord record);  // replaces the one of that name
};

// Files of a lab's state folder.
struct StateFiles {
  explicit StateFiles(const std::filesystem::path& folder);
  std::filesystem::path state, previous, lab, keys, private_key, database_password, known_hosts, certificates;
};

// "local", "webseal-2007": what may be a folder, a label and a host name at once.
Result<void> check_name(const std::string& name);

// state.json and the lab file as deployed; the state before is kept as state.json.1. Temporary file, fsync, rename.
Result<void> save(const std::filesystem::path& folder, const State& state);
// Nothing: no lab of that name. A state.json that cannot be read gives way to the one before it; when both are broken, an error.
Result<std::optional<State>> load(const std::filesystem::path& folder);

// Folders under the root, sorted: labs that stand, or of which something is left.
std::vector<std::string> names(const std::filesystem::path& root);

providers::Site site_of(const std::filesystem::path& root, const State& state);
// In the order of the lab file; only nodes that are known.
Standing standing_of(const std::filesystem::path& root, const State& state);

}  // namespace lab::orchestrator
