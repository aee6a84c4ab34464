// Kept connections to the directory; requests wait, first come first served, while all are busy.
#pragma once

#include "roles/gateway/authenticator_connection.hpp"

#include <deque>
#include <memory>
#include <vector>

namespace lab::gateway {

class DirectoryPool final : public DirectoryConnection::Owner {
 public:
  // The server outlives the pool. Connects when first asked; at most `connections` at a time.
  DirectoryPool(net::Loop& loop, const DirectoryServer& server, int connections);
  ~DirectoryPool() override;
  DirectoryPool(const DirectoryPool&) = delete;
  DirectoryPool& operator=(const DirectoryPool&) = delete;

  // Answers from the loop, never before returning, and not at all once the pool is gone. A request whose kept connection
  // turns out stale is asked once more on another.
  void ask(DirectoryRequest request);

 private:
  void answered(DirectoryConnection& connection, bool keep, DirectoryRequest request, DirectoryReply reply) override;
  void lost(DirectoryConnection& connection, std::optional<DirectoryRequest> request, bool stale, Error error) override;

  void serve_waiting();
  DirectoryConnection* free_connection();
  Result<net::Stream> connect() const;
  void remove(DirectoryConnection& connection);
  void drop_idle();
  void expire_waiting();

  net::Loop& loop_;
  const DirectoryServer& server_;
  const std::size_t limit_;
  net::Timer queue_deadline_;
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);  // for what is deferred
  std::deque<DirectoryRequest> waiting_;
  std::vector<std::unique_ptr<DirectoryConnection>> connections_;  // the one used last at the end
};

}  // namespace lab::gateway
