#include "roles/common/listeners.hpp"

#include <openssl/ssl.h>
#include <sys/socket.h>
#include <algorithm>
#include <array>
#include <cerrno>

namespace lab::roles {

namespace {

constexpr int kAcceptsAtOnce = 64;
constexpr net::Nanos kPause = 100'000'000;
constexpr std::size_t kTicketKeys = 80;  // OpenSSL 3: name, AES and HMAC keys

// Alone on the address first: SO_REUSEPORT would let another process in unnoticed.
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

std::size_t thread_count(const Service& service) { return static_cast<std::size_t>(std::max(service.threads, 1)); }

}  // namespace

Result<Listeners> open_listeners(const Service& service, const std::string& plain_scheme, const std::string& tls_scheme) {
  Listeners listeners;
  listeners.of_threads.resize(thread_count(service));
  for (const bool tls : {false, true}) {
    for (const Endpoint& endpoint : tls ? service.tls : service.plain) {
      Result<std::vector<net::Fd>> sockets = listen_for_each(endpoint, listeners.of_threads.size());
      if (!sockets) {
        return sockets.error();
      }
      listeners.urls.push_back((tls ? tls_scheme : plain_scheme) + "://" + net::Address::local_of(sockets->front().get()).text());
      for (std::size_t i = 0; i < sockets->size(); ++i) {
        listeners.of_threads[i].push_back({std::move((*sockets)[i]), tls});
      }
    }
  }
  return listeners;
}

Result<TlsContexts> make_contexts(const Service& service, const TlsContexts& earlier) {
  TlsContexts contexts;
  for (std::size_t i = 0; !service.tls.empty() && i < thread_count(service); ++i) {
    Result<net::TlsContext> made = net::make_server_context(service.certificate);
    if (!made) {
      return made.error();
    }
    contexts.emplace_back(std::move(*made));
    SSL_CTX* model = earlier.empty() ? contexts.front().get() : earlier.front().get();
    std::array<unsigned char, kTicketKeys> keys{};
    SSL_CTX_get_tlsext_ticket_keys(model, keys.data(), static_cast<long>(keys.size()));
    SSL_CTX_set_tlsext_ticket_keys(contexts.back().get(), keys.data(), static_cast<long>(keys.size()));
  }
  return contexts;
}

struct Acceptor::Listener final : net::Watcher {
  Listener(Acceptor& acceptor, Listening listening) : owner(acceptor), what(std::move(listening)) {
    net::set_nodelay(what.socket.get());  // accepted connections inherit it
  }
  void on_events(std::uint32_t) override { owner.accept(*this); }

  Acceptor& owner;
  const Listening what;
};

Acceptor::Acceptor(net::Loop& loop, std::vector<Listening> listening, std::function<void(net::Fd, const Listening&)> on_connection)
    : loop_(loop), on_connection_(std::move(on_connection)), pause_(loop, [this] { watch(); }) {
  for (Listening& one : listening) {
    listeners_.push_back(std::make_unique<Listener>(*this, std::move(one)));
  }
  watch();
}

Acceptor::~Acceptor() { close(); }

void Acceptor::close() {
  if (!pause_.armed()) {
    unwatch();
  }
  pause_.cancel();
  listeners_.clear();
}

void Acceptor::watch() {
  for (const auto& listener : listeners_) {
    loop_.watch_level(listener->what.socket.get(), *listener);
  }
}

void Acceptor::unwatch() {
  for (const auto& listener : listeners_) {
    loop_.unwatch(listener->what.socket.get(), *listener);
  }
}

void Acceptor::accept(Listener& listener) {
  for (int i = 0; i < kAcceptsAtOnce; ++i) {
    net::Fd socket(accept4(listener.what.socket.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket) {
      on_connection_(std::move(socket), listener.what);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      unwatch();  // it would be reported again at once
      pause_.arm(kPause);
      return;
    } else if (errno != EINTR && errno != ECONNABORTED) {
      return;
    }
  }
}

}  // namespace lab::roles
