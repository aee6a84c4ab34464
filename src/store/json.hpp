// The values of include/lab/results.hpp as JSON, with the keys of the design, and back.
// Reading takes what is missing as absent: an older run stays readable.
#pragma once

#include "lab/results.hpp"
#include "run_directory.hpp"

#include <boost/json/object.hpp>

namespace lab::store {

boost::json::object to_json(const Trial& trial);       // one line of trials.jsonl
boost::json::object to_json(const Results& results);   // results.json, schema 1
boost::json::object to_json(const RunRecord& record);  // run.json

Trial trial_from_json(const boost::json::object& object);
Results results_from_json(const boost::json::object& object);
RunRecord record_from_json(const boost::json::object& object);

}  // namespace lab::store
