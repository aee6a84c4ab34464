#include "commands.hpp"

#include "config/config.hpp"
#include "roles/common/role.hpp"
#include "roles/gateway/service.hpp"
#include "roles/peers/gateway.hpp"
#include "service_options.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>

namespace lab::cli {

namespace {

constexpr std::chrono::seconds kPeerStart{8};

struct GatewayOptions {
  ServiceOptions service;
  std::vector<std::string> junctions;  // TYPE:/POINT=HOST:PORT,…
  std::string directory;
  std::vector<std::string> open_paths;
  std::string request_log = "none";
  std::string basic = "both", forms = "none", pages;
  std::vector<std::string> trusted_proxies;
};

constexpr const char* kExamples = R"(Examples:
  lab gateway --http 127.0.0.1:8080 --junction tcp:/=127.0.0.1:9080
  lab gateway --https 127.0.0.1:8443 --cert server.pem --key server.key --threads 2
              --junction tcp:/app=127.0.0.1:9080,127.0.0.1:9081 --junction ssl:/shop=127.0.0.1:9443 --junction local:/pages
              --directory ldap://127.0.0.1:3890 --public /pages --request-log request.log
A file given with -c may have `kind: nginx` or `kind: haproxy`: that program then runs with the same junctions, in FILE's folder.
Without --directory everybody is let in. With it every path wants a login, but those given as --public.)";

Error bad_junction(const std::string& text, std::string why) {
  return {"--junction " + text + ": " + std::move(why),
          {},
          "write TYPE:/POINT=HOST:PORT,… with TYPE tcp or ssl, or local:/POINT",
          {},
          Failure::usage};
}

Result<Junction> to_junction(const std::string& text) {
  const auto colon = text.find(':');
  const auto equals = text.find('=');
  const std::string type = text.substr(0, colon);
  Junction junction;
  if (colon == std::string::npos || (type != "tcp" && type != "ssl" && type != "local")) {
    return bad_junction(text, "it has no type");
  }
  junction.type = type == "tcp" ? JunctionType::tcp : type == "ssl" ? JunctionType::ssl : JunctionType::local;
  junction.point = text.substr(colon + 1, equals == std::string::npos ? equals : equals - colon - 1);
  if (!junction.point.starts_with('/')) {
    return bad_junction(text, "its mount point does not begin with /");
  }
  if ((junction.type == JunctionType::local) != (equals == std::string::npos)) {
    return bad_junction(text, junction.type == JunctionType::local ? "a local junction has no servers" : "it has no servers");
  }
  for (std::size_t at = equals; at != std::string::npos;) {
    const auto comma = text.find(',', at + 1);
    const std::string address = text.substr(at + 1, comma == std::string::npos ? comma : comma - at - 1);
    const Result<Endpoint> server = to_endpoint(address);
    if (!server) {
      return bad_junction(text, "\"" + address + "\" is no server");
    }
    junction.servers.push_back(*server);
    at = comma;
  }
  return junction;
}

BasicAuthentication to_transport(const std::string& word) {
  return word == "http"    ? BasicAuthentication::http
         : word == "https" ? BasicAuthentication::https
         : word == "both"  ? BasicAuthentication::both
                           : BasicAuthentication::none;
}

Result<GatewayConfig> to_config(const GatewayOptions& options) {
  GatewayConfig config;
  Result<Service> service = to_service(options.service);
  if (!service) {
    return service.error();
  }
  config.service = std::move(*service);
  if (options.junctions.empty()) {
    return Error{"the gateway has no junction", {}, "give --junction, for example --junction tcp:/=127.0.0.1:9080", {}, Failure::usage};
  }
  for (const std::string& text : options.junctions) {
    Result<Junction> junction = to_junction(text);
    if (!junction) {
      return junction.error();
    }
    config.junctions.push_back(std::move(*junction));
  }
  config.directory.url = options.directory;
  for (const std::string& path : options.open_paths) {
    config.access.push_back({path, AccessRule::Who::everybody, {}, {}});
  }
  config.logs.request = options.request_log == "none" ? "" : options.request_log;
  config.basic = to_transport(options.basic);
  config.forms = to_transport(options.forms);
  config.pages = options.pages;
  config.trusted_proxies = options.trusted_proxies;
  return config;
}

Result<GatewayConfig, Errors> read_config(const GatewayOptions& options) {
  if (options.service.config.empty()) {
    Result<GatewayConfig> config = to_config(options);
    return config ? Result<GatewayConfig, Errors>(std::move(*config)) : Errors{config.error()};
  }
  const Result<std::string> text = config::read_file(options.service.config);
  return text ? config::parse_gateway(*text, options.service.config) : Errors{text.error()};
}

// SIGHUP: the certificate, and all that the file may change while the gateway runs.
void reload(gateway::Service& service, const GatewayOptions& options, const std::function<void(const std::string&)>& say) {
  const Result<void> certificates = service.reload_certificates();
  say(certificates ? "certificate read again" : "the old certificate stays: " + to_string(certificates.error()));
  if (options.service.config.empty()) {
    return;
  }
  const Result<GatewayConfig, Errors> config = read_config(options);
  if (!config) {
    for (const Error& error : config.error()) {
      say("the old settings stay: " + to_string(error));
    }
    return;
  }
  const Result<void> reloaded = service.reload(*config);
  say(reloaded ? "settings read again" : "the old settings stay: " + to_string(reloaded.error()));
}

Result<void> serve(const GatewayConfig& config, const GatewayOptions& options, Context& context) {
  Hangup hangup;
  std::mutex printing;
  const auto say = [&](const std::string& text) {
    const std::lock_guard lock(printing);
    context.err << "gateway: " << text << std::endl;
  };
  gateway::ServiceOptions service_options;
  service_options.report = [&say](const Error& error) { say(to_string(error)); };
  Result<std::unique_ptr<gateway::Service>> started = gateway::Service::start(config, std::move(service_options));
  if (!started) {
    return started.error();
  }
  gateway::Service& service = **started;
  const auto metrics = start_metrics(config.service, "gateway", context, [&service] { return service.metrics(); });
  if (!metrics) {
    return metrics.error();
  }
  for (const std::string& url : service.listening()) {
    if (!context.quiet) {
      say("listening on " + url);
    }
  }
  roles::tell_ready(options.service.ready_fd, service.listening());
  roles::wait_until(
      context.interrupt,
      [&] {
        if (hangup.taken()) {
          reload(service, options, say);
        }
        return false;
      },
      hangup.fd());
  service.drain();
  return {};
}

// The program works in the folder of its configuration, so other files are named from the root.
Result<void> enter_folder(GatewayConfig& config, const std::string& file) {
  std::error_code failed;
  for (std::string* path : {&config.service.certificate.certificate, &config.service.certificate.key, &config.service.control,
                            &config.logs.request, &config.logs.agent, &config.logs.referer}) {
    *path = path->empty() ? "" : std::filesystem::absolute(*path, failed).string();
  }
  for (Junction& junction : config.junctions) {
    junction.server_ca = junction.server_ca.empty() ? "" : std::filesystem::absolute(junction.server_ca, failed).string();
  }
  const auto folder = std::filesystem::absolute(file, failed).parent_path();
  std::filesystem::current_path(folder, failed);
  return failed ? system_error("enter " + folder.string(), failed.value()) : Result<void>();
}

Result<void> serve_peer(GatewayConfig config, const GatewayOptions& options, Context& context) {
  if (auto entered = enter_folder(config, options.service.config); !entered) {
    return entered;
  }
  const auto gateway = peers::PeerGateway::start(config, Clock::now() + kPeerStart);
  if (!gateway) {
    return gateway.error();
  }
  roles::tell_ready(options.service.ready_fd, (*gateway)->listening(), (*gateway)->openssl_cpu());
  Result<void> running;
  roles::wait_until(
      context.interrupt, [&] { return !(running = (*gateway)->check_running()); }, (*gateway)->ended());
  return running;
}

}  // namespace

void add_gateway(CLI::App& root, Context& context) {
  auto options = std::make_shared<GatewayOptions>();
  CLI::App* command = root.add_subcommand("gateway", "the secured web gateway: HTTP and HTTPS, junctions, logins, access rules, logs");
  command->footer(kExamples);
  add_service_options(*command, options->service, "--http", "--https", "127.0.0.1:8080", "127.0.0.1:8443");
  CLI::Option* config = command->get_option("--config");
  const std::vector<CLI::Option*> others{
      command->add_option("--junction", options->junctions, "mount servers, or local pages, at a point; may be repeated")
          ->option_text("TYPE:/POINT=HOST:PORT[,HOST:PORT]")
          ->allow_extra_args(false),
      command->add_option("--directory", options->directory, "ask this LDAP server who a user is: ldap://HOST:PORT")->option_text("URL"),
      command->add_option("--public", options->open_paths, "let everybody in at this path and below; may be repeated")
          ->option_text("PATH")
          ->allow_extra_args(false),
      command->add_option("--request-log", options->request_log, "write request.log in common log format")->option_text("FILE|none"),
      command->add_option("--basic", options->basic, "where basic login is offered")
          ->check(CLI::IsMember({"none", "http", "https", "both"}))
          ->capture_default_str(),
      command->add_option("--forms", options->forms, "where login by form is offered")
          ->check(CLI::IsMember({"none", "http", "https", "both"}))
          ->capture_default_str(),
      command->add_option("--pages", options->pages, "files that replace the gateway's own pages: login.html, 403.html, …")
          ->option_text("DIR"),
      command->add_option("--trusted-proxy", options->trusted_proxies, "believe the X-Forwarded-* of this network; may be repeated")
          ->option_text("NETWORK")
          ->allow_extra_args(false),
  };
  for (CLI::Option* other : others) {
    config->excludes(other);
  }
  command->callback([options, &context] {
    const Result<GatewayConfig, Errors> read = read_config(*options);
    if (!read) {
      return context.fail(read.error());
    }
    const Result<void> served = read->software == Software::lab ? serve(*read, *options, context) : serve_peer(*read, *options, context);
    if (!served) {
      context.fail(served.error());
    }
  });
}

}  // namespace lab::cli
