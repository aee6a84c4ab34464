// The whole command line as one value: every subcommand with its options and examples.
#pragma once

#include "command.hpp"

#include <memory>

namespace lab::cli {

// `context` is written to while arguments are parsed and commands run.
std::unique_ptr<CLI::App> make_root(Context& context);

}  // namespace lab::cli
