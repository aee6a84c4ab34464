#include "roles/gateway/backend.hpp"

#include "http/message.hpp"

#include <sys/epoll.h>
#include <algorithm>
#include <cstring>
#include <utility>

namespace lab::gateway {

namespace {

constexpr net::Nanos kSecond = 1'000'000'000;
constexpr net::Nanos kDown = kSecond;  // a server that refused is left alone for so long
constexpr net::Nanos kReportEvery = 30 * kSecond;
constexpr std::size_t kMaxIdle = 1024;  // kept connections to one server

}  // namespace

void BackendConnection::on_events(std::uint32_t events) {
  if (state_ == State::connecting) {
    establish(events);
  } else {
    channel.note(events);
    if (state_ == State::handshaking) {
      shake_hands();
    }
  }
  if (user_ != nullptr) {
    user_->on_backend();
  } else if (state_ != State::failed) {
    pool_.on_idle_event(*this);
  }
}

void BackendConnection::establish(std::uint32_t events) {
  if ((events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) == 0) {
    return;
  }
  if (const int error = net::pending_error(channel.stream.fd()); error != 0) {
    return fail(std::strerror(error));
  }
  channel.writable = true;
  channel.note(events);
  if (pool_.mount_.tls == nullptr) {
    state_ = State::ready;
    return;
  }
  const Junction& junction = pool_.mount_.junction;
  if (const auto started = channel.stream.start_tls_client(*pool_.mount_.tls, pool_.server_.host, !junction.server_ca.empty()); !started) {
    return fail(started.error().what);
  }
  state_ = State::handshaking;
  shake_hands();
}

void BackendConnection::shake_hands() {
  const net::IoResult result = channel.stream.handshake();
  if (result.status == net::Io::ok) {
    state_ = State::ready;
    channel.readable = true;  // reading ahead may have taken more than the handshake
    check_server_name();
  } else if (result.status != net::Io::again) {
    fail(result.status == net::Io::closed ? "closed during the TLS handshake" : channel.stream.error());
  }
}

// -D: the whole subject, whatever host the server has.
void BackendConnection::check_server_name() {
  const std::string& expected = pool_.mount_.junction.server_dn;
  if (expected.empty()) {
    return;
  }
  const std::string found = net::peer_subject(channel.stream.ssl());
  if (!http::equals_ignore_case(found, expected)) {
    fail("its certificate is for \"" + found + "\", expected is \"" + expected + "\"");
  }
}

void BackendConnection::fail(std::string why) {
  state_ = State::failed;
  error_ = std::move(why);
}

ServerPool::ServerPool(net::Loop& loop, BlockPool& blocks, const Report& report, const Mount& mount, const Server& server)
    : loop_(loop), blocks_(blocks), report_(report), mount_(mount), server_(server) {}

ServerPool::~ServerPool() {
  for (auto* connections : {&idle_, &out_}) {
    for (const auto& connection : *connections) {
      loop_.unwatch(connection->channel.stream.fd(), *connection);
    }
  }
}

void ServerPool::mark_down(const std::string& why) {
  const net::Nanos now = loop_.now();
  down_until_ = now + kDown;
  if (reported_ == 0 || now - reported_ >= kReportEvery) {
    reported_ = now;
    report_(Error{"server " + server_.address.text() + " of junction " + mount_.name + " cannot be used: " + why, {}, {}, {}});
  }
}

BackendConnection* ServerPool::acquire(BackendUser& user, bool fresh) {
  std::unique_ptr<BackendConnection> connection;
  if (!fresh && !idle_.empty()) {
    connection = std::move(idle_.back());
    idle_.pop_back();
  } else {
    connection = connect();
  }
  if (connection == nullptr) {
    return nullptr;
  }
  connection->user_ = &user;
  connection->slot_ = out_.size();
  ++connection->uses_;
  out_.push_back(std::move(connection));
  return out_.back().get();
}

std::unique_ptr<BackendConnection> ServerPool::connect() {
  Result<net::Fd> fd = net::connect_tcp(server_.address);
  if (!fd) {
    return nullptr;
  }
  auto connection = std::make_unique<BackendConnection>(*this, blocks_);
  connection->channel.stream = net::Stream(std::move(*fd));
  connection->channel.writable = false;
  loop_.watch(connection->channel.stream.fd(), *connection);
  return connection;
}

void ServerPool::release(BackendConnection& connection) {
  std::unique_ptr<BackendConnection> owned = take_back(connection);
  owned->user_ = nullptr;
  owned->channel.in.release();
  owned->channel.in.rewind();
  if (idle_.size() >= kMaxIdle) {
    return bury(std::move(owned));
  }
  owned->idle_since_ = loop_.now();
  idle_.push_back(std::move(owned));
}

void ServerPool::discard(BackendConnection& connection) { bury(take_back(connection)); }

// A server has nothing to say on an idle connection but TLS session tickets, which the read takes in, and its end.
void ServerPool::on_idle_event(BackendConnection& connection) {
  if (connection.channel.readable && connection.channel.fill() != net::Io::again) {
    const auto found = std::find_if(idle_.begin(), idle_.end(), [&connection](const auto& one) { return one.get() == &connection; });
    std::unique_ptr<BackendConnection> owned = std::move(*found);
    idle_.erase(found);
    bury(std::move(owned));
  }
}

void ServerPool::close_idle_since(net::Nanos instant) {
  const auto stale = std::find_if(idle_.begin(), idle_.end(), [instant](const auto& one) { return one->idle_since_ >= instant; });
  for (auto one = idle_.begin(); one != stale; ++one) {
    bury(std::move(*one));
  }
  idle_.erase(idle_.begin(), stale);
}

void ServerPool::close_idle() {
  for (auto& connection : idle_) {
    bury(std::move(connection));
  }
  idle_.clear();
}

std::unique_ptr<BackendConnection> ServerPool::take_back(BackendConnection& connection) {
  const std::size_t slot = connection.slot_;
  std::swap(out_[slot], out_.back());
  out_[slot]->slot_ = slot;
  std::unique_ptr<BackendConnection> owned = std::move(out_.back());
  out_.pop_back();
  return owned;
}

// Destroyed only after this batch of events: its own handler may be on the stack.
void ServerPool::bury(std::unique_ptr<BackendConnection> connection) {
  connection->user_ = nullptr;
  connection->state_ = BackendConnection::State::failed;
  loop_.unwatch(connection->channel.stream.fd(), *connection);
  connection->channel.stream.close();
  connection->channel.in.release();
  loop_.defer([dead = std::shared_ptr<BackendConnection>(std::move(connection))] {});
}

MountPool::MountPool(net::Loop& loop, BlockPool& blocks, const ServerPool::Report& report, MountPtr mount) : mount_(std::move(mount)) {
  for (const Server& server : mount_->servers) {
    servers_.push_back(std::make_unique<ServerPool>(loop, blocks, report, *mount_, server));
  }
}

bool MountPool::may_use(std::size_t at, bool pinned) const {
  const ServerState state = servers_[at]->server().status->state.load(std::memory_order_relaxed);
  return state == ServerState::running || (state == ServerState::throttled && pinned);
}

ServerPool* MountPool::choose(std::uint64_t& tried, std::size_t pinned) {
  if (pinned < servers_.size() && (tried >> pinned & 1U) == 0 && may_use(pinned, true) && !servers_[pinned]->marked_down()) {
    tried |= std::uint64_t{1} << pinned;
    return servers_[pinned].get();
  }
  ServerPool* best = nullptr;
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    const std::size_t at = (next_ + i) % servers_.size();
    ServerPool& server = *servers_[at];
    if ((tried >> at & 1U) != 0 || !may_use(at, false)) {
      continue;
    }
    const auto rank = std::pair(server.marked_down(), server.busy());
    if (best == nullptr || rank < std::pair(best->marked_down(), best->busy())) {
      best = &server;
      chosen = at;
    }
  }
  if (best != nullptr) {
    tried |= std::uint64_t{1} << chosen;
    next_ = (chosen + 1) % servers_.size();
  }
  return best;
}

}  // namespace lab::gateway
