#include "json.hpp"
#include "read.hpp"

#include <boost/json.hpp>

namespace lab::store {

namespace json = boost::json;

json::object to_json(const RunRecord& record) {
  json::array cells;
  for (const PlannedCell& cell : record.cells) {
    cells.push_back(json::object{{"id", cell.id}, {"skipped", cell.skipped}});
  }
  return {{"schema", 1},
          {"name", record.name},
          {"lab", record.lab},
          {"playbook", record.playbook},
          {"started", record.started},
          {"command", to_array(record.command)},
          {"seed", record.seed},
          {"plan",
           {{"profile", record.profile},
            {"warmup_ns", record.warmup.count()},
            {"measure_ns", record.measure.count()},
            {"repeats", record.repeats},
            {"trials", record.trials},
            {"until", record.until},
            {"only", to_array(record.only)},
            {"cells", std::move(cells)}}},
          {"files", {{"lab", record.lab_text}, {"playbook", record.playbook_text}}},
          {"environment", record.environment}};
}

RunRecord record_from_json(const json::object& object) {
  RunRecord record;
  record.name = text_of(object, "name");
  record.lab = text_of(object, "lab");
  record.playbook = text_of(object, "playbook");
  record.started = text_of(object, "started");
  record.command = texts_of(object, "command");
  record.seed = count_of(object, "seed");
  const json::object& plan = object_of(object, "plan");
  record.profile = text_of(plan, "profile");
  record.warmup = std::chrono::nanoseconds(integer_of(plan, "warmup_ns"));
  record.measure = std::chrono::nanoseconds(integer_of(plan, "measure_ns"));
  record.repeats = static_cast<int>(integer_of(plan, "repeats"));
  record.trials = static_cast<int>(integer_of(plan, "trials"));
  record.until = number_of(plan, "until");
  record.only = texts_of(plan, "only");
  for (const json::value& value : array_of(plan, "cells")) {
    if (const json::object* cell = value.if_object()) {
      record.cells.push_back({text_of(*cell, "id"), text_of(*cell, "skipped")});
    }
  }
  record.lab_text = text_of(object_of(object, "files"), "lab");
  record.playbook_text = text_of(object_of(object, "files"), "playbook");
  record.environment = object_of(object, "environment");
  return record;
}

}  // namespace lab::store
