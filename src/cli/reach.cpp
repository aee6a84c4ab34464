#include "reach.hpp"

#include "orchestrator/access.hpp"
#include "remote/process.hpp"

#include <unistd.h>
#include <cerrno>

namespace lab::cli {

void become_ssh(Context& context, const std::string& lab, const std::string& node, const std::vector<std::string>& command) {
  const auto standing = find_standing(context, lab);
  const StandingNode* const there = standing ? find_node(context, *standing, node) : nullptr;
  if (there == nullptr) {
    return;
  }
  if (there->external) {
    context.fail(
        Error{"node " + node + " is external: the lab only drives it", "", "log in there as you would without lab", "", Failure::usage});
    return;
  }
  const auto program = remote::find_program("ssh");
  if (!program) {
    context.fail(Error{"ssh not found", "", "apt-get install openssh-client"});
    return;
  }
  auto words = orchestrator::ssh_command(standing->state, *there, command);
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  context.out << std::flush;
  execv(program->c_str(), arguments.data());
  context.fail(system_error("start " + *program, errno));
}

}  // namespace lab::cli
