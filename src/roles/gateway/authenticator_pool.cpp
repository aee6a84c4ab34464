#include "roles/gateway/authenticator_pool.hpp"

#include <algorithm>

namespace lab::gateway {

namespace {

// Keeps the connection until the events of this batch are through.
void destroy_later(net::Loop& loop, std::unique_ptr<DirectoryConnection> connection) {
  loop.defer([kept = std::shared_ptr<DirectoryConnection>(std::move(connection))] {});
}

}  // namespace

DirectoryPool::DirectoryPool(net::Loop& loop, const DirectoryServer& server, int connections)
    : loop_(loop),
      server_(server),
      limit_(static_cast<std::size_t>(std::max(connections, 1))),
      queue_deadline_(loop, [this] { expire_waiting(); }) {}

DirectoryPool::~DirectoryPool() = default;

void DirectoryPool::ask(DirectoryRequest request) {
  waiting_.push_back(std::move(request));
  serve_waiting();
}

void DirectoryPool::serve_waiting() {
  while (!waiting_.empty()) {
    DirectoryConnection* connection = free_connection();
    if (connection == nullptr && connections_.size() == limit_) {
      break;
    }
    DirectoryRequest request = std::move(waiting_.front());
    waiting_.pop_front();
    if (connection == nullptr) {
      Result<net::Stream> stream = connect();
      if (!stream) {
        loop_.defer([alive = std::weak_ptr(alive_), answer = std::move(request.answer), error = stream.error()] {
          if (!alive.expired()) {
            answer(error);
          }
        });
        continue;
      }
      connections_.push_back(std::make_unique<DirectoryConnection>(loop_, server_, *this, std::move(*stream)));
      connection = connections_.back().get();
    }
    connection->ask(std::move(request));
  }
  if (waiting_.empty()) {
    queue_deadline_.cancel();
  } else {
    queue_deadline_.arm_at(waiting_.front().deadline);
  }
}

// Last in, first out: the others may go idle until the directory closes them.
DirectoryConnection* DirectoryPool::free_connection() {
  const auto found = std::find_if(connections_.rbegin(), connections_.rend(), [](const auto& one) { return one->idle(); });
  return found == connections_.rend() ? nullptr : found->get();
}

Result<net::Stream> DirectoryPool::connect() const {
  Result<net::Fd> socket = net::connect_tcp(server_.address);
  if (!socket) {
    return socket.error();
  }
  net::Stream stream(std::move(*socket));
  if (server_.context && !server_.start_tls) {
    if (const Result<void> started = stream.start_tls_client(*server_.context, server_.host, true); !started) {
      return started.error();
    }
  }
  return stream;
}

void DirectoryPool::remove(DirectoryConnection& connection) {
  const auto found = std::find_if(connections_.begin(), connections_.end(), [&](const auto& one) { return one.get() == &connection; });
  destroy_later(loop_, std::move(*found));
  connections_.erase(found);
}

void DirectoryPool::drop_idle() {
  for (auto& connection : connections_) {
    if (connection->idle()) {
      connection->drop();
      destroy_later(loop_, std::move(connection));
    }
  }
  std::erase(connections_, nullptr);
}

void DirectoryPool::answered(DirectoryConnection& connection, bool keep, DirectoryRequest request, DirectoryReply reply) {
  if (!keep) {
    connection.drop();
    remove(connection);
  }
  serve_waiting();
  request.answer(std::move(reply));  // last: whoever is told may end the pool
}

void DirectoryPool::lost(DirectoryConnection& connection, std::optional<DirectoryRequest> request, bool stale, Error error) {
  remove(connection);
  const bool repeat = request && stale && !request->repeated;
  if (repeat) {
    drop_idle();  // what ended one connection has ended the others as well
    request->repeated = true;
    waiting_.push_front(std::move(*request));
  }
  serve_waiting();
  if (request && !repeat) {
    request->answer(std::move(error));
  }
}

void DirectoryPool::expire_waiting() {
  std::vector<DirectoryRequest> expired;
  while (!waiting_.empty() && waiting_.front().deadline <= loop_.now()) {
    expired.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  serve_waiting();
  const Error error{"all connections to the directory are busy", server_.url, "allow more with directory: connections"};
  for (DirectoryRequest& request : expired) {
    request.answer(error);
  }
}

}  // namespace lab::gateway
