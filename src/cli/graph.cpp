#include "orchestrator/graph.hpp"

#include "commands.hpp"
#include "config/config.hpp"
#include "labs.hpp"
#include "orchestrator/state.hpp"

#include <memory>

namespace lab::cli {

namespace {

struct Options {
  std::string lab, name;
  bool mermaid = false, svg = false, dot = false;
};

void print(Context& context, const Options& options, const Lab& lab, const orchestrator::Addresses& addresses) {
  context.out << (options.mermaid ? orchestrator::graph_mermaid(lab, addresses)
                  : options.svg   ? orchestrator::graph_svg(lab, addresses)
                  : options.dot   ? orchestrator::graph_dot(lab, addresses)
                                  : orchestrator::graph_text(lab, addresses));
}

void run(Context& context, const Options& options) {
  if (!options.lab.empty()) {
    const auto lab = config::load_lab(options.lab);
    lab ? print(context, options, *lab, {}) : context.fail(lab.error());
    return;
  }
  const auto standing = find_standing(context, options.name);
  if (!standing) {
    return;
  }
  orchestrator::Addresses addresses;
  for (const StandingNode& node : standing->nodes) {
    addresses[node.name] = node.address;
  }
  print(context, options, standing->lab, addresses);
}

}  // namespace

void add_graph(CLI::App& root, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand("graph", "the topology, with junctions and firewalls");
  command->add_option("LAB", options->lab, "a lab file, or a built-in lab's name; default: the standing one");
  command->add_option("--name", options->name, "of the standing lab; default: the only one");
  CLI::App* formats = command->add_option_group("format", "default: text");
  formats->add_flag("--mermaid", options->mermaid, "a Mermaid flowchart");
  formats->add_flag("--svg", options->svg, "a picture");
  formats->add_flag("--dot", options->dot, "for Graphviz");
  formats->require_option(0, 1);
  command->callback([options, &context] { run(context, *options); });
}

}  // namespace lab::cli
