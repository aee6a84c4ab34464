#include "roles/guest/guest.hpp"

#include "commands.hpp"
#include "config/config.hpp"
#include "roles/common/role.hpp"

#include <boost/json.hpp>
#include <memory>

namespace lab::cli {

namespace {

struct GuestOptions {
  std::string config;
  int ready_fd = -1;
};

Result<void> serve(const GuestConfig& config, int ready_fd, Context& context) {
  const guest::Guest guest(config);
  std::unique_ptr<roles::ControlServer> control;
  if (!config.control.empty()) {
    auto started = roles::ControlServer::start(config.control, [](std::string_view method, const boost::json::object&) {
      return method == "ping" || method == "stats" ? Result<boost::json::value>(boost::json::object{})
                                                   : Error{"no such method", std::string(method), "a guest answers stats and ping", {}};
    });
    if (!started) {
      return started.error();
    }
    control = std::move(*started);
  }
  roles::tell_ready(ready_fd, {});
  roles::wait_until(
      context.interrupt, [&] { return guest.over(); }, guest.ended());
  return {};
}

}  // namespace

void add_guest(CLI::App& root, Context& context) {
  auto options = std::make_shared<GuestOptions>();
  CLI::App* command = root.add_subcommand("guest", "a guest that wants CPU, for the axis `busy`: threads that do nothing but run");
  command->add_option("-c,--config", options->config, "read `threads` and `duration` from FILE (YAML or JSON)")
      ->option_text("FILE")
      ->required();
  command->add_option("--ready-fd", options->ready_fd, "descriptor to tell when it runs: one JSON line")->option_text("N");
  command->callback([options, &context] {
    const Result<std::string> text = config::read_file(options->config);
    const auto config = text ? config::parse_guest(*text, options->config) : Result<GuestConfig, Errors>(Errors{text.error()});
    if (!config) {
      return context.fail(config.error());
    }
    if (const auto served = serve(*config, options->ready_fd, context); !served) {
      context.fail(served.error());
    }
  });
}

}  // namespace lab::cli
