// The gateway as a service: threads that share nothing, one writer of logs, a control socket.
#pragma once

#include "lab/error.hpp"
#include "lab/roles.hpp"
#include "roles/common/listeners.hpp"
#include "roles/common/metrics.hpp"
#include "roles/common/role.hpp"
#include "roles/gateway/worker.hpp"

#include <boost/json/fwd.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace lab::gateway {

using AuthenticatorFactory = std::function<Result<std::unique_ptr<Authenticator>>(net::Loop& loop, const DirectoryClient& settings)>;

struct ServiceOptions {
  AuthenticatorFactory authenticator = Authenticator::create;
  std::function<void(const Error&)> report = [](const Error&) {};  // what the operator must know; from any thread
};

class Service {
 public:
  // Everything is checked, then it listens. Port 0: the kernel's choice, see listening().
  static Result<std::unique_ptr<Service>> start(const GatewayConfig& config, const ServiceOptions& options = {});
  ~Service();  // drains

  std::vector<std::string> listening() const { return listening_; }  // "http://127.0.0.1:8080"
  // Reads certificate and key again; where they are bad the old ones stay.
  Result<void> reload_certificates();
  // Goes by the new settings for requests to come; none under way is lost. Listeners, threads, directory, logs and session limits
  // stay as they were at the start. On an error nothing changes.
  Result<void> reload(const GatewayConfig& config);
  // Stops accepting, ends the requests under way (30 s at most), writes the logs. Blocks.
  void drain();

  // docs/agent-protocol.md: stats, ping, logs.flush, junction.… From any thread.
  Result<boost::json::value> control(std::string_view method, const boost::json::object& params);
  Result<std::string> metrics();  // OpenMetrics

 private:
  Service(SitePtr site, const ServiceOptions& options);
  Result<void> prepare(const ServiceOptions& options);
  Result<void> prepare_workers(const ServiceOptions& options);
  Result<void> listen();
  SitePtr site();
  Result<void> publish(SitePtr site);
  Result<Statistics> sum_statistics();
  Result<boost::json::value> statistics();
  Result<boost::json::value> flush_logs();
  Result<boost::json::value> administer(std::string_view method, const boost::json::object& params);
  // Runs on every thread that still does; false: one did not answer in time.
  bool on_each(const std::function<void(Worker&)>& task);

  std::mutex administration_;  // held by whoever changes the site
  std::mutex site_mutex_;
  SitePtr site_;
  Shared shared_;
  std::unique_ptr<LogWriter> writer_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::string> listening_;
  roles::TlsContexts contexts_;  // of the workers
  std::unique_ptr<roles::ControlServer> control_;
  bool started_ = false;
};

}  // namespace lab::gateway
