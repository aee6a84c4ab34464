#include "roles/pages/service.hpp"

#include "net/socket.hpp"
#include "net/tls.hpp"
#include "roles/pages/worker.hpp"

#include <openssl/ssl.h>
#include <algorithm>
#include <array>
#include <thread>

namespace lab::pages {

namespace {

using Contexts = std::vector<std::shared_ptr<SSL_CTX>>;

constexpr std::size_t kTicketKeys = 80;  // OpenSSL 3: name, AES and HMAC keys
using TicketKeys = std::array<unsigned char, kTicketKeys>;

// One context a thread, so that they share no locks, all with the same ticket keys, so that a session resumes on any.
Result<Contexts> make_contexts(const TlsServer& settings, std::size_t count, const Contexts& earlier) {
  Contexts contexts;
  for (std::size_t i = 0; i < count; ++i) {
    Result<net::TlsContext> made = net::make_server_context(settings);
    if (!made) {
      return made.error();
    }
    contexts.emplace_back(std::move(*made));
    SSL_CTX* model = earlier.empty() ? contexts.front().get() : earlier.front().get();
    TicketKeys keys{};
    SSL_CTX_get_tlsext_ticket_keys(model, keys.data(), static_cast<long>(keys.size()));
    SSL_CTX_set_tlsext_ticket_keys(contexts.back().get(), keys.data(), static_cast<long>(keys.size()));
  }
  return contexts;
}

// The same address once for each thread. Alone on it first: SO_REUSEPORT would let another process in unnoticed.
Result<std::vector<net::Fd>> listen_for_each(const Endpoint& endpoint, std::size_t threads) {
  Result<net::Address> address = net::Address::resolve(endpoint.host, endpoint.port);
  if (!address) {
    return address.error();
  }
  Result<net::Fd> alone = net::listen_tcp(*address, false);
  if (!alone) {
    return alone.error();
  }
  std::vector<net::Fd> sockets;
  if (threads == 1) {
    sockets.push_back(std::move(*alone));
    return sockets;
  }
  address = net::Address::resolve(endpoint.host, net::Address::local_of(alone->get()).port());
  alone->reset();
  for (std::size_t i = 0; address && i < threads; ++i) {
    Result<net::Fd> socket = net::listen_tcp(*address, true);
    if (!socket) {
      return socket.error();
    }
    sockets.push_back(std::move(*socket));
  }
  return sockets;
}

}  // namespace

struct Service::Impl {
  Result<void> listen(const std::vector<Endpoint>& endpoints, bool tls, std::vector<std::vector<Listening>>& of_threads);

  TlsServer certificate;
  Contexts contexts;
  std::vector<std::string> listening;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<std::thread> threads;
};

Result<void> Service::Impl::listen(const std::vector<Endpoint>& endpoints, bool tls, std::vector<std::vector<Listening>>& of_threads) {
  for (const Endpoint& endpoint : endpoints) {
    Result<std::vector<net::Fd>> sockets = listen_for_each(endpoint, of_threads.size());
    if (!sockets) {
      return sockets.error();
    }
    listening.push_back((tls ? "https://" : "http://") + net::Address::local_of(sockets->front().get()).text());
    for (std::size_t i = 0; i < of_threads.size(); ++i) {
      of_threads[i].push_back({std::move((*sockets)[i]), tls});
    }
  }
  return {};
}

Service::Service() : impl_(std::make_unique<Impl>()) {}

Result<std::unique_ptr<Service>> Service::start(const PagesConfig& config) {
  const lab::Service& service = config.service;
  std::unique_ptr<Service> pages(new Service);
  Impl& impl = *pages->impl_;
  const auto count = static_cast<std::size_t>(std::max(service.threads, 1));
  if (!service.tls.empty()) {
    impl.certificate = service.certificate;
    Result<Contexts> contexts = make_contexts(service.certificate, count, {});
    if (!contexts) {
      return contexts.error();
    }
    impl.contexts = std::move(*contexts);
  }
  std::vector<std::vector<Listening>> of_threads(count);
  for (const bool tls : {false, true}) {
    if (const Result<void> bound = impl.listen(tls ? service.tls : service.plain, tls, of_threads); !bound) {
      return bound.error();
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    impl.workers.push_back(std::make_unique<Worker>(std::move(of_threads[i]), impl.contexts.empty() ? nullptr : impl.contexts[i]));
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
  }
  return sum;
}

Result<void> Service::reload_certificate() {
  if (impl_->contexts.empty()) {
    return {};
  }
  Result<Contexts> fresh = make_contexts(impl_->certificate, impl_->workers.size(), impl_->contexts);
  if (!fresh) {
    return fresh.error();
  }
  impl_->contexts = std::move(*fresh);
  for (std::size_t i = 0; i < impl_->workers.size(); ++i) {
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
