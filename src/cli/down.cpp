#include "orchestrator/down.hpp"

#include "commands.hpp"
#include "config/config.hpp"
#include "labs.hpp"
#include "orchestrator/state.hpp"
#include "progress.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace lab::cli {

namespace {

struct Options {
  std::string lab, name;
  bool all = false;
  int timeout_s = 300;
};

// The argument is a standing lab's name, or a file whose lab has that name; the file may be gone.
std::string name_meant(const orchestrator::World& world, const std::string& argument) {
  const auto standing = orchestrator::names(world.root);
  if (std::find(standing.begin(), standing.end(), argument) != standing.end()) {
    return argument;
  }
  const auto lab = config::load_lab(argument);
  if (lab) {
    return lab->name;
  }
  return std::filesystem::path(argument).stem().string();
}

// Empty, with the error printed: it cannot be told which.
std::vector<std::string> meant(Context& context, const orchestrator::World& world, const Options& options) {
  const auto standing = orchestrator::names(world.root);
  if (options.all) {
    return standing;
  }
  if (!options.name.empty() || !options.lab.empty()) {
    return {options.name.empty() ? name_meant(world, options.lab) : options.name};
  }
  if (standing.size() <= 1) {
    return standing;
  }
  const auto chosen = orchestrator::choose(world, "");
  context.fail(Error{chosen.error().what, "", chosen.error().remedy + ", or --all", "", Failure::usage});
  return {};
}

// A session on a node of the lab would be ended with it, and this command as well.
bool runs_inside(Context& context, const orchestrator::World& world, const std::string& name) {
  const char* const node = std::getenv("LAB_NODE");
  if (node == nullptr || !std::string(node).starts_with((world.root / name).string() + "/")) {
    return false;
  }
  context.fail(Error{"this shell runs on a node of lab " + name, std::string("node ") + node, "run `lab down` outside of it"});
  return true;
}

void take_down(Context& context, const orchestrator::World& world, const std::string& name, std::chrono::nanoseconds timeout) {
  if (runs_inside(context, world, name)) {
    return;
  }
  LiveProgress progress(context, {});
  const orchestrator::Operation operation{context.interrupt, [&](const auto& step) { progress.tell(step); }, tell_waiting(context),
                                          Clock::now() + timeout};
  const auto taken = orchestrator::down(world, name, operation);
  if (!taken) {
    context.fail(taken.error());
  } else if (!taken->was_there) {
    context.out << "no lab " << name << " stands, and nothing of one is left\n";
  } else if (!context.quiet) {
    context.out << "lab " << name << " is down in " << seconds(progress.elapsed())
                << ": no process, cgroup, socket or file of it is left\n";
  }
}

void run(Context& context, const Options& options) {
  const auto world = open_world(context);
  if (!world) {
    return;
  }
  const auto names = meant(context, *world, options);
  if (names.empty() && context.exit_code == 0) {
    context.out << "no lab stands\n";
  }
  const auto timeout = std::chrono::seconds(options.timeout_s);
  for (const std::string& name : names) {
    take_down(context, *world, name, timeout);
  }
}

}  // namespace

void add_down(CLI::App& root, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand("down", "tears a lab down, whatever state it is in, and proves that nothing is left");
  command->add_option("LAB", options->lab, "a standing lab's name, or its file; default: the only one");
  command->add_option("--name", options->name, "of the standing lab, where it is not the file's");
  command->add_flag("--all", options->all, "every lab of this user");
  command->add_option("--timeout", options->timeout_s, "seconds for each")->capture_default_str()->check(CLI::Range(1, 3600));
  command->callback([options, &context] { run(context, *options); });
}

}  // namespace lab::cli
