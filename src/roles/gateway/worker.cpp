#include "roles/gateway/worker.hpp"

#include <sched.h>
#include <sys/socket.h>
#include <algorithm>
#include <cerrno>
#include <utility>

namespace lab::gateway {

namespace {

// Where several threads share one core, SCHED_BATCH (sched(7)) keeps one that wakes from taking it off another: whoever runs finishes its
// events first, and both serve more of them a turn. With a core for each there is nothing to take.
void batch_where_cores_are_shared() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) == 1) {
    const sched_param none{};
    sched_setscheduler(0, SCHED_BATCH, &none);
  }
}

}  // namespace

namespace {

constexpr int kAcceptsAtOnce = 64;
constexpr net::Nanos kSecond = 1'000'000'000;
constexpr net::Nanos kPause = kSecond / 10;  // without descriptors or room for another client
constexpr net::Nanos kSweep = 5 * kSecond;
constexpr net::Nanos kBackendIdle = 60 * kSecond;  // a connection kept unused

}  // namespace

struct Worker::Listener final : public net::Watcher {
  Listener(Worker& owner, net::Fd listening, bool with_tls) : worker(owner), fd(std::move(listening)), tls(with_tls) {}
  void on_events(std::uint32_t) override { worker.accept_from(*this); }

  Worker& worker;
  net::Fd fd;
  bool tls;
};

Worker::Worker(SitePtr site, Shared& shared, LogWriter& writer, std::size_t max_connections)
    : thread_(loop_, std::move(site), shared, writer),
      max_connections_(max_connections),
      resume_(loop_, [this] { resume_accepting(); }),
      sweep_(loop_, [this] { sweep(); }),
      deadline_(loop_, [this] { close_all(); }) {
  sweep_.arm(kSweep);
}

Worker::~Worker() { join(); }

void Worker::add_listener(net::Fd fd, bool tls) {
  net::set_nodelay(fd.get());  // accepted connections inherit it
  listeners_.push_back(std::make_unique<Listener>(*this, std::move(fd), tls));
  loop_.watch_level(listeners_.back()->fd.get(), *listeners_.back());
}

void Worker::start() {
  running_ = std::thread([this] {
    batch_where_cores_are_shared();
    loop_.run();
    thread_.log.hand_over();
  });
}

void Worker::join() {
  if (running_.joinable()) {
    running_.join();
  }
}

// Returns whether more may wait.
bool Worker::accept_from(Listener& listener) {
  for (int i = 0; i < kAcceptsAtOnce; ++i) {
    net::Fd fd(accept4(listener.fd.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!fd) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        pause_accepting();
      }
      return false;
    }
    Worker& worker = least_busy();
    worker.open_.fetch_add(1, std::memory_order_relaxed);
    if (&worker == this) {
      adopt(std::move(fd), listener.tls);
    } else {
      worker.loop_.post(
          [&worker, passed = std::make_shared<net::Fd>(std::move(fd)), tls = listener.tls] { worker.adopt(std::move(*passed), tls); });
    }
    if (open_connections() >= max_connections_) {
      pause_accepting();
      return false;
    }
  }
  return true;
}

// The kernel spreads connections by hash, unevenly when they are few; whoever has one too many hands it on.
Worker& Worker::least_busy() {
  Worker* least = this;
  for (Worker* peer : peers_) {
    if (peer->open_connections() < least->open_connections()) {
      least = peer;
    }
  }
  return *least;
}

void Worker::adopt(net::Fd fd, bool tls) {
  ++thread_.statistics.connections;
  std::string host = net::Address::peer_of(fd.get()).host();
  auto connection = std::make_unique<ClientConnection>(thread_, *this, std::move(fd), std::move(host));
  connection->slot = connections_.size();
  connections_.push_back(std::move(connection));
  connections_.back()->start(tls ? tls_.get() : nullptr);
}

void Worker::on_closed(ClientConnection& connection) {
  open_.fetch_sub(1, std::memory_order_relaxed);
  const std::size_t slot = connection.slot;
  std::swap(connections_[slot], connections_.back());
  connections_[slot]->slot = slot;
  std::shared_ptr<ClientConnection> dead = std::move(connections_.back());
  connections_.pop_back();
  loop_.defer([this, dead = std::move(dead)] { stop_when_empty(); });
}

void Worker::pause_accepting() {
  if (!std::exchange(paused_, true)) {
    for (const auto& listener : listeners_) {
      loop_.unwatch(listener->fd.get(), *listener);
    }
    resume_.arm(kPause);
  }
}

void Worker::resume_accepting() {
  if (open_connections() >= max_connections_) {
    return resume_.arm(kPause);
  }
  paused_ = false;
  for (const auto& listener : listeners_) {
    loop_.watch_level(listener->fd.get(), *listener);
  }
}

void Worker::sweep() {
  for (const auto& mount : thread_.mounts) {
    for (const auto& server : mount->servers()) {
      server->close_idle_since(loop_.now() - kBackendIdle);
    }
  }
  thread_.drop_retired();
  sweep_.arm(kSweep);
}

void Worker::stop_listening() {
  thread_.draining = true;
  resume_.cancel();
  for (const auto& listener : std::exchange(listeners_, {})) {
    while (!paused_ && accept_from(*listener)) {
    }
    loop_.unwatch(listener->fd.get(), *listener);
  }
}

// Connections leave the list as they close, the last one taking the place of the one that left.
void Worker::drain() {
  ending_ = true;
  health_.reset();
  for (std::size_t i = connections_.size(); i > 0; --i) {
    connections_[i - 1]->drain();
  }
  deadline_.arm(thread_.site->config.timeouts.drain.count());
  stop_when_empty();
}

void Worker::close_all() {
  while (!connections_.empty()) {
    connections_.back()->close_now();
  }
}

void Worker::stop_when_empty() {
  if (ending_ && connections_.empty()) {
    loop_.stop();
  }
}

}  // namespace lab::gateway
