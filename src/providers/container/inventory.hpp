// What of a lab is in the engine, asked for by its label.
#pragma once

#include "providers/container/engine.hpp"
#include "providers/container/naming.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lab::providers::container {

struct Container {
  std::string node, name;
};

Result<std::vector<Container>> containers_of(const Engine& engine, const Naming& naming, Deadline deadline);
Result<std::vector<std::string>> networks_of(const Engine& engine, const Naming& naming, Deadline deadline);  // their names

struct Details {  // of one container
  std::string id;
  std::string state;  // as above
  int exit = 0;       // of its first process, once it has ended
  bool out_of_memory = false;
  int pid = 0;  // of its first process, here; 0: not running
};
// Nothing: there is none of that name.
Result<std::optional<Details>> look_at(const Engine& engine, const std::string& container, Deadline deadline);

std::string describe(const Details& details);  // "running", "ended with exit code 137 (killed)"

}  // namespace lab::providers::container
