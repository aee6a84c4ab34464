// The controller's view of the agents of a standing lab; src/agent implements it over SSH, tests with fakes.
#pragma once

#include "lab/error.hpp"
#include "lab/units.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <string>
#include <string_view>

namespace lab {

class Agents {
 public:
  virtual ~Agents() = default;
  // One JSON-RPC call (docs/agent-protocol.md). Safe from any thread. Errors carry "node NAME: method".
  virtual Result<boost::json::value> call(const std::string& node, std::string_view method, boost::json::object params,
                                          Deadline deadline) = 0;
};

}  // namespace lab
