#include "commands.hpp"
#include "reach.hpp"

#include <memory>

namespace lab::cli {

namespace {

struct Options {
  std::string name, node, role;
  int lines = 50;
  bool follow = false;
};

// Read from their files, so that they are there even when agent and role are not.
std::string tail_command(const Options& options) {
  const std::string tail = "tail -n " + std::to_string(options.lines) + (options.follow ? " -F" : "");
  const std::string which = options.role.empty() ? "*" : options.role;
  return "cd \"$LAB_NODE\" || exit; set -- roles/" + which + "/log" + (options.role.empty() ? " agent.log" : "") +
         "; for file; do shift; [ -f \"$file\" ] && set -- \"$@\" \"$file\"; done; [ $# -gt 0 ] || { echo 'no log of that name here' >&2; "
         "exit 1; }; exec " +
         tail + " -- \"$@\"";
}

void run(Context& context, const Options& options) {
  if (options.role.find_first_not_of("abcdefghijklmnopqrstuvwxyz.") != std::string::npos) {
    context.fail(Error{"\"" + options.role + "\" is no role", "", "one of gateway, directory, pages, load", "", Failure::usage});
    return;
  }
  become_ssh(context, options.name, options.node, {"/bin/sh", "-c", tail_command(options)});
}

}  // namespace

void add_logs(CLI::App& root, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand("logs", "what a node's agent and roles have to say");
  command->add_option("--name", options->name, "of the lab; default: the only one");
  command->add_option("NODE", options->node, "a node of it")->required();
  command->add_option("ROLE", options->role, "default: all, and the agent");
  command->add_option("-n,--lines", options->lines, "of each at most")->capture_default_str()->check(CLI::NonNegativeNumber);
  command->add_flag("-f,--follow", options->follow, "go on until Ctrl-C");
  command->callback([options, &context] { run(context, *options); });
}

}  // namespace lab::cli
