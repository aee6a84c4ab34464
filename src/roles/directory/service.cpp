#include "service.hpp"

#include "load.hpp"
#include "roles/common/listeners.hpp"
#include "worker.hpp"

#include <thread>

namespace lab::directory {

struct Service::Impl {
  std::unique_ptr<Tree> tree;
  lab::Service settings;
  roles::TlsContexts contexts;
  std::vector<std::string> listening;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<std::thread> threads;
};

Service::Service() : impl_(std::make_unique<Impl>()) {}

Result<std::unique_ptr<Service>> Service::start(const DirectoryConfig& config) {
  std::unique_ptr<Service> service(new Service);
  Impl& impl = *service->impl_;
  impl.settings = config.service;
  Result<roles::TlsContexts> contexts = roles::make_contexts(config.service);
  if (!contexts) {
    return contexts.error();
  }
  impl.contexts = std::move(*contexts);
  Result<roles::Listeners> listeners = roles::open_listeners(config.service, "ldap", "ldaps");
  if (!listeners) {
    return listeners.error();
  }
  impl.listening = listeners->urls;
  Result<std::unique_ptr<Tree>> tree = config.ldif.empty() ? generate_users(config.users) : load_ldif(config.ldif);
  if (!tree) {
    return tree.error();
  }
  impl.tree = std::move(*tree);
  for (std::size_t i = 0; i < listeners->of_threads.size(); ++i) {
    const std::shared_ptr<SSL_CTX> context = impl.contexts.empty() ? nullptr : impl.contexts[i];
    impl.workers.push_back(std::make_unique<Worker>(*impl.tree, std::move(listeners->of_threads[i]), context));
  }
  for (const auto& worker : impl.workers) {
    impl.threads.emplace_back([&one = *worker] { one.run(); });
  }
  return service;
}

Service::~Service() { drain(std::chrono::nanoseconds{0}); }

const std::vector<std::string>& Service::listening() const { return impl_->listening; }

std::size_t Service::entries() const { return impl_->tree->size(); }

Totals Service::totals() const {
  Totals sum;
  for (const auto& worker : impl_->workers) {
    const Counters& counters = worker->counted();
    sum.binds += counters.binds.load(std::memory_order_relaxed);
    sum.searches += counters.searches.load(std::memory_order_relaxed);
    sum.connections += counters.connections.load(std::memory_order_relaxed);
    for (std::size_t code = 0; code < Counters::kCodes; ++code) {
      if (const std::uint64_t count = counters.results[code].load(std::memory_order_relaxed); count > 0) {
        sum.results[static_cast<int>(code)] += count;
      }
    }
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

}  // namespace lab::directory
