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

// What is asked of a node at first, and the folder made.
struct Answers {
  std::string architecture;
  bool has_cards = false;  // crypto adapters, of an IBM Z guest
};

Result<Answers> ask(remote::Remote& remote, const StandingNode& node, const std::string& folder, Deadline deadline) {
  const auto said =
      checked(remote, node, "making the agent's folder",
              "uname -m && mkdir -p " + shell_quote(folder) + " && { ls -d /sys/devices/ap/card* 2>/dev/null || true; }", deadline);
  if (!said) {
    return said.error();
  }
  return Answers{said->substr(0, said->find('\n')), said->find("/ap/card") != std::string::npos};
}

// The binary, and where the node has crypto adapters the build that can use them, if there is one.
Result<void> push(remote::Remote& remote, const std::filesystem::path& binary, const std::string& to, bool dynamic, Deadline deadline) {
  if (const auto pushed = remote.upload(binary, to, kExecutable, deadline); !pushed) {
    return pushed.error();
  }
  std::error_code ignored;
  const auto other = remote::dynamic_build_of(binary);
  if (!dynamic || !std::filesystem::exists(other, ignored)) {
    return {};
  }
  const auto pushed = remote.upload(other, remote::dynamic_build_of(to).string(), kExecutable, deadline);
  return pushed ? Result<void>() : pushed.error();
}

}  // namespace

Result<void> install(remote::Remote& remote, const StandingNode& node, const remote::Binaries& binaries, const std::string& build,
                     Deadline deadline) {
  const std::string folder = node.directory + "/bin";
  const auto answers = ask(remote, node, folder, deadline);
  if (!answers) {
    return answers.error();
  }
  const auto binary = binaries.find(answers->architecture);
  if (!binary) {
    return Error{binary.error().what, "node " + node.name, binary.error().remedy};
  }
  const std::string file = "lab-" + build;
  if (const auto pushed = push(remote, *binary, folder + "/" + file, answers->has_cards, deadline); !pushed) {
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
