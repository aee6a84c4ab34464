// Calls to agents, several at once.
#pragma once

#include "lab/agents.hpp"
#include "lab/error.hpp"

#include <boost/json/object.hpp>
#include <chrono>
#include <string>
#include <vector>

namespace lab::run {

struct Call {
  std::string node;
  std::string method;
  boost::json::object params;
};

// One call; an answer that is no object becomes an empty one.
Result<boost::json::object> call(Agents& agents, const Call& what, Deadline deadline);

// All at once, a thread each; answers in the order of the calls. The first error, if any failed.
Result<std::vector<boost::json::object>> call_all(Agents& agents, const std::vector<Call>& calls, Deadline deadline);

// A call to the control socket of a role on the node.
Call role_call(const std::string& node, const std::string& role, const std::string& method);
Call role_stop(const std::string& node, const std::string& role);

Deadline within(std::chrono::nanoseconds time);

}  // namespace lab::run
