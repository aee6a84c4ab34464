#include "roles/gateway/service.hpp"

#include <sys/resource.h>
#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace lab::gateway {

namespace {

constexpr std::size_t kMaxConnections = 20'000;
constexpr std::size_t kSpareDescriptors = 256;  // for everything but clients and their back ends
constexpr std::chrono::seconds kControlPatience{5};

// As many descriptors as the process may have; a client may need two.
std::size_t affordable_connections() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  const std::size_t descriptors = limit.rlim_cur == RLIM_INFINITY ? 1U << 20U : static_cast<std::size_t>(limit.rlim_cur);
  return std::min(kMaxConnections, descriptors > 2 * kSpareDescriptors ? (descriptors - kSpareDescriptors) / 2 : descriptors / 4);
}

// Waits for answers that threads give, each once.
class Answers {
 public:
  explicit Answers(std::size_t count) : missing_(count) {}
  void one() {
    const std::lock_guard lock(mutex_);
    --missing_;
    all_.notify_all();
  }
  bool wait(std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    return all_.wait_until(lock, deadline, [this] { return missing_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_;
  std::size_t missing_;
};

Error usage(std::string what, std::string remedy) { return {std::move(what), {}, std::move(remedy), {}, Failure::usage}; }

}  // namespace

Service::Service(SitePtr site, const ServiceOptions& options) : site_(std::move(site)), shared_(site_->config, options.report) {}

Result<std::unique_ptr<Service>> Service::start(const GatewayConfig& config, const ServiceOptions& options) {
  Result<SitePtr> site = Site::create(config);
  if (!site) {
    return site.error();
  }
  std::unique_ptr<Service> service(new Service(std::move(*site), options));
  if (const Result<void> prepared = service->prepare(options); !prepared) {
    return prepared.error();
  }
  return service;
}

Result<void> Service::prepare(const ServiceOptions& options) {
  const lab::Service& settings = site_->config.service;
  if (settings.plain.empty() && settings.tls.empty()) {
    return usage("the gateway has no listener", "give --http or --https, or service keys http: or https:");
  }
  if (!settings.tls.empty() && (settings.certificate.certificate.empty() || settings.certificate.key.empty())) {
    return usage("HTTPS needs a certificate and its key", "give --cert FILE and --key FILE");
  }
  Result<roles::TlsContexts> contexts = roles::make_contexts(settings);
  if (!contexts) {
    return contexts.error();
  }
  contexts_ = std::move(*contexts);
  Result<std::unique_ptr<LogWriter>> writer = LogWriter::open(site_->config.logs, options.report);
  if (!writer) {
    return writer.error();
  }
  writer_ = std::move(*writer);
  if (Result<void> made = prepare_workers(options); !made) {
    return made;
  }
  if (Result<void> listens = listen(); !listens) {
    return listens;
  }
  if (!settings.control.empty()) {
    auto control = roles::ControlServer::start(
        settings.control, [this](std::string_view method, const boost::json::object& params) { return this->control(method, params); });
    if (!control) {
      return control.error();
    }
    control_ = std::move(*control);
  }
  workers_.front()->watch_servers();
  started_ = true;
  for (const auto& worker : workers_) {
    worker->start();
  }
  return {};
}

Result<void> Service::prepare_workers(const ServiceOptions& options) {
  const auto threads = static_cast<std::size_t>(std::max(site_->config.service.threads, 1));
  const std::size_t share = std::max<std::size_t>(affordable_connections() / threads, 1);
  std::vector<Worker*> peers;
  for (std::size_t i = 0; i < threads; ++i) {
    workers_.push_back(std::make_unique<Worker>(site_, shared_, *writer_, share));
    workers_.back()->set_tls(contexts_.empty() ? nullptr : contexts_[i]);
    peers.push_back(workers_.back().get());
    if (!site_->config.directory.url.empty()) {
      Result<std::unique_ptr<Authenticator>> authenticator = options.authenticator(workers_.back()->loop(), site_->config.directory);
      if (!authenticator) {
        return authenticator.error();
      }
      workers_.back()->set_authenticator(std::move(*authenticator));
    }
  }
  for (const auto& worker : workers_) {
    worker->set_peers(peers);
  }
  return {};
}

Result<void> Service::listen() {
  Result<roles::Listeners> listeners = roles::open_listeners(site_->config.service, "http", "https");
  if (!listeners) {
    return listeners.error();
  }
  listening_ = std::move(listeners->urls);
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    for (roles::Listening& listener : listeners->of_threads[i]) {
      workers_[i]->add_listener(std::move(listener.socket), listener.tls);
    }
  }
  return {};
}

Result<void> Service::reload_certificates() {
  Result<roles::TlsContexts> fresh = roles::make_contexts(site_->config.service, contexts_);
  if (!fresh) {
    return fresh.error();
  }
  contexts_ = std::move(*fresh);
  for (std::size_t i = 0; i < contexts_.size(); ++i) {
    workers_[i]->loop().call([&] { workers_[i]->set_tls(contexts_[i]); });
  }
  return {};
}

Service::~Service() { drain(); }

// In two steps, since a thread may hand an accepted connection to another one as long as it listens.
void Service::drain() {
  control_.reset();
  if (!std::exchange(started_, false)) {
    return;
  }
  on_each([](Worker& worker) { worker.stop_listening(); });
  for (const auto& worker : workers_) {
    worker->loop().post([&worker = *worker] { worker.drain(); });
  }
  for (const auto& worker : workers_) {
    worker->join();
  }
  writer_->wait_until_written(std::chrono::steady_clock::now() + kControlPatience);
}

bool Service::on_each(const std::function<void(Worker&)>& task) {
  const auto answers = std::make_shared<Answers>(workers_.size());
  for (const auto& worker : workers_) {
    worker->loop().post([&worker = *worker, answers, task] {
      task(worker);
      answers->one();
    });
  }
  return answers->wait(std::chrono::steady_clock::now() + kControlPatience);
}

SitePtr Service::site() {
  const std::lock_guard lock(site_mutex_);
  return site_;
}

// Returns once every thread goes by it.
Result<void> Service::publish(SitePtr site) {
  {
    const std::lock_guard lock(site_mutex_);
    site_ = site;
  }
  if (!on_each([site](Worker& worker) { worker.adopt_site(site); })) {
    return Error{"a thread of the gateway did not answer in time", {}, "see whether its CPU limit starves it", {}};
  }
  return {};
}

Result<void> Service::reload(const GatewayConfig& config) {
  const std::lock_guard lock(administration_);
  Result<SitePtr> next = Site::create(config, site().get());
  return next ? publish(std::move(*next)) : next.error();
}

Result<boost::json::value> Service::control(std::string_view method, const boost::json::object& params) {
  if (method == "ping") {
    return boost::json::value(boost::json::object{});
  }
  if (method == "stats") {
    return statistics();
  }
  if (method == "logs.flush") {
    return flush_logs();
  }
  if (method.starts_with("junction.")) {
    return administer(method, params);
  }
  return Error{"no such method", std::string(method), "the gateway answers stats, ping, logs.flush and junction.…", {}};
}

Result<Statistics> Service::sum_statistics() {
  struct Sum {
    std::mutex mutex;
    Statistics all;
  };
  const auto sum = std::make_shared<Sum>();
  const bool complete = on_each([sum](Worker& worker) {
    const std::lock_guard lock(sum->mutex);
    sum->all += worker.statistics();
  });
  if (!complete) {
    return Error{"a thread of the gateway did not answer in time", "stats", "see whether its CPU limit starves it", {}};
  }
  const std::lock_guard lock(sum->mutex);
  return sum->all;
}

Result<boost::json::value> Service::statistics() {
  const Result<Statistics> sum = sum_statistics();
  if (!sum) {
    return sum.error();
  }
  boost::json::object responses;
  for (std::size_t status = 0; status < sum->responses.size(); ++status) {
    if (sum->responses[status] > 0) {
      responses[std::to_string(status)] = sum->responses[status];
    }
  }
  return boost::json::value(boost::json::object{{"requests", sum->requests},
                                                {"responses", std::move(responses)},
                                                {"retries", sum->retries},
                                                {"backend_requests", sum->backend_requests},
                                                {"logins", sum->logins},
                                                {"sessions", shared_.sessions.size()},
                                                {"connections", sum->connections},
                                                {"log_lines", sum->log_lines},
                                                {"log_errors", writer_->errors()}});
}

Result<std::string> Service::metrics() {
  const Result<Statistics> sum = sum_statistics();
  if (!sum) {
    return sum.error();
  }
  using roles::MetricsText;
  MetricsText text;
  text.counter("gateway_responses", "Requests answered, by status; 499: the client left before.");
  for (std::size_t status = 0; status < sum->responses.size(); ++status) {
    if (sum->responses[status] > 0) {
      text.sample(sum->responses[status], MetricsText::label("status", std::to_string(status)));
    }
  }
  text.counter("gateway_retries", "Requests sent again on a fresh connection.").sample(sum->retries);
  text.counter("gateway_logins", "Logins granted.").sample(sum->logins);
  text.counter("gateway_connections", "Client connections accepted.").sample(sum->connections);
  std::size_t open = 0;
  for (const auto& worker : workers_) {
    open += worker->open_connections();
  }
  text.gauge("gateway_open_connections", "Client connections that are open.").sample(open);
  text.gauge("gateway_sessions", "Sessions of users.").sample(shared_.sessions.size());
  text.counter("gateway_log_lines", "Lines of request.log.").sample(sum->log_lines);
  text.counter("gateway_lost_log_lines", "Lines that no log could take.").sample(writer_->errors());
  const SitePtr current = site();
  text.gauge("gateway_junction_active", "Requests under way in a junction.");
  for (const MountPtr& mount : current->junctions.all()) {
    text.sample(mount->status->active.load(), MetricsText::label("junction", mount->name));
  }
  text.counter("gateway_junction_refused", "Requests above a junction's hard limit.");
  for (const MountPtr& mount : current->junctions.all()) {
    text.sample(mount->status->refused.load(), MetricsText::label("junction", mount->name));
  }
  text.counter("gateway_server_requests", "Requests sent to a server.");
  for (const MountPtr& mount : current->junctions.all()) {
    for (const Server& server : mount->servers) {
      text.sample(server.status->requests.load(),
                  MetricsText::label("junction", mount->name) + "," + MetricsText::label("server", server.address.text()));
    }
  }
  text.gauge("gateway_server_up", "1: a server gets requests; 0: it is down or offline.");
  for (const MountPtr& mount : current->junctions.all()) {
    for (const Server& server : mount->servers) {
      const bool up = !server.status->down.load() && server.status->state.load() != ServerState::offline;
      text.sample(up ? 1 : 0, MetricsText::label("junction", mount->name) + "," + MetricsText::label("server", server.address.text()));
    }
  }
  return text.finish();
}

Result<boost::json::value> Service::flush_logs() {
  const bool handed_over = on_each([](Worker& worker) { worker.flush_log(); });
  if (!handed_over || !writer_->wait_until_written(std::chrono::steady_clock::now() + kControlPatience)) {
    return Error{"the logs could not be written in time", "logs.flush", "see whether the disk is overloaded", {}};
  }
  return boost::json::value(boost::json::object{{"lines", writer_->lines_written()}});
}

}  // namespace lab::gateway
