// One file a subcommand. Each registers itself on the root from the table in main.cpp; only src/cli prints.
#pragma once

#include "lab/error.hpp"
#include "lab/interrupt.hpp"

#include <CLI/CLI.hpp>
#include <ostream>
#include <string>

namespace lab::cli {

struct Context {
  std::ostream& out;
  std::ostream& err;
  Interrupt& interrupt;      // raised by SIGINT and SIGTERM
  bool terminal = false;     // standard error is one: live progress
  bool screen = false;       // standard output is one: it may be cleared
  bool color = false;        // wanted, where there is a terminal
  bool quiet = false;        // --quiet
  bool verbose = false;      // --verbose
  int exit_code = 0;         // what main returns; set by the command's callback
  std::string program = {};  // absolute path of this binary

  // Prints "error: what", where, detail, remedy, and sets the exit code from the error's failure.
  void fail(const Error& error);
  void fail(const Errors& errors);
};

// Adds a subcommand with its options, and a callback that runs it.
using Register = void (*)(CLI::App& root, Context& context);

}  // namespace lab::cli
