#include "commands.hpp"

#include "config/config.hpp"
#include "roles/common/role.hpp"
#include "roles/directory/service.hpp"
#include "service_options.hpp"

#include <boost/json.hpp>
#include <memory>

namespace lab::cli {

namespace {

constexpr std::chrono::seconds kDrain{10};

constexpr const char* kExamples =
    "Examples:\n"
    "  lab directory --ldap 127.0.0.1:3890 --users 1000\n"
    "  ldapsearch -x -H ldap://127.0.0.1:3890 -b dc=lab '(uid=user000001)'\n"
    "  ldapwhoami -x -H ldap://127.0.0.1:3890 -D uid=user000001,ou=people,dc=lab -w secret000001\n"
    "  lab directory --ldaps 127.0.0.1:6360 --cert server.pem --key server.key --ldif people.ldif";

struct DirectoryOptions {
  ServiceOptions service;
  std::string ldif;
  unsigned users = 0;
};

boost::json::object to_json(const directory::Totals& totals) {
  boost::json::object results;
  for (const auto& [code, count] : totals.results) {
    results[std::to_string(code)] = count;
  }
  return {{"binds", totals.binds}, {"searches", totals.searches}, {"results", results}, {"connections", totals.connections}};
}

Result<boost::json::value> answer(const directory::Service& service, std::string_view method) {
  if (method == "stats") {
    return to_json(service.totals());
  }
  if (method == "ping") {
    return boost::json::object{};
  }
  return Error{"no such method", std::string(method), "directory answers stats and ping"};
}

Result<DirectoryConfig, Errors> read_config(const DirectoryOptions& options) {
  if (!options.service.config.empty()) {
    const Result<std::string> text = config::read_file(options.service.config);
    return text ? config::parse_directory(*text, options.service.config) : Errors{text.error()};
  }
  if (options.ldif.empty() == (options.users == 0)) {
    return Errors{Error{"no entries to serve", {}, "give --ldif FILE or --users N", {}, Failure::usage}};
  }
  const Result<Service> service = to_service(options.service);
  return service ? Result<DirectoryConfig, Errors>(DirectoryConfig{*service, options.ldif, options.users}) : Errors{service.error()};
}

Result<void> serve(const DirectoryConfig& config, int ready_fd, Context& context) {
  Hangup hangup;
  const Result<std::unique_ptr<directory::Service>> started = directory::Service::start(config);
  if (!started) {
    return started.error();
  }
  directory::Service& service = **started;
  Result<std::unique_ptr<roles::ControlServer>> control = std::unique_ptr<roles::ControlServer>();
  if (!config.service.control.empty()) {
    control = roles::ControlServer::start(
        config.service.control, [&service](std::string_view method, const boost::json::object&) { return answer(service, method); });
    if (!control) {
      return control.error();
    }
  }
  if (!context.quiet) {
    for (const std::string& url : service.listening()) {
      context.err << "directory: " << service.entries() << " entries on " << url << std::endl;
    }
  }
  roles::tell_ready(ready_fd, service.listening());
  roles::wait_until(
      context.interrupt,
      [&] {
        if (hangup.taken()) {
          const Result<void> reloaded = service.reload_certificate();
          context.err << "directory: "
                      << (reloaded ? "certificate read again" : "the old certificate stays: " + to_string(reloaded.error())) << std::endl;
        }
        return false;
      },
      hangup.fd());
  service.drain(kDrain);
  return {};
}

}  // namespace

void add_directory(CLI::App& root, Context& context) {
  auto options = std::make_shared<DirectoryOptions>();
  CLI::App* command = root.add_subcommand("directory", "the LDAP directory: users and groups from an LDIF file, or generated");
  command->footer(kExamples);
  add_service_options(*command, options->service, "--ldap", "--ldaps", "127.0.0.1:3890", "127.0.0.1:6360");
  CLI::Option* ldif = command->add_option("--ldif", options->ldif, "serve the entries of this LDIF file")->option_text("FILE");
  CLI::Option* users =
      command->add_option("--users", options->users, "serve user000001 … with secret000001 … under dc=lab, and group0 … group9")
          ->option_text("N")
          ->check(CLI::Range(1, 10'000'000));
  ldif->excludes(users);
  command->get_option("--config")->excludes(ldif)->excludes(users);
  command->callback([options, &context] {
    const Result<DirectoryConfig, Errors> config = read_config(*options);
    if (!config) {
      return context.fail(config.error());
    }
    if (const Result<void> served = serve(*config, options->service.ready_fd, context); !served) {
      context.fail(served.error());
    }
  });
}

}  // namespace lab::cli
