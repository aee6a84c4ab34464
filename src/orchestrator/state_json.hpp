// State as JSON, and back.
#pragma once

#include "orchestrator/state.hpp"

#include <boost/json/object.hpp>

namespace lab::orchestrator {

boost::json::object to_json(const State& state);  // all but the lab, which is a file of its own
Result<State> state_from_json(std::string_view text, const std::string& path);

}  // namespace lab::orchestrator
