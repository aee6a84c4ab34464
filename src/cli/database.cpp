#include "roles/peers/database.hpp"
#include "commands.hpp"
#include "config/config.hpp"
#include "roles/common/role.hpp"

#include <filesystem>
#include <memory>

namespace lab::cli {

namespace {

constexpr std::chrono::seconds kStart{25};

struct DatabaseOptions {
  std::string config;
  int ready_fd = -1;
};

Result<void> serve(DatabaseConfig config, const DatabaseOptions& options, Context& context) {
  std::error_code failed;
  config.control = config.control.empty() ? "" : std::filesystem::absolute(config.control, failed).string();
  const auto folder = std::filesystem::absolute(options.config, failed).parent_path();
  std::filesystem::current_path(folder, failed);
  if (failed) {
    return system_error("enter " + folder.string(), failed.value());
  }
  const auto database = peers::Database::start(config, Clock::now() + kStart);
  if (!database) {
    return database.error();
  }
  roles::tell_ready(options.ready_fd, {(*database)->listening()});
  Result<void> running;
  roles::wait_until(
      context.interrupt, [&] { return !(running = (*database)->check_running()); }, (*database)->ended());
  return running;
}

}  // namespace

void add_database(CLI::App& root, Context& context) {
  auto options = std::make_shared<DatabaseOptions>();
  CLI::App* command = root.add_subcommand(
      "database", "PostgreSQL with one table of pages, in a cluster that is made in FILE's folder and removed at the end");
  command->add_option("-c,--config", options->config, "read everything from FILE (YAML or JSON)")->option_text("FILE")->required();
  command->add_option("--ready-fd", options->ready_fd, "descriptor to tell when it serves: one JSON line")->option_text("N");
  command->callback([options, &context] {
    const Result<std::string> text = config::read_file(options->config);
    const auto config = text ? config::parse_database(*text, options->config) : Result<DatabaseConfig, Errors>(Errors{text.error()});
    if (!config) {
      return context.fail(config.error());
    }
    if (const auto served = serve(*config, *options, context); !served) {
      context.fail(served.error());
    }
  });
}

}  // namespace lab::cli
