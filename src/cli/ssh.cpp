#include "commands.hpp"
#include "reach.hpp"

#include <memory>

namespace lab::cli {

namespace {

struct Options {
  std::string name, node;
  std::vector<std::string> command;
};

CLI::App* add_reaching(CLI::App& root, Context& context, const char* name, const char* description, bool command_wanted) {
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand(name, description);
  command->add_option("--name", options->name, "of the lab; default: the only one");
  command->add_option("NODE", options->node, "a node of it")->required();
  command->add_option("CMD", options->command, "after --: a command and its arguments, each as it is given")->required(command_wanted);
  command->callback([options, &context] { become_ssh(context, options->name, options->node, options->command); });
  return command;
}

}  // namespace

void add_ssh(CLI::App& root, Context& context) { add_reaching(root, context, "ssh", "a shell on a node, or a command there", false); }
void add_exec(CLI::App& root, Context& context) {
  add_reaching(root, context, "exec", "a command on a node; its exit code is passed on", true);
}

}  // namespace lab::cli
