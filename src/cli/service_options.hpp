// What the roles that serve have in common on the command line: listeners, certificate, threads, control socket, signals.
#pragma once

#include "command.hpp"
#include "lab/roles.hpp"
#include "net/socket.hpp"
#include "roles/common/metrics.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lab::cli {

struct ServiceOptions {
  std::string config;  // -c FILE; excludes all but ready_fd
  int ready_fd = -1;
  std::vector<std::string> plain, tls;  // HOST:PORT
  std::string certificate, key, tls_min = "1.2", tls_max = "1.3", ciphers, control, metrics;
  int threads = 1;
};

// `plain` and `tls` are the options' names, for example "--http" and "--https"; their defaults are for the help text.
void add_service_options(CLI::App& command, ServiceOptions& options, const std::string& plain, const std::string& tls,
                         const std::string& example_plain, const std::string& example_tls);

Result<Endpoint> to_endpoint(const std::string& text);  // HOST:PORT, [::1]:PORT

// Errors: no listener, a malformed address, TLS without certificate and key, an unknown version.
// `listens_elsewhere`: no listener here is no error.
Result<Service> to_service(const ServiceOptions& options, bool listens_elsewhere = false);

// Serves what `text` gives at service.metrics and says where on standard error; null where the service wants none.
Result<std::unique_ptr<roles::MetricsServer>> start_metrics(const Service& service, const std::string& role, Context& context,
                                                            std::function<Result<std::string>()> text);

// SIGHUP as something to look at. Made before any thread is, since it blocks the signal for the process.
class Hangup {
 public:
  Hangup();
  bool taken();                         // whether it came since the last look
  int fd() const { return fd_.get(); }  // readable when it came

 private:
  net::Fd fd_;
};

}  // namespace lab::cli
