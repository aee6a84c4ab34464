#include "commands.hpp"
#include "config/config.hpp"
#include "labs.hpp"
#include "orchestrator/up.hpp"

#include <iomanip>
#include <memory>

namespace lab::cli {

namespace {

struct Options {
  std::string lab = "local";
  std::string name;
  orchestrator::NodeOptions nodes;
};

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
  const std::string name = options.name.empty() ? lab->name : options.name;
  const auto plan = orchestrator::plan(*world, *lab, name);
  if (!plan) {
    context.fail(plan.error());
    return;
  }
  context.out << "lab " << name << ", provider " << to_string(lab->provider) << (plan->fresh ? ", not there yet" : ", stands") << "\n"
              << "a lab CPU is worth " << plan->cpus.unit << " host CPUs\n";
  for (const auto& step : plan->steps) {
    context.out << std::left << std::setw(8) << step.action << step.what << (step.detail.empty() ? "" : " (" + step.detail + ")") << "\n";
    for (const std::string& call : step.calls) {
      context.out << std::setw(10) << "" << call << "\n";
    }
  }
}

}  // namespace

void add_plan(CLI::App& root, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand("plan", "what `lab up` would do; changes nothing");
  command->add_option("LAB", options->lab, "a lab file, or a built-in lab's name")->capture_default_str();
  command->add_option("--name", options->name, "of the standing lab, where it is not the file's");
  add_node_options(*command, options->nodes);
  command->callback([options, &context] { run(context, *options); });
}

}  // namespace lab::cli
