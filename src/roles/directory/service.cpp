#include "service.hpp"

#include "load.hpp"
#include "net/socket.hpp"
#include "roles/common/listeners.hpp"
#include "save.hpp"
#include "worker.hpp"

#include <unistd.h>
#include <thread>

namespace lab::directory {

struct Service::Impl {
  std::unique_ptr<Tree> tree;
  Authority authority;
  lab::Service settings;
  std::string ldapi;
  roles::TlsContexts contexts;
  std::vector<std::string> listening;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<std::thread> threads;
};

namespace {

// With a certificate there are contexts also where no address is for TLS: StartTLS is offered on the others.
Result<roles::TlsContexts> make_contexts(lab::Service settings, const roles::TlsContexts& earlier = {}) {
  if (settings.tls.empty() && !settings.certificate.certificate.empty()) {
    settings.tls.emplace_back();
  }
  return roles::make_contexts(settings, earlier);
}

// "ldapi://%2Frun%2Flab%2Fldapi"
std::string ldapi_url(const std::string& path) {
  std::string url = "ldapi://";
  for (const char c : path) {
    c == '/' ? url += "%2F" : url += c;
  }
  return url;
}

Result<Authority> make_authority(const Administrator& admin, Tree& tree) {
  if (admin.dn.empty()) {
    return Authority{};
  }
  const std::optional<Names> names = tree.schema().names_of(admin.dn);
  if (!names || names->normal.empty()) {
    return Error{"not a distinguished name: " + admin.dn, {}, "name the administrator as in --admin cn=admin,dc=lab", {}, Failure::usage};
  }
  tree.make_writable(names->pretty);
  return Authority{names->pretty, names->normal, admin.password};
}

}  // namespace

Service::Service() : impl_(std::make_unique<Impl>()) {}

Result<std::unique_ptr<Service>> Service::start(const DirectoryConfig& config) {
  std::unique_ptr<Service> service(new Service);
  Impl& impl = *service->impl_;
  impl.settings = config.service;
  Result<roles::TlsContexts> contexts = make_contexts(config.service);
  if (!contexts) {
    return contexts.error();
  }
  impl.contexts = std::move(*contexts);
  Result<roles::Listeners> listeners = roles::open_listeners(config.service, "ldap", "ldaps");
  if (!listeners) {
    return listeners.error();
  }
  impl.listening = listeners->urls;
  if (!config.ldapi.empty()) {
    Result<net::Fd> socket = net::listen_unix(config.ldapi);
    if (!socket) {
      return socket.error();
    }
    impl.ldapi = config.ldapi;
    impl.listening.push_back(ldapi_url(config.ldapi));
    listeners->of_threads.front().push_back({std::move(*socket), false, true});
  }
  Result<std::unique_ptr<Tree>> tree = config.ldif.empty() ? generate_users(config.users) : load_ldif(config.ldif);
  if (!tree) {
    return tree.error();
  }
  impl.tree = std::move(*tree);
  Result<Authority> authority = make_authority(config.admin, *impl.tree);
  if (!authority) {
    return authority.error();
  }
  impl.authority = std::move(*authority);
  const auto faults = std::make_shared<const std::vector<Fault>>(config.faults);
  for (std::size_t i = 0; i < listeners->of_threads.size(); ++i) {
    const std::shared_ptr<SSL_CTX> context = impl.contexts.empty() ? nullptr : impl.contexts[i];
    const Worker::Settings settings{static_cast<int>(i), static_cast<std::size_t>(config.connections), faults};
    impl.workers.push_back(std::make_unique<Worker>(*impl.tree, impl.authority, std::move(listeners->of_threads[i]), context, settings));
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
  Result<roles::TlsContexts> fresh = make_contexts(impl_->settings, impl_->contexts);
  if (!fresh) {
    return fresh.error();
  }
  impl_->contexts = std::move(*fresh);
  for (std::size_t i = 0; i < impl_->contexts.size(); ++i) {
    impl_->workers[i]->use_context(impl_->contexts[i]);
  }
  return {};
}

void Service::set_faults(std::vector<Fault> faults) {
  const auto shared = std::make_shared<const std::vector<Fault>>(std::move(faults));
  for (const auto& worker : impl_->workers) {
    worker->use_faults(shared);
  }
}

Result<void> Service::save(const std::string& path) {
  const auto lock = impl_->tree->reading();
  return save_ldif(*impl_->tree, path);
}

void Service::drain(std::chrono::nanoseconds limit) {
  for (std::size_t i = 0; i < impl_->threads.size(); ++i) {
    impl_->workers[i]->drain(limit.count());
  }
  for (std::thread& thread : impl_->threads) {
    thread.join();
  }
  impl_->threads.clear();
  if (!impl_->ldapi.empty()) {
    unlink(impl_->ldapi.c_str());
    impl_->ldapi.clear();
  }
}

}  // namespace lab::directory
