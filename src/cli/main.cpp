// Wires the subcommands; everything else is in the files beside this one.
#include "root.hpp"
#include "usage.hpp"

#include <unistd.h>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>

namespace {

lab::Interrupt* g_interrupt = nullptr;  // a signal handler has no other way to a value

void on_signal(int) {
  g_interrupt->raise();
  if (g_interrupt->at_once() && !g_interrupt->second_taken()) {
    _exit(static_cast<int>(lab::Failure::interrupted));
  }
}

void install_handlers(lab::Interrupt& interrupt) {
  g_interrupt = &interrupt;
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

}  // namespace

int main(int argc, char** argv) {
  lab::Interrupt interrupt;
  install_handlers(interrupt);
  lab::cli::Context context{std::cout, std::cerr, interrupt};
  context.terminal = isatty(STDERR_FILENO) != 0;
  context.screen = isatty(STDOUT_FILENO) != 0;
  context.color = std::getenv("NO_COLOR") == nullptr;
  std::error_code ignored;
  context.program = std::filesystem::read_symlink("/proc/self/exe", ignored).string();

  const auto root = lab::cli::make_root(context);
  try {
    root->parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    return root->exit(asked, std::cout, std::cerr);
  } catch (const CLI::ParseError& error) {
    context.fail(lab::cli::usage_error(*root, error, {argv + 1, argv + argc}));
  }
  return context.exit_code;
}
