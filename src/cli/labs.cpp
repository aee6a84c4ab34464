#include "labs.hpp"

#include "lab/version.hpp"
#include "orchestrator/state.hpp"

namespace lab::cli {

std::optional<orchestrator::World> open_world(Context& context, const orchestrator::NodeOptions& options) {
  auto root = orchestrator::default_root();
  if (!root) {
    context.fail(root.error());
    return std::nullopt;
  }
  return orchestrator::real_world(std::move(*root), context.program, build_id(), options);
}

void add_node_options(CLI::App& command, orchestrator::NodeOptions& options) {
  command.add_flag("--accept-new-host-keys", options.new_host_keys, "provider ssh: pin what a host without `host-key` shows now");
  const auto take = [&options](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      const auto equals = text.find('=');
      if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
        throw CLI::ValidationError("--agent-binary",
                                   "wants ARCHITECTURE=PATH, the architecture as `uname -m` has it: s390x=build/lab-s390x");
      }
      options.agent_binaries[text.substr(0, equals)] = text.substr(equals + 1);
    }
  };
  command
      .add_option_function<std::vector<std::string>>(
          "--agent-binary", take, "for nodes of that architecture, where it is not lab-ARCHITECTURE beside lab; repeatable")
      ->type_name("ARCHITECTURE=PATH")
      ->allow_extra_args(false);
}

std::optional<std::string> choose_lab(Context& context, const orchestrator::World& world, const std::string& name) {
  auto chosen = orchestrator::choose(world, name);
  if (!chosen) {
    context.fail(chosen.error());
    return std::nullopt;
  }
  return std::move(*chosen);
}

std::optional<Standing> find_standing(Context& context, const std::string& name) {
  const auto world = open_world(context);
  const auto chosen = world ? choose_lab(context, *world, name) : std::nullopt;
  if (!chosen) {
    return std::nullopt;
  }
  const auto state = orchestrator::load(world->root / *chosen);
  if (!state || !*state) {
    context.fail(state ? Error{"lab " + *chosen + " has no state, only a folder", "", "remove what is left of it: lab down " + *chosen}
                       : state.error());
    return std::nullopt;
  }
  return orchestrator::standing_of(world->root, **state);
}

const StandingNode* find_node(Context& context, const Standing& standing, const std::string& node) {
  const StandingNode* const found = standing.find(node);
  if (found == nullptr) {
    std::string all;
    for (const StandingNode& other : standing.nodes) {
      all += (all.empty() ? "" : ", ") + other.name;
    }
    context.fail(Error{"lab " + standing.name + " has no node " + node, "", "it has " + (all.empty() ? "none yet: lab up" : all), "",
                       Failure::usage});
  }
  return found;
}

std::function<void(const std::string&)> tell_waiting(Context& context) {
  return [&context](const std::string& holder) {
    if (!context.quiet) {
      context.err << "waiting for " << holder << '\n';
    }
  };
}

}  // namespace lab::cli
