#include "service_options.hpp"

#include <sys/signalfd.h>
#include <unistd.h>
#include <charconv>
#include <csignal>
#include <optional>

namespace lab::cli {

namespace {

Error usage(std::string what, std::string remedy) { return {std::move(what), {}, std::move(remedy), {}, Failure::usage}; }

Result<void> append_endpoints(const std::vector<std::string>& texts, std::vector<Endpoint>& endpoints) {
  for (const std::string& text : texts) {
    Result<Endpoint> endpoint = to_endpoint(text);
    if (!endpoint) {
      return endpoint.error();
    }
    endpoints.push_back(std::move(*endpoint));
  }
  return {};
}

TlsVersion to_version(const std::string& text) { return text == "1.2" ? TlsVersion::tls1_2 : TlsVersion::tls1_3; }

}  // namespace

Result<Endpoint> to_endpoint(const std::string& text) {
  const auto colon = text.rfind(':');
  std::string host = text.substr(0, colon == std::string::npos ? 0 : colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  }
  std::uint16_t port = 0;
  const char* begin = text.data() + (colon == std::string::npos ? text.size() : colon + 1);
  const auto [end, bad] = std::from_chars(begin, text.data() + text.size(), port);
  if (host.empty() || bad != std::errc{} || end != text.data() + text.size()) {
    return usage("\"" + text + "\" is no address to listen on", "write HOST:PORT, for example 127.0.0.1:9080 or [::1]:9080");
  }
  return Endpoint{host, port};
}

void add_service_options(CLI::App& command, ServiceOptions& options, const std::string& plain, const std::string& tls,
                         const std::string& example_plain, const std::string& example_tls) {
  CLI::Option* config = command.add_option("-c,--config", options.config, "read everything from FILE (YAML or JSON)")->option_text("FILE");
  command.add_option("--ready-fd", options.ready_fd, "descriptor to tell when it serves: one JSON line")->option_text("N");
  const std::vector<CLI::Option*> others{
      command.add_option(plain, options.plain, "listen here, for example " + example_plain + "; may be repeated")->option_text("HOST:PORT"),
      command.add_option(tls, options.tls, "listen here with TLS, for example " + example_tls + "; may be repeated")
          ->option_text("HOST:PORT"),
      command.add_option("--cert", options.certificate, "PEM file: certificate, then its chain")->option_text("FILE"),
      command.add_option("--key", options.key, "PEM file: the certificate's key")->option_text("FILE"),
      command.add_option("--tls-min", options.tls_min, "lowest TLS version")->check(CLI::IsMember({"1.2", "1.3"}))->capture_default_str(),
      command.add_option("--tls-max", options.tls_max, "highest TLS version")->check(CLI::IsMember({"1.2", "1.3"}))->capture_default_str(),
      command.add_option("--ciphers", options.ciphers, "TLS 1.2 ciphers, as `openssl ciphers` writes them")->option_text("LIST"),
      command.add_option("--threads", options.threads, "threads; each has its own loop")->check(CLI::Range(1, 256))->capture_default_str(),
      command.add_option("--control", options.control, "control socket to make")->option_text("SOCKET"),
      command.add_option("--metrics", options.metrics, "serve OpenMetrics here, at /metrics")->option_text("HOST:PORT"),
  };
  for (CLI::Option* other : others) {
    config->excludes(other);
  }
}

Result<Service> to_service(const ServiceOptions& options, bool listens_elsewhere) {
  Service service;
  for (const bool tls : {false, true}) {
    if (const Result<void> read = append_endpoints(tls ? options.tls : options.plain, tls ? service.tls : service.plain); !read) {
      return read.error();
    }
  }
  if (service.plain.empty() && service.tls.empty() && !listens_elsewhere) {
    return usage("nowhere to listen", "give an address; --help lists the options");
  }
  if (!service.tls.empty() && (options.certificate.empty() || options.key.empty())) {
    return usage("TLS without a certificate", "give --cert FILE and --key FILE");
  }
  service.certificate = {options.certificate, options.key, to_version(options.tls_min), to_version(options.tls_max), options.ciphers};
  service.threads = options.threads;
  service.control = options.control;
  if (!options.metrics.empty()) {
    Result<Endpoint> metrics = to_endpoint(options.metrics);
    if (!metrics) {
      return metrics.error();
    }
    service.metrics = std::move(*metrics);
  }
  return service;
}

Result<std::unique_ptr<roles::MetricsServer>> start_metrics(const Service& service, const std::string& role, Context& context,
                                                            std::function<Result<std::string>()> text) {
  if (!service.metrics) {
    return std::unique_ptr<roles::MetricsServer>();
  }
  auto server = roles::MetricsServer::start(*service.metrics, std::move(text));
  if (server && !context.quiet) {
    context.err << role << ": metrics at " << (*server)->url() << std::endl;
  }
  return server;
}

Hangup::Hangup() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  fd_ = net::Fd(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
}

bool Hangup::taken() {
  signalfd_siginfo info{};
  return read(fd_.get(), &info, sizeof info) == sizeof info;
}

}  // namespace lab::cli
