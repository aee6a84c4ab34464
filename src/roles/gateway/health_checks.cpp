#include "roles/gateway/health_checks.hpp"

#include <algorithm>
#include <utility>

namespace lab::gateway {

namespace {

constexpr net::Nanos kSecond = 1'000'000'000;
constexpr net::Nanos kRecovery = 10 * kSecond;  // between two looks at a server that is down
constexpr net::Nanos kPatience = 10 * kSecond;  // of one look
constexpr int kServiceUnavailable = 503;

}  // namespace

// One HEAD on a connection of its own.
class HealthChecks::Ping final : public BackendUser {
 public:
  Ping(HealthChecks& owner, std::shared_ptr<MountPool> mount, ServerPool& server)
      : owner_(owner), mount_(std::move(mount)), server_(server), deadline_(owner.thread_.loop, [this] { end("no answer in time"); }) {}
  ~Ping() override { let_go(); }

  ServerPool& server() { return server_; }
  const std::string& junction() const { return mount_->mount().name; }

  void start() {
    deadline_.arm(kPatience);
    backend_ = server_.acquire(*this, true);
    if (backend_ == nullptr) {
      end("no connection can be opened");
    }
  }

  void on_backend() override {
    if (backend_->state() == BackendConnection::State::failed) {
      return end(backend_->error());
    }
    if (backend_->state() != BackendConnection::State::ready || (!sent_ && !send())) {
      return;
    }
    receive();
  }

 private:
  bool send() {
    sent_ = true;
    const std::string request = "HEAD / HTTP/1.1\r\nHost: " + server_.server().host_header +
                                "\r\nUser-Agent: " + owner_.thread_.site->config.server_name + "\r\nConnection: close\r\n\r\n";
    const iovec part{const_cast<char*>(request.data()), request.size()};
    std::size_t taken = 0;
    if (backend_->channel.send(std::span(&part, 1), taken) != net::Io::ok || taken != request.size()) {
      end("it takes no request");
      return false;
    }
    return true;
  }

  void receive() {
    for (;;) {
      const net::Io got = backend_->channel.fill();
      if (got == net::Io::again) {
        return;
      }
      if (got != net::Io::ok) {
        return end("it closed the connection before it answered");
      }
      http::Response response;
      const http::ParseResult head = http::parse_response(backend_->channel.in.data(), response, true);
      if (head.status == http::Parse::done) {
        return end(response.status == kServiceUnavailable ? "it answers 503" : "");
      }
      if (head.status != http::Parse::more) {
        return end("its answer is broken");
      }
    }
  }

  void end(const std::string& fault) {
    let_go();
    deadline_.cancel();
    owner_.ended(*this, fault);
  }

  void let_go() {
    if (backend_ != nullptr) {
      server_.discard(*std::exchange(backend_, nullptr));
    }
  }

  HealthChecks& owner_;
  std::shared_ptr<MountPool> mount_;
  ServerPool& server_;
  BackendConnection* backend_ = nullptr;
  net::Timer deadline_;
  bool sent_ = false;
};

HealthChecks::HealthChecks(ThreadContext& thread) : thread_(thread), timer_(thread.loop, [this] { look(); }) {
  const net::Nanos every = thread_.site->config.timeouts.ping.count();
  last_round_ = net::monotonic_now();
  if (every > 0) {
    timer_.arm_at(last_round_ + std::min(every, kRecovery));
  }
}

HealthChecks::~HealthChecks() = default;

// Of those that are well once in the time set, of those that are down more often.
void HealthChecks::look() {
  const net::Nanos every = thread_.site->config.timeouts.ping.count();
  const net::Nanos now = thread_.loop.now();
  timer_.arm(every > 0 ? std::min(every, kRecovery) : kRecovery);
  if (every <= 0) {
    return;
  }
  const bool all = now - last_round_ >= every;
  last_round_ = all ? now : last_round_;
  for (const auto& mount : thread_.mounts) {
    for (const auto& server : mount->servers()) {
      if (all || server->server().status->down.load(std::memory_order_relaxed)) {
        begin(mount, *server);
      }
    }
  }
}

void HealthChecks::begin(const std::shared_ptr<MountPool>& mount, ServerPool& server) {
  const bool under_way = std::any_of(pings_.begin(), pings_.end(), [&server](const auto& ping) { return &ping->server() == &server; });
  if (!under_way) {
    pings_.push_back(std::make_unique<Ping>(*this, mount, server));
    pings_.back()->start();
  }
}

void HealthChecks::ended(Ping& ping, const std::string& fault) {
  const Server& server = ping.server().server();
  const bool was_down = server.status->down.exchange(!fault.empty());
  const std::string name = "server " + server.address.text() + " of junction " + ping.junction();
  if (!fault.empty() && !was_down) {
    thread_.shared.report(
        Error{name + " is marked down: " + fault, {}, "it gets requests again when it answers HEAD / with anything but 503", {}});
  } else if (fault.empty() && was_down) {
    thread_.shared.report(Error{name + " is well again", {}, {}, {}});
  }
  const auto found = std::find_if(pings_.begin(), pings_.end(), [&ping](const auto& one) { return one.get() == &ping; });
  std::shared_ptr<Ping> dead = std::move(*found);
  pings_.erase(found);
  thread_.loop.defer([dead = std::move(dead)] {});
}

}  // namespace lab::gateway
