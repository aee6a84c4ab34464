#include "commands.hpp"

#include "config/config.hpp"

#include <memory>
#include <vector>

namespace lab::cli {

namespace {

struct Files {
  std::vector<Lab> labs;
  std::vector<Playbook> playbooks;
  std::size_t errors = 0;
};

std::string counted(std::size_t number, const std::string& what) { return std::to_string(number) + " " + what + (number == 1 ? "" : "s"); }

std::size_t cells_of(const Playbook& playbook) {
  std::size_t cells = 0;
  for (const Scenario& scenario : playbook.scenarios) {
    std::size_t product = 1;
    for (const AxisValues& axis : scenario.axes) {
      product *= axis.second.size();
    }
    cells += product;
  }
  return cells;
}

void fail(Context& context, Files& files, const Errors& errors) {
  context.fail(errors);
  files.errors += errors.size();
}

void read(Context& context, Files& files, const std::string& path) {
  const auto text = config::read_file(path);
  if (!text) {
    fail(context, files, {text.error()});
    return;
  }
  auto file = config::parse_any(*text, path);
  if (!file) {
    fail(context, files, file.error());
  } else if (auto* found = std::get_if<Lab>(&*file)) {
    files.labs.push_back(std::move(*found));
  } else {
    files.playbooks.push_back(std::get<Playbook>(std::move(*file)));
  }
}

// With one lab among the files, the playbooks' names are looked for in it.
void validate(Context& context, const std::vector<std::string>& paths) {
  Files files;
  for (const std::string& path : paths) {
    read(context, files, path);
  }
  for (const Lab& lab : files.labs) {
    context.out << lab.path << ": ok, " << counted(lab.nodes.size(), "node") << '\n';
  }
  for (const Playbook& playbook : files.playbooks) {
    const Errors errors = files.labs.size() == 1 ? config::check_against(playbook, files.labs.front()) : Errors();
    fail(context, files, errors);
    if (errors.empty()) {
      context.out << playbook.path << ": ok, " << counted(playbook.scenarios.size(), "scenario") << ", "
                  << counted(cells_of(playbook), "cell") << ", " << counted(playbook.claims.size(), "claim") << '\n';
    }
  }
  if (files.errors > 1 && !context.quiet) {
    context.err << counted(files.errors, "error") << '\n';
  }
}

}  // namespace

void add_validate(CLI::App& root, Context& context) {
  auto paths = std::make_shared<std::vector<std::string>>();
  CLI::App* command = root.add_subcommand("validate", "checks lab and playbook files; with one lab among them, also that playbooks fit it");
  command->add_option("FILE", *paths, "lab and playbook files")->required();
  command->callback([paths, &context] { validate(context, *paths); });
}

}  // namespace lab::cli
