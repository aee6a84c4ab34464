#include "providers/container/inventory.hpp"

#include <algorithm>
#include <boost/json.hpp>

namespace lab::providers::container {

namespace {

namespace json = boost::json;

constexpr int kKilled = 128 + 9;

std::string text_of(const json::object& object, const char* key) {
  const auto* const found = object.if_contains(key);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

int number_of(const json::object& object, const char* key) {
  const auto* const found = object.if_contains(key);
  return found != nullptr && found->is_int64() ? static_cast<int>(found->get_int64()) : 0;
}

bool is_true(const json::object& object, const char* key) {
  const auto* const found = object.if_contains(key);
  return found != nullptr && found->is_bool() && found->get_bool();
}

}  // namespace

Result<std::vector<Container>> containers_of(const Engine& engine, const Naming& naming, Deadline deadline) {
  const auto listed = engine.run({"ps", "--all", "--filter", naming.filter(), "--format", "{{.Names}}"}, deadline);
  if (!listed) {
    return listed.error();
  }
  std::vector<Container> containers;
  for (const std::string& name : lines_of(*listed)) {
    containers.push_back({naming.node_of(name), name});
  }
  std::sort(containers.begin(), containers.end(), [](const Container& one, const Container& other) { return one.node < other.node; });
  return containers;
}

Result<std::vector<std::string>> networks_of(const Engine& engine, const Naming& naming, Deadline deadline) {
  const auto listed = engine.run({"network", "ls", "--filter", naming.filter(), "--format", "{{.Name}}"}, deadline);
  return listed ? Result<std::vector<std::string>>(lines_of(*listed)) : listed.error();
}

Result<std::optional<Details>> look_at(const Engine& engine, const std::string& container, Deadline deadline) {
  const auto asked = engine.attempt({"container", "inspect", "--format", "{{.Id}} {{json .State}}", container}, deadline);
  if (!asked) {
    return asked.error();
  }
  if (asked->exit != 0) {
    return std::optional<Details>();
  }
  const auto space = asked->out.find(' ');
  boost::system::error_code failed;
  const json::value state = json::parse(space == std::string::npos ? "" : asked->out.substr(space + 1), failed);
  if (failed || !state.is_object()) {
    return Error{"the engine's answer about container " + container + " cannot be read", "provider container", "", asked->out};
  }
  const json::object& object = state.get_object();
  return std::optional(Details{asked->out.substr(0, space), text_of(object, "Status"), number_of(object, "ExitCode"),
                               is_true(object, "OOMKilled"), number_of(object, "Pid")});
}

std::string describe(const Details& details) {
  if (details.state != "exited" && details.state != "stopped") {
    return details.state;
  }
  return "ended with exit code " + std::to_string(details.exit) +
         (details.out_of_memory     ? " (out of memory)"
          : details.exit == kKilled ? " (killed)"
                                    : "");
}

}  // namespace lab::providers::container
