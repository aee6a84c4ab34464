// Wires the subcommands; everything else is in the files beside this one.
#include "commands.hpp"

#include "lab/version.hpp"

#include <unistd.h>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>

namespace {

struct Entry {
  const char* group;
  lab::cli::Register add;
};

constexpr Entry kCommands[] = {
    {"Files", lab::cli::add_init},
    {"Files", lab::cli::add_validate},
    {"Measurements", lab::cli::add_run},
    {"Measurements", lab::cli::add_runs},
    {"Measurements", lab::cli::add_selftest},
    {"Measurements", lab::cli::add_report},
    {"Measurements", lab::cli::add_compare},
    {"Labs", lab::cli::add_doctor},
    {"Labs", lab::cli::add_image},
    {"Labs", lab::cli::add_plan},
    {"Labs", lab::cli::add_up},
    {"Labs", lab::cli::add_status},
    {"Labs", lab::cli::add_graph},
    {"Labs", lab::cli::add_ssh},
    {"Labs", lab::cli::add_exec},
    {"Labs", lab::cli::add_logs},
    {"Labs", lab::cli::add_junction},
    {"Labs", lab::cli::add_down},
    {"Roles alone", lab::cli::add_database},
    {"Roles alone", lab::cli::add_directory},
    {"Roles alone", lab::cli::add_gateway},
    {"Roles alone", lab::cli::add_guest},
    {"Roles alone", lab::cli::add_load},
    {"Roles alone", lab::cli::add_pages},
    {"Other", lab::cli::add_agent},
    {"Other", lab::cli::add_version},
};

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

  CLI::App app{"Measures secured web gateways: stands a lab up, runs a matrix, reports what holds, takes it down."};
  app.name("lab");
  app.require_subcommand(1);
  app.fallthrough();
  app.set_version_flag("--version", lab::version());
  app.add_flag("-q,--quiet", context.quiet, "say only what is asked for and errors");
  app.add_flag("-v,--verbose", context.verbose, "say more");
  app.add_flag_callback(
      "--no-color", [&context] { context.color = false; }, "no colours (also: NO_COLOR)");
  for (const Entry& entry : kCommands) {
    const auto before = app.get_subcommands({}).size();
    entry.add(app, context);
    for (auto i = before; i < app.get_subcommands({}).size(); ++i) {
      app.get_subcommands({})[i]->group(entry.group);
    }
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error, std::cout, std::cerr);
    return code == 0 ? 0 : static_cast<int>(lab::Failure::usage);
  }
  return context.exit_code;
}
