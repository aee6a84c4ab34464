#include "roles/pages/worker.hpp"

#include <sys/socket.h>
#include <cerrno>
#include <ctime>
#include <utility>

namespace lab::pages {

namespace {

constexpr std::size_t kScratch = std::size_t{64} * 1024;
constexpr int kAcceptsAtOnce = 64;
constexpr net::Nanos kAcceptPause = 100'000'000;

}  // namespace

struct Worker::Listener final : net::Watcher {
  Listener(Worker& owner, Listening what) : worker(owner), socket(std::move(what.socket)), tls(what.tls) {}
  void on_events(std::uint32_t) override { worker.accept(*this); }

  Worker& worker;
  net::Fd socket;
  bool tls;
};

Worker::Worker(std::vector<Listening> listening, std::shared_ptr<SSL_CTX> context)
    : context_(std::move(context)),
      scratch_(kScratch),
      accept_pause_(loop_, [this] { listen_again(); }),
      drain_limit_(loop_, [this] { loop_.stop(); }) {
  for (Listening& one : listening) {
    listeners_.push_back(std::make_unique<Listener>(*this, std::move(one)));
  }
  listen_again();
}

Worker::~Worker() = default;

void Worker::run() { loop_.run(); }

std::int64_t Worker::unix_seconds() const { return std::time(nullptr); }

void Worker::listen_again() {
  for (const auto& listener : listeners_) {
    loop_.watch_level(listener->socket.get(), *listener);
  }
}

void Worker::stop_listening() {
  for (const auto& listener : listeners_) {
    loop_.unwatch(listener->socket.get(), *listener);
  }
}

void Worker::accept(Listener& listener) {
  for (int i = 0; i < kAcceptsAtOnce; ++i) {
    const int fd = accept4(listener.socket.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      open(fd, listener.tls);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      stop_listening();  // it would be reported again at once
      accept_pause_.arm(kAcceptPause);
      return;
    } else if (errno != EINTR && errno != ECONNABORTED) {
      return;
    }
  }
}

void Worker::open(int fd, bool tls) {
  net::Stream stream{net::Fd(fd)};
  net::set_nodelay(fd);
  if (tls && !stream.start_tls_server(*context_)) {
    return;
  }
  counters_.connections.add();
  auto connection = std::make_unique<Connection>(*this, std::move(stream));
  Connection* key = connection.get();
  connections_.emplace(key, std::move(connection));
}

void Worker::remove(Connection& connection) {
  loop_.defer([this, gone = &connection] {
    connections_.erase(gone);
    finish_when_empty();
  });
}

void Worker::use_context(std::shared_ptr<SSL_CTX> context) {
  loop_.post([this, fresh = std::move(context)] { context_ = fresh; });
}

void Worker::drain(net::Nanos limit) {
  loop_.post([this, limit] {
    draining_ = true;
    accept_pause_.cancel();
    stop_listening();
    listeners_.clear();
    drain_limit_.arm(limit);
    for (const auto& [key, connection] : connections_) {
      connection->drain();
    }
    finish_when_empty();
  });
}

void Worker::finish_when_empty() {
  if (draining_ && connections_.empty()) {
    loop_.stop();
  }
}

}  // namespace lab::pages
