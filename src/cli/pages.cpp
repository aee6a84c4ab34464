#include "commands.hpp"

#include "config/config.hpp"
#include "lab/units.hpp"
#include "roles/common/role.hpp"
#include "roles/pages/service.hpp"
#include "service_options.hpp"

#include <boost/json.hpp>
#include <memory>

namespace lab::cli {

namespace {

constexpr std::chrono::seconds kDrain{10};

boost::json::object to_json(const pages::Totals& totals) {
  return {{"requests", totals.requests},       {"pages", totals.pages},           {"bytes", totals.bytes},
          {"connections", totals.connections}, {"handshakes", totals.handshakes}, {"database_reads", totals.database_reads}};
}

std::string metrics_of(const pages::Totals& totals) {
  roles::MetricsText text;
  text.counter("pages_requests", "Requests whose head was read.").sample(totals.requests);
  text.counter("pages_pages", "Pages served.").sample(totals.pages);
  text.counter("pages_body_bytes", "Bytes of page bodies.").sample(totals.bytes);
  text.counter("pages_connections", "Connections accepted.").sample(totals.connections);
  text.counter("pages_tls_handshakes", "TLS handshakes that succeeded.").sample(totals.handshakes);
  return text.finish();
}

Result<boost::json::value> answer(const pages::Service& service, std::string_view method) {
  if (method == "stats") {
    return to_json(service.totals());
  }
  if (method == "ping") {
    return boost::json::object{};
  }
  return Error{"no such method", std::string(method), "pages answers stats and ping", {}};
}

struct Options : ServiceOptions {
  std::string delay;
};

Result<PagesConfig, Errors> from_options(const Options& options) {
  const Result<Service> service = to_service(options);
  if (!service) {
    return Errors{service.error()};
  }
  PagesConfig config{*service};
  if (!options.delay.empty()) {
    const auto delay = parse_duration(options.delay);
    if (!delay || *delay > kLongestPageDelay) {
      return Errors{
          {"\"" + options.delay + "\" is no delay of a page", "--delay", "write for example 1ms; at most 10s", {}, Failure::usage}};
    }
    config.delay = *delay;
  }
  return config;
}

Result<PagesConfig, Errors> read_config(const Options& options) {
  if (options.config.empty()) {
    return from_options(options);
  }
  const Result<std::string> text = config::read_file(options.config);
  return text ? config::parse_pages(*text, options.config) : Errors{text.error()};
}

Result<void> serve(const PagesConfig& config, int ready_fd, Context& context) {
  Hangup hangup;
  Result<std::unique_ptr<pages::Service>> service = pages::Service::start(config);
  if (!service) {
    return service.error();
  }
  std::unique_ptr<roles::ControlServer> control;
  if (!config.service.control.empty()) {
    Result<std::unique_ptr<roles::ControlServer>> started = roles::ControlServer::start(
        config.service.control,
        [&pages = **service](std::string_view method, const boost::json::object&) { return answer(pages, method); });
    if (!started) {
      return started.error();
    }
    control = std::move(*started);
  }
  const auto metrics = start_metrics(config.service, "pages", context, [&pages = **service] { return metrics_of(pages.totals()); });
  if (!metrics) {
    return metrics.error();
  }
  for (const std::string& url : (*service)->listening()) {
    if (!context.quiet) {
      context.err << "pages: listening on " << url << std::endl;
    }
  }
  roles::tell_ready(ready_fd, (*service)->listening());
  roles::wait_until(
      context.interrupt,
      [&] {
        if (hangup.taken()) {
          const Result<void> reloaded = (*service)->reload_certificate();
          context.err << "pages: " << (reloaded ? "certificate read again" : "the old certificate stays: " + to_string(reloaded.error()))
                      << std::endl;
        }
        return false;
      },
      hangup.fd());
  (*service)->drain(kDrain);
  return {};
}

}  // namespace

void add_pages(CLI::App& root, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      root.add_subcommand("pages", "the back-end page server: GET /page/5.8KB answers exactly that many bytes, /echo the request");
  add_service_options(*command, *options, "--http", "--https", "127.0.0.1:9080", "127.0.0.1:9443");
  command->add_option("--delay", options->delay, "before each page, as of a slow application")->type_name("TIME")->excludes("--config");
  command->callback([options, &context] {
    const Result<PagesConfig, Errors> config = read_config(*options);
    if (!config) {
      return context.fail(config.error());
    }
    if (const Result<void> served = serve(*config, options->ready_fd, context); !served) {
      context.fail(served.error());
    }
  });
}

}  // namespace lab::cli
