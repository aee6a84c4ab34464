#include "agent_test.hpp"

#include <catch2/catch.hpp>

namespace lab::test {

using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

// Called by the agent as `program ROLE -c CONFIG --ready-fd 3`; the configuration names the script to run.
std::filesystem::path write_role_program(const std::filesystem::path& folder) {
  const auto program = folder / "role";
  write_file(program, R"sh(#!/bin/sh
exec sh "$(sed 's/.*"script":"\([^"]*\)".*/\1/' "$3")"
)sh");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  return program;
}

}  // namespace

TestAgent::TestAgent(bool deep, std::chrono::nanoseconds idle_stop)
    : folder_(temporary_.path() / (deep ? std::string(120, 'd') : std::string("node"))) {
  agent::Options options{folder_, "node1", "build1", write_role_program(temporary_.path()), {}};
  options.idle_stop = idle_stop;
  options.logs = logs();
  serve(options);
}

TestAgent::TestAgent(const std::filesystem::path& program, const std::filesystem::path& system) : folder_(temporary_.path() / "node") {
  agent::Options options{folder_, "node1", "build1", program, {}};
  options.system = system;
  serve(options);
}

void TestAgent::serve(const agent::Options& options) {
  std::promise<void> listening;
  std::future<void> listens = listening.get_future();
  served_ =
      std::async(std::launch::async, [options, &listening] { return agent::serve(options, [&listening] { listening.set_value(); }); });
  while (listens.wait_for(10ms) != std::future_status::ready) {
    if (served_.wait_for(0ms) == std::future_status::ready) {
      throw std::runtime_error(to_string(served_.get().error()));
    }
  }
}

TestAgent::~TestAgent() {
  if (served_.wait_for(0ms) != std::future_status::ready) {
    static_cast<void>(call("shutdown"));
  }
  served_.wait();
}

agent::LocalClient TestAgent::connect() const {
  auto client = agent::LocalClient::connect(socket(), Clock::now() + 10s);
  REQUIRE(client.has_value());
  return std::move(*client);
}

Result<json::value> TestAgent::call(std::string_view method, const json::object& params) const {
  auto client = agent::LocalClient::connect(socket(), Clock::now() + 10s);
  return client ? client->call(method, params, Clock::now() + 30s) : Result<json::value>(client.error());
}

json::object TestAgent::result(std::string_view method, const json::object& params) const {
  const auto answer = call(method, params);
  INFO(method << ": " << (answer ? "" : to_string(answer.error())));
  REQUIRE(answer.has_value());
  return answer->as_object();
}

Error TestAgent::error(std::string_view method, const json::object& params) const {
  const auto answer = call(method, params);
  INFO(method);
  REQUIRE(answer.has_error());
  return answer.error();
}

json::object TestAgent::order(const std::string& name, const std::string& script, const std::string& role) const {
  const auto file = temporary_.path() / ("script" + std::to_string(std::hash<std::string>()(script)));
  write_file(file, script);
  return {{"name", name}, {"role", role}, {"config", {{"script", file.string()}}}, {"env", {{"ADDED", "by the order"}}}};
}

json::object TestAgent::start(const std::string& name, const std::string& script, const std::string& role) const {
  return result("role.start", order(name, script, role));
}

}  // namespace lab::test
