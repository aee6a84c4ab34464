// Scenarios × axes → cells: the points that a run measures.
#pragma once

#include "lab/error.hpp"
#include "lab/playbook.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lab::run {

struct Cell {
  std::string id;  // "2/page=5.8KB/crypto=software/cpus=1/clients=8"
  Scenario scenario;
  std::vector<std::pair<std::string, std::string>> axes;  // in file order

  std::string axis(std::string_view name) const;  // its value; empty: the scenario has no such axis
};

// In file order, the last axis varying fastest. A profile's axes narrow a scenario's, except those that it keeps; where nothing
// would be left, the scenario's own values stay. `only`: globs over ids, any of which lets a cell in; none: all. Matching no cell
// is an error of usage.
Result<std::vector<Cell>> cells_of(const Playbook& playbook, const Profile& profile, const std::vector<std::string>& only);

const Cell* find_cell(const std::vector<Cell>& cells, std::string_view id);

// `*` matches any characters, `/` too; `?` one; all others themselves.
bool matches_glob(std::string_view pattern, std::string_view text);

}  // namespace lab::run
