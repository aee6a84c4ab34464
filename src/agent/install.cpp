// Getting an agent onto a node, and off it. Each command costs a shell on the node, so there are few.
#include "agent/client.hpp"

namespace lab::agent {
namespace {

using remote::shell_quote;

constexpr int kExecutable = 0755;

std::string program_of(const StandingNode& node) { return shell_quote(node.directory + "/bin/lab"); }

Result<std::string> checked(remote::Remote& remote, const StandingNode& node, const std::string& doing, const std::string& command,
                            Deadline deadline) {
  auto done = remote.exec(command, {}, deadline);
  if (!done) {
    return done.error();
  }
  if (done->exit != 0) {
    return Error{doing + " fails with exit code " + std::to_string(done->exit), "node " + node.name + ": " + command, {}, done->err};
  }
  return std::move(done->out);
}

std::string start_command(const StandingNode& node) {
  // What it starts can be told from others' by this, whatever it is called.
  std::string command = "env LAB_NODE=" + shell_quote(node.directory) + " " + program_of(node) + " agent --start --replace --dir " +
                        shell_quote(node.directory) + " --name " + shell_quote(node.name);
  if (!node.log_dir.empty()) {
    command += " --log-dir " + shell_quote(node.log_dir);
  }
  for (const int cpu : node.host_cpus) {
    command += " --pin " + std::to_string(cpu);
  }
  return command;
}

}  // namespace

Result<void> install(remote::Remote& remote, const StandingNode& node, const remote::Binaries& binaries, const std::string& build,
                     Deadline deadline) {
  const std::string folder = node.directory + "/bin";
  const auto machine = checked(remote, node, "making the agent's folder", "uname -m && mkdir -p " + shell_quote(folder), deadline);
  if (!machine) {
    return machine.error();
  }
  const auto binary = binaries.find(machine->substr(0, machine->find('\n')));
  if (!binary) {
    return Error{binary.error().what, "node " + node.name, binary.error().remedy};
  }
  const std::string file = "lab-" + build;
  if (const auto pushed = remote.upload(*binary, folder + "/" + file, kExecutable, deadline); !pushed) {
    return pushed.error();
  }
  const auto started = checked(remote, node, "starting the agent",
                               "ln -sfn " + shell_quote(file) + " " + program_of(node) + " && " + start_command(node), deadline);
  return started ? Result<void>() : Result<void>(started.error());
}

Result<void> stop(remote::Remote& remote, const StandingNode& node, Deadline deadline) {
  const std::string program = program_of(node);
  const auto stopped = checked(remote, node, "stopping the agent",
                               "! test -x " + program + " || " + program + " agent --stop --dir " + shell_quote(node.directory), deadline);
  return stopped ? Result<void>() : Result<void>(stopped.error());
}

std::string attach_command(const StandingNode& node) {
  return "exec " + program_of(node) + " agent --attach " + shell_quote(node.directory + "/agent.sock");
}

}  // namespace lab::agent
