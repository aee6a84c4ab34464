#include "orchestrator/up.hpp"

#include "commands.hpp"
#include "config/config.hpp"
#include "labs.hpp"
#include "progress.hpp"

#include <memory>

namespace lab::cli {

namespace {

using namespace std::chrono_literals;

struct Options {
  std::string lab = "local";
  std::string name;
  orchestrator::NodeOptions nodes;
  int timeout_s = 0;  // as the provider takes
};

std::vector<std::string> names_of(const Lab& lab) {
  std::vector<std::string> names;
  for (const Node& node : lab.nodes) {
    names.push_back(node.name);
  }
  return names;
}

// Images are copied onto guests' disks, a few at a time.
std::chrono::seconds patience_with(ProviderKind provider) { return provider == ProviderKind::zvm ? 3600s : 60s; }

void run(Context& context, const Options& options) {
  const auto world = open_world(context, options.nodes);
  if (!world) {
    return;
  }
  const auto lab = config::load_lab(options.lab);
  if (!lab) {
    context.fail(lab.error());
    return;
  }
  LiveProgress progress(context, names_of(*lab));
  const auto timeout = options.timeout_s > 0 ? std::chrono::seconds(options.timeout_s) : patience_with(lab->provider);
  const orchestrator::Operation operation{context.interrupt, [&](const auto& step) { progress.tell(step); }, tell_waiting(context),
                                          Clock::now() + timeout};
  const std::string name = options.name.empty() ? lab->name : options.name;
  const auto raised = orchestrator::up(*world, *lab, name, operation);
  if (!raised) {
    context.fail(raised.error());
    return;
  }
  if (context.quiet) {
    return;
  }
  const std::size_t nodes = raised->standing.nodes.size();
  if (!raised->changed) {
    context.out << "lab " << name << " stands already: " << nodes << " nodes, nothing to do (looked at in " << seconds(progress.elapsed())
                << ")\n";
    return;
  }
  context.out << "lab " << name << " stands: " << nodes << " nodes in " << seconds(progress.elapsed()) << "\n"
              << "  slowest node of each step: " << progress.summary() << "\n";
  if (!raised->standing.cpu_note.empty()) {
    context.out << "  CPUs are limited by stopping and continuing: " << raised->standing.cpu_note << "\n";
  }
}

}  // namespace

void add_up(CLI::App& root, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand("up", "stands a lab up; run again, it does only what is missing");
  command->add_option("LAB", options->lab, "a lab file, or a built-in lab's name")->capture_default_str();
  command->add_option("--name", options->name, "of the standing lab, where it is not the file's");
  command->add_option("--timeout", options->timeout_s, "seconds for all of it; 60, with provider zvm 3600")->check(CLI::Range(1, 86400));
  add_node_options(*command, options->nodes);
  command->callback([options, &context] { run(context, *options); });
}

}  // namespace lab::cli
