// Sets the CPUs of a standing lab's nodes, live; src/orchestrator implements it over provider and agents, tests with fakes.
#pragma once

#include "lab/error.hpp"

#include <optional>
#include <string>

namespace lab {

class CpuControl {
 public:
  virtual ~CpuControl() = default;
  // Limits the node to so many lab CPUs (times Standing::cpu_unit host CPUs); nothing lifts the limit. Errors name the node. Used by one
  // thread.
  virtual Result<void> set(const std::string& node, std::optional<double> lab_cpus) = 0;
};

}  // namespace lab
