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

Service::Service(const GatewayConfig& config, Junctions junctions, const ServiceOptions& options)
    : site_(config, std::move(junctions), options.timeouts) {}

Result<std::unique_ptr<Service>> Service::start(const GatewayConfig& config, ServiceOptions options) {
  Result<Junctions> junctions = Junctions::resolve(config.junctions);
  if (!junctions) {
    return junctions.error();
  }
  std::unique_ptr<Service> service(new Service(config, std::move(*junctions), options));
  if (const Result<void> prepared = service->prepare(options); !prepared) {
    return prepared.error();
  }
  return service;
}

Result<void> Service::prepare(const ServiceOptions& options) {
  const lab::Service& settings = site_.config.service;
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
  Result<std::unique_ptr<LogWriter>> writer = LogWriter::open(site_.config.logs, options.report);
  if (!writer) {
    return writer.error();
  }
  writer_ = std::move(*writer);
  const auto threads = static_cast<std::size_t>(std::max(settings.threads, 1));
  const std::size_t share = std::max<std::size_t>(affordable_connections() / threads, 1);
  std::vector<Worker*> peers;
  for (std::size_t i = 0; i < threads; ++i) {
    workers_.push_back(std::make_unique<Worker>(site_, *writer_, share));
    workers_.back()->set_tls(contexts_.empty() ? nullptr : contexts_[i]);
    peers.push_back(workers_.back().get());
    if (!site_.config.directory.url.empty()) {
      Result<std::unique_ptr<Authenticator>> authenticator = options.authenticator(workers_.back()->loop(), site_.config.directory);
      if (!authenticator) {
        return authenticator.error();
      }
      workers_.back()->set_authenticator(std::move(*authenticator));
    }
  }
  if (Result<void> listens = listen(); !listens) {
    return listens;
  }
  if (!settings.control.empty()) {
    auto control = roles::ControlServer::start(
        settings.control, [this](std::string_view method, const boost::json::object&) { return this->control(method); });
    if (!control) {
      return control.error();
    }
    control_ = std::move(*control);
  }
  for (const auto& worker : workers_) {
    worker->set_peers(peers);
  }
  started_ = true;
  for (const auto& worker : workers_) {
    worker->start();
  }
  return {};
}

Result<void> Service::listen() {
  Result<roles::Listeners> listeners = roles::open_listeners(site_.config.service, "http", "https");
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
  Result<roles::TlsContexts> fresh = roles::make_contexts(site_.config.service, contexts_);
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

Result<boost::json::value> Service::control(std::string_view method) {
  if (method == "ping") {
    return boost::json::value(boost::json::object{});
  }
  if (method == "stats") {
    return statistics();
  }
  if (method == "logs.flush") {
    return flush_logs();
  }
  return Error{"no such method", std::string(method), "the gateway answers stats, ping and logs.flush", {}};
}

Result<boost::json::value> Service::statistics() {
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
  const Statistics& all = sum->all;
  boost::json::object responses;
  for (std::size_t status = 0; status < all.responses.size(); ++status) {
    if (all.responses[status] > 0) {
      responses[std::to_string(status)] = all.responses[status];
    }
  }
  return boost::json::value(boost::json::object{{"requests", all.requests},
                                                {"responses", std::move(responses)},
                                                {"retries", all.retries},
                                                {"backend_requests", all.backend_requests},
                                                {"logins", all.logins},
                                                {"sessions", site_.sessions.size()},
                                                {"connections", all.connections},
                                                {"log_lines", all.log_lines},
                                                {"log_errors", writer_->errors()}});
}

Result<boost::json::value> Service::flush_logs() {
  const bool handed_over = on_each([](Worker& worker) { worker.flush_log(); });
  if (!handed_over || !writer_->wait_until_written(std::chrono::steady_clock::now() + kControlPatience)) {
    return Error{"the logs could not be written in time", "logs.flush", "see whether the disk is overloaded", {}};
  }
  return boost::json::value(boost::json::object{{"lines", writer_->lines_written()}});
}

}  // namespace lab::gateway
