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
    "  lab directory --ldaps 127.0.0.1:6360 --cert server.pem --key server.key --ldif people.ldif\n"
    "  lab directory --ldap 127.0.0.1:3890 --ldif people.ldif --admin cn=admin,dc=lab --admin-password-file secret --save people.ldif\n"
    "  lab directory --ldap 127.0.0.1:3890 --users 1000 --faults faults.yaml     # slow, busy, gone: as the file says; SIGHUP reads it "
    "again";

struct DirectoryOptions {
  ServiceOptions service;
  std::string ldif, ldapi, admin, admin_password_file, save, faults;
  unsigned users = 0;
  int connections = DirectoryConfig{}.connections;
};

boost::json::object to_json(const directory::Totals& totals) {
  boost::json::object results;
  for (const auto& [code, count] : totals.results) {
    results[std::to_string(code)] = count;
  }
  return {{"binds", totals.binds}, {"searches", totals.searches}, {"results", results}, {"connections", totals.connections}};
}

Error first_of(const Errors& errors) { return errors.empty() ? Error{"no faults", {}, {}} : errors.front(); }

std::string metrics_of(const directory::Totals& totals) {
  roles::MetricsText text;
  text.counter("directory_binds", "Bind requests.").sample(totals.binds);
  text.counter("directory_searches", "Search requests.").sample(totals.searches);
  text.counter("directory_results", "Answers, by result code.");
  for (const auto& [code, count] : totals.results) {
    text.sample(count, roles::MetricsText::label("code", std::to_string(code)));
  }
  text.counter("directory_connections", "Connections accepted.").sample(totals.connections);
  return text.finish();
}

Result<boost::json::value> answer(directory::Service& service, std::string_view method, const boost::json::object& params) {
  if (method == "stats") {
    return to_json(service.totals());
  }
  if (method == "ping") {
    return boost::json::object{};
  }
  if (method == "faults") {
    const Result<std::vector<Fault>, Errors> faults = config::parse_faults(boost::json::serialize(params), "faults");
    if (!faults) {
      return first_of(faults.error());
    }
    service.set_faults(*faults);
    return boost::json::object{{"faults", faults->size()}};
  }
  return Error{"no such method", std::string(method), "directory answers stats, ping and faults"};
}

Result<std::vector<Fault>, Errors> read_faults(const std::string& path) {
  const Result<std::string> text = config::read_file(path);
  return text ? config::parse_faults(*text, path) : Errors{text.error()};
}

Result<Administrator> read_administrator(const DirectoryOptions& options) {
  Administrator admin{options.admin, {}};
  if (!options.admin_password_file.empty()) {
    Result<std::string> text = config::read_file(options.admin_password_file);
    if (!text) {
      return text.error();
    }
    admin.password = text->substr(0, text->find('\n'));
  }
  return admin;
}

Result<DirectoryConfig, Errors> read_config(const DirectoryOptions& options) {
  if (!options.service.config.empty()) {
    const Result<std::string> text = config::read_file(options.service.config);
    return text ? config::parse_directory(*text, options.service.config) : Errors{text.error()};
  }
  if (options.ldif.empty() == (options.users == 0)) {
    return Errors{Error{"no entries to serve", {}, "give --ldif FILE or --users N", {}, Failure::usage}};
  }
  const Result<Service> service = to_service(options.service, !options.ldapi.empty());
  const Result<Administrator> admin = read_administrator(options);
  if (!service || !admin) {
    return Errors{service ? admin.error() : service.error()};
  }
  DirectoryConfig config{*service, options.ldif, options.users, options.ldapi, *admin, options.save, options.connections, {}};
  if (!options.faults.empty()) {
    Result<std::vector<Fault>, Errors> faults = read_faults(options.faults);
    if (!faults) {
      return faults.error();
    }
    config.faults = std::move(*faults);
  }
  return config;
}

// On SIGHUP: certificates, and what goes wrong on purpose.
void reload(directory::Service& service, const std::string& faults_file, Context& context) {
  const Result<void> reloaded = service.reload_certificate();
  context.err << "directory: " << (reloaded ? "certificate read again" : "the old certificate stays: " + to_string(reloaded.error()))
              << std::endl;
  if (faults_file.empty()) {
    return;
  }
  const Result<std::vector<Fault>, Errors> faults = read_faults(faults_file);
  if (faults) {
    service.set_faults(*faults);
  }
  context.err << "directory: " << (faults ? "faults read again" : "the old faults stay: " + to_string(first_of(faults.error())))
              << std::endl;
}

Result<void> serve(const DirectoryConfig& config, const std::string& faults_file, int ready_fd, Context& context) {
  Hangup hangup;
  const Result<std::unique_ptr<directory::Service>> started = directory::Service::start(config);
  if (!started) {
    return started.error();
  }
  directory::Service& service = **started;
  Result<std::unique_ptr<roles::ControlServer>> control = std::unique_ptr<roles::ControlServer>();
  if (!config.service.control.empty()) {
    control = roles::ControlServer::start(config.service.control, [&service](std::string_view method, const boost::json::object& params) {
      return answer(service, method, params);
    });
    if (!control) {
      return control.error();
    }
  }
  const auto metrics = start_metrics(config.service, "directory", context, [&service] { return metrics_of(service.totals()); });
  if (!metrics) {
    return metrics.error();
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
          reload(service, faults_file, context);
        }
        return false;
      },
      hangup.fd());
  service.drain(kDrain);
  return config.save.empty() ? Result<void>() : service.save(config.save);
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
  CLI::Option* config_file = command->get_option("--config")->excludes(ldif)->excludes(users);
  CLI::Option* admin =
      command->add_option("--admin", options->admin, "who may write and sees passwords, for example cn=admin,dc=lab")->option_text("DN");
  const std::vector<CLI::Option*> others{
      admin,
      command
          ->add_option("--admin-password-file", options->admin_password_file,
                       "its password: the file's first line; without, the entry's own")
          ->option_text("FILE")
          ->needs(admin),
      command->add_option("--ldapi", options->ldapi, "listen on a Unix socket as well; SASL EXTERNAL is offered there")
          ->option_text("SOCKET"),
      command->add_option("--save", options->save, "write all entries to this LDIF file at the end")->option_text("FILE"),
      command->add_option("--connections", options->connections, "connections a thread; further ones are told `busy`")
          ->check(CLI::Range(1, 1'000'000))
          ->capture_default_str(),
      command->add_option("--faults", options->faults, "what goes wrong on purpose (docs/directory.md); read again on SIGHUP")
          ->option_text("FILE"),
  };
  for (CLI::Option* other : others) {
    config_file->excludes(other);
  }
  command->callback([options, &context] {
    const Result<DirectoryConfig, Errors> config = read_config(*options);
    if (!config) {
      return context.fail(config.error());
    }
    if (const Result<void> served = serve(*config, options->faults, options->service.ready_fd, context); !served) {
      context.fail(served.error());
    }
  });
}

}  // namespace lab::cli
