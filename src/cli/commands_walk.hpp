// The command line as completions and manual pages see it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace lab::cli {

struct Command {
  std::string path;  // "lab junction create"
  const CLI::App* app;
};

// The root and every command below it, parents first.
std::vector<Command> all_commands(const CLI::App& root);

std::vector<const CLI::App*> commands_below(const CLI::App& app);

// Those that begin with a dash, in order.
std::vector<const CLI::Option*> named_options(const CLI::App& app);

}  // namespace lab::cli
