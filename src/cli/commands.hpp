// The table's functions, one a subcommand, each defined in the file of its name.
#pragma once

#include "command.hpp"

namespace lab::cli {

void add_image(CLI::App& root, Context& context);
void add_agent(CLI::App& root, Context& context);
void add_database(CLI::App& root, Context& context);
void add_directory(CLI::App& root, Context& context);
void add_gateway(CLI::App& root, Context& context);
void add_guest(CLI::App& root, Context& context);
void add_load(CLI::App& root, Context& context);
void add_pages(CLI::App& root, Context& context);
void add_init(CLI::App& root, Context& context);
void add_compare(CLI::App& root, Context& context);
void add_report(CLI::App& root, Context& context);
void add_run(CLI::App& root, Context& context);
void add_runs(CLI::App& root, Context& context);
void add_up(CLI::App& root, Context& context);
void add_plan(CLI::App& root, Context& context);
void add_down(CLI::App& root, Context& context);
void add_status(CLI::App& root, Context& context);
void add_doctor(CLI::App& root, Context& context);
void add_graph(CLI::App& root, Context& context);
void add_junction(CLI::App& root, Context& context);
void add_selftest(CLI::App& root, Context& context);
void add_ssh(CLI::App& root, Context& context);
void add_exec(CLI::App& root, Context& context);
void add_logs(CLI::App& root, Context& context);
void add_validate(CLI::App& root, Context& context);
void add_completion(CLI::App& root, Context& context);
void add_man(CLI::App& root, Context& context);
void add_version(CLI::App& root, Context& context);

}  // namespace lab::cli
