// One thread's connections to the servers of a junction: kept, and used again last in, first out.
#pragma once

#include "net/loop.hpp"
#include "roles/gateway/channel.hpp"
#include "roles/gateway/junctions.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace lab::gateway {

class ServerPool;

inline constexpr std::size_t kNoServer = static_cast<std::size_t>(-1);

// Who has a connection out. Told of every event of it, also that it failed.
class BackendUser {
 public:
  virtual ~BackendUser() = default;
  virtual void on_backend() = 0;
};

class BackendConnection final : public net::Watcher {
 public:
  enum class State { connecting, handshaking, ready, failed };

  BackendConnection(ServerPool& pool, BlockPool& blocks) : channel(blocks), pool_(pool) {}

  Channel channel;
  State state() const { return state_; }
  bool reused() const { return uses_ > 1; }            // an earlier exchange went over it
  const std::string& error() const { return error_; }  // failed: why

 private:
  friend class ServerPool;
  void on_events(std::uint32_t events) override;
  void establish(std::uint32_t events);
  void shake_hands();
  void check_server_name();
  void fail(std::string why);

  ServerPool& pool_;
  BackendUser* user_ = nullptr;
  State state_ = State::connecting;
  std::uint64_t uses_ = 0;
  net::Nanos idle_since_ = 0;
  std::size_t slot_ = 0;  // while it is out: its place among those
  std::string error_;
};

class ServerPool {
 public:
  using Report = std::function<void(const Error&)>;
  ServerPool(net::Loop& loop, BlockPool& blocks, const Report& report, const Mount& mount, const Server& server);
  ~ServerPool();
  ServerPool(const ServerPool&) = delete;
  ServerPool& operator=(const ServerPool&) = delete;

  const Server& server() const { return server_; }
  std::size_t busy() const { return out_.size(); }
  // By this thread a moment ago, or by the last ping.
  bool marked_down() const { return loop_.now() < down_until_ || server_.status->down.load(std::memory_order_relaxed); }
  void mark_down(const std::string& why);  // reported, at most every 30 s

  // A kept connection, or a new one on its way; `fresh` wants a new one. Null: it could not even be tried.
  BackendConnection* acquire(BackendUser& user, bool fresh);
  void release(BackendConnection& connection);  // kept for the next
  void discard(BackendConnection& connection);  // closed
  void close_idle_since(net::Nanos instant);    // those not used since then
  void close_idle();

 private:
  friend class BackendConnection;
  std::unique_ptr<BackendConnection> connect();
  void on_idle_event(BackendConnection& connection);
  std::unique_ptr<BackendConnection> take_back(BackendConnection& connection);
  void bury(std::unique_ptr<BackendConnection> connection);

  net::Loop& loop_;
  BlockPool& blocks_;
  const Report& report_;
  const Mount& mount_;
  const Server& server_;
  std::vector<std::unique_ptr<BackendConnection>> idle_, out_;
  net::Nanos down_until_ = 0, reported_ = 0;
};

// The servers of one junction, as one thread sees them. Requests under way hold it; it outlives its junction's removal with them.
class MountPool {
 public:
  MountPool(net::Loop& loop, BlockPool& blocks, const ServerPool::Report& report, MountPtr mount);

  const Mount& mount() const { return *mount_; }
  const MountPtr& shared() const { return mount_; }

  // The server `pinned` while it may be used, else the least busy one that was not tried yet, in turn among equals; those marked
  // down only when no other is left. `tried` has a bit for each server and gets the chosen one's. Null: none is left.
  ServerPool* choose(std::uint64_t& tried, std::size_t pinned);
  const std::vector<std::unique_ptr<ServerPool>>& servers() const { return servers_; }

 private:
  bool may_use(std::size_t at, bool pinned) const;

  MountPtr mount_;
  std::vector<std::unique_ptr<ServerPool>> servers_;
  std::size_t next_ = 0;
};

}  // namespace lab::gateway
