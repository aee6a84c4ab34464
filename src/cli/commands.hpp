// The table's functions, one a subcommand, each defined in the file of its name.
#pragma once

#include "command.hpp"

namespace lab::cli {

void add_directory(CLI::App& root, Context& context);
void add_pages(CLI::App& root, Context& context);
void add_init(CLI::App& root, Context& context);
void add_validate(CLI::App& root, Context& context);
void add_version(CLI::App& root, Context& context);

}  // namespace lab::cli
