#include "orchestrator/doctor.hpp"

#include "commands.hpp"
#include "config/config.hpp"
#include "labs.hpp"
#include "orchestrator/up.hpp"

#include <iomanip>
#include <memory>

namespace lab::cli {

namespace {

using Grade = orchestrator::Finding::Grade;

const char* word(Grade grade) {
  switch (grade) {
    case Grade::good: return "ok";
    case Grade::note: return "note";
    case Grade::bad: return "BAD";
  }
  return "";
}

void print(Context& context, const std::vector<orchestrator::Finding>& findings) {
  for (const auto& finding : findings) {
    context.out << std::left << std::setw(6) << word(finding.grade) << std::setw(12) << finding.topic << finding.found << "\n";
    if (finding.grade != Grade::good && !finding.remedy.empty()) {
      context.out << std::setw(18) << "" << finding.remedy << "\n";
    }
    if (finding.grade == Grade::bad) {
      context.exit_code = static_cast<int>(Failure::failed);
    }
  }
}

// What would keep this lab from standing here.
void look_at_lab(Context& context, const orchestrator::World& world, const std::string& file, const std::string& name) {
  const auto lab = config::load_lab(file);
  if (!lab) {
    context.fail(lab.error());
    return;
  }
  const std::string standing = name.empty() ? lab->name : name;
  const auto nodes = orchestrator::examine_nodes(world, standing, Clock::now() + std::chrono::seconds(30));
  if (!nodes) {
    return context.fail(nodes.error());
  }
  for (const auto& node : *nodes) {
    context.out << "\nnode " << node.node << "\n";
    print(context, node.findings);
  }
  if (!nodes->empty()) {
    return;  // it stands
  }
  const auto plan = orchestrator::plan(world, *lab, standing);
  if (plan) {
    context.out << "lab " << lab->name << " can stand here: " << lab->nodes.size() << " nodes\n";
  } else {
    context.fail(plan.error());
  }
}

}  // namespace

void add_doctor(CLI::App& root, Context& context) {
  auto lab = std::make_shared<std::string>();
  auto name = std::make_shared<std::string>();
  CLI::App* command = root.add_subcommand("doctor", "what this host lacks, each with its remedy");
  command->add_option("LAB", *lab, "also what each of its nodes lacks, or what would keep it from standing here");
  command->add_option("--name", *name, "of the standing lab, where it is not the file's");
  command->callback([lab, name, &context] {
    const auto world = open_world(context);
    if (!world) {
      return;
    }
    print(context, orchestrator::judge(orchestrator::gather_facts(world->root)));
    if (!lab->empty()) {
      look_at_lab(context, *world, *lab, *name);
    }
  });
}

}  // namespace lab::cli
