#pragma once

#include "observation.hpp"

#include <boost/json/object.hpp>
#include <string>

namespace lab::run {

// The JSON line that `lab load` prints at its end (design: `lab load --json`); keys that are missing count as 0.
DriverResult driver_result(const std::string& node, const boost::json::object& result);

}  // namespace lab::run
