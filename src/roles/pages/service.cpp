#include "roles/pages/service.hpp"

#include "roles/common/listeners.hpp"
#include "roles/pages/worker.hpp"

#include <thread>

namespace lab::pages {

struct Service::Impl {
  lab::Service settings;
  roles::TlsContexts contexts;
  std::vector<std::string> listening;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<std::thread> threads;
};

Service::Service() : impl_(std::make_unique<Impl>()) {}

Result<std::unique_ptr<Service>> Service::start(const PagesConfig& config) {
  std::unique_ptr<Service> pages(new Service);
  Impl& impl = *pages->impl_;
  impl.settings = config.service;
  Result<roles::TlsContexts> contexts = roles::make_contexts(config.service);
  if (!contexts) {
    return contexts.error();
  }
  impl.contexts = std::move(*contexts);
  Result<roles::Listeners> listeners = roles::open_listeners(config.service, "http", "https");
  if (!listeners) {
    return listeners.error();
  }
  impl.listening = std::move(listeners->urls);
  for (std::size_t i = 0; i < listeners->of_threads.size(); ++i) {
    const std::shared_ptr<SSL_CTX> context = impl.contexts.empty() ? nullptr : impl.contexts[i];
    impl.workers.push_back(std::make_unique<Worker>(std::move(listeners->of_threads[i]), context, config.database, config.delay.count()));
  }
  for (const auto& worker : impl.workers) {
    impl.threads.emplace_back([&one = *worker] { one.run(); });
  }
  return pages;
}

Service::~Service() { drain(std::chrono::nanoseconds{0}); }

const std::vector<std::string>& Service::listening() const { return impl_->listening; }

Totals Service::totals() const {
  Totals sum;
  for (const auto& worker : impl_->workers) {
    const Counters& counters = worker->counters();
    sum.requests += counters.requests.value();
    sum.pages += counters.pages.value();
    sum.bytes += counters.bytes.value();
    sum.connections += counters.connections.value();
    sum.handshakes += counters.handshakes.value();
    sum.database_reads += counters.database_reads.value();
  }
  return sum;
}

Result<void> Service::reload_certificate() {
  Result<roles::TlsContexts> fresh = roles::make_contexts(impl_->settings, impl_->contexts);
  if (!fresh) {
    return fresh.error();
  }
  impl_->contexts = std::move(*fresh);
  for (std::size_t i = 0; i < impl_->contexts.size(); ++i) {
    impl_->workers[i]->use_context(impl_->contexts[i]);
  }
  return {};
}

void Service::drain(std::chrono::nanoseconds limit) {
  for (std::size_t i = 0; i < impl_->threads.size(); ++i) {
    impl_->workers[i]->drain(limit.count());
  }
  for (std::thread& thread : impl_->threads) {
    thread.join();
  }
  impl_->threads.clear();
}

}  // namespace lab::pages
