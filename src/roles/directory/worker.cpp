#include "worker.hpp"

#include <sys/socket.h>

namespace lab::directory {

namespace {

constexpr std::size_t kScratch = std::size_t{64} * 1024;

// The name that OpenLDAP gives to whom the kernel vouches for at the other end of a Unix socket.
std::string peer_name(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return {};
  }
  return "gidNumber=" + std::to_string(peer.gid) + "+uidNumber=" + std::to_string(peer.uid) + ",cn=peercred,cn=external,cn=auth";
}

}  // namespace

Worker::Worker(Tree& tree, const Authority& authority, std::vector<roles::Listening> listening, std::shared_ptr<SSL_CTX> context,
               const Settings& settings)
    : tree_(tree),
      authority_(authority),
      most_connections_(settings.connections),
      faults_(settings.thread),
      context_(std::move(context)),
      scratch_(kScratch),
      drain_limit_(loop_, [this] { loop_.stop(); }),
      acceptor_(loop_, std::move(listening), [this](net::Fd socket, const roles::Listening& from) { open(std::move(socket), from); }) {
  faults_.set(settings.faults);
}

Worker::~Worker() = default;

void Worker::open(net::Fd socket, const roles::Listening& from) {
  if (connections_.size() >= most_connections_) {
    return refuse(socket, from.tls);
  }
  const Session::Transport transport{from.tls, context_ != nullptr, from.local ? peer_name(socket.get()) : std::string()};
  net::Stream stream(std::move(socket));
  if (from.tls && !stream.start_tls_server(*context_)) {
    return;
  }
  Counters::add(counters_.connections);
  auto connection = std::make_unique<Connection>(*this, std::move(stream), transport);
  Connection* key = connection.get();
  connections_.emplace(key, std::move(connection));
}

void Worker::refuse(const net::Fd& socket, bool tls) const {
  if (!tls) {
    std::string notice;
    Session::notice_of_disconnection(notice, ldap::ResultCode::busy, "too many connections");
    [[maybe_unused]] const auto sent = send(socket.get(), notice.data(), notice.size(), MSG_NOSIGNAL);
  }
}

void Worker::use_faults(std::shared_ptr<const std::vector<Fault>> faults) {
  loop_.post([this, fresh = std::move(faults)] { faults_.set(fresh); });
}

void Worker::remove(Connection& connection) {
  loop_.defer([this, gone = &connection] {
    connections_.erase(gone);
    finish_when_empty();
  });
}

void Worker::use_context(std::shared_ptr<SSL_CTX> context) {
  loop_.call([this, &context] { context_ = std::move(context); });
}

void Worker::drain(net::Nanos limit) {
  loop_.post([this, limit] {
    draining_ = true;
    acceptor_.close();
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

}  // namespace lab::directory
