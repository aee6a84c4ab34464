#include "commands_walk.hpp"

namespace lab::cli {

namespace {

void add(std::vector<Command>& all, const std::string& path, const CLI::App& app) {
  all.push_back({path, &app});
  for (const CLI::App* below : commands_below(app)) {
    add(all, path + " " + below->get_name(), *below);
  }
}

}  // namespace

std::vector<Command> all_commands(const CLI::App& root) {
  std::vector<Command> all;
  add(all, root.get_name(), root);
  return all;
}

std::vector<const CLI::App*> commands_below(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<const CLI::Option*> named_options(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->nonpositional(); });
}

}  // namespace lab::cli
