#include "agent/daemon.hpp"
#include "commands.hpp"
#include "lab/version.hpp"

#include <unistd.h>
#include <memory>

namespace lab::cli {

namespace {

using namespace std::chrono_literals;

constexpr auto kStartTime = 15s, kStopTime = 20s;

struct AgentOptions {
  bool start = false, stop = false, replace = false;
  std::string attach, directory, logs, name, idle_stop = "24h";
  std::vector<int> pin;
};

Result<void> start(const AgentOptions& given, const std::string& program) {
  agent::Options options{given.directory, given.name, build_id(), program, given.pin, given.replace};
  const auto idle_stop = parse_duration(given.idle_stop);
  if (!idle_stop) {
    return Error{"--idle-stop " + given.idle_stop + " is no duration", {}, "write it as 24h or 30m", {}, Failure::usage};
  }
  options.idle_stop = *idle_stop;
  options.logs = given.logs;
  return agent::start_in_background(options, Clock::now() + kStartTime);
}

Result<void> run(const AgentOptions& given, const std::string& program) {
  if (!given.attach.empty()) {
    return agent::attach(given.attach, STDIN_FILENO, STDOUT_FILENO);
  }
  if (given.directory.empty() || given.start == given.stop) {
    return Error{"nothing to do", {}, "give --start or --stop with --dir, or --attach", {}, Failure::usage};
  }
  return given.stop ? agent::stop_in_background(given.directory, Clock::now() + kStopTime) : start(given, program);
}

}  // namespace

void add_agent(CLI::App& root, Context& context) {
  auto given = std::make_shared<AgentOptions>();
  CLI::App* command = root.add_subcommand("agent", "what `lab up` starts on a node; not for hands");
  command->add_flag("--start", given->start, "run in the background; returns once it answers");
  command->add_flag("--replace", given->replace, "with --start: end an agent of another build, or one that does not answer, first");
  command->add_flag("--stop", given->stop, "end its roles, then itself");
  command->add_option("--attach", given->attach, "copy standard input and output to this agent's socket");
  command->add_option("--dir", given->directory, "the node's folder");
  command->add_option("--log-dir", given->logs, "where the gateway may log outside that folder");
  command->add_option("--name", given->name, "the node's name");
  command->add_option("--pin", given->pin, "CPUs for it and its roles")->delimiter(',');
  command->add_option("--idle-stop", given->idle_stop, "without orders for so long, stop the roles")->capture_default_str();
  command->callback([given, &context] {
    if (const auto done = run(*given, context.program); !done) {
      context.fail(done.error());
    }
  });
}

}  // namespace lab::cli
