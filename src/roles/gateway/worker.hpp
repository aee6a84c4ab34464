// One thread of the gateway: its loop, its listeners, its clients. Threads share listeners' addresses, never connections.
#pragma once

#include "roles/gateway/client_connection.hpp"
#include "roles/gateway/health_checks.hpp"
#include "roles/gateway/thread_context.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace lab::gateway {

using SharedTls = std::shared_ptr<SSL_CTX>;  // the thread's own; a new one after a reload; connections keep theirs

class Worker final : public ClientOwner {
 public:
  Worker(SitePtr site, Shared& shared, LogWriter& writer, std::size_t max_connections);
  ~Worker() override;

  // Before run().
  net::Loop& loop() { return loop_; }
  void set_authenticator(std::unique_ptr<Authenticator> authenticator) { thread_.authenticator = std::move(authenticator); }
  void set_peers(std::vector<Worker*> peers) { peers_ = std::move(peers); }  // itself included
  void add_listener(net::Fd fd, bool tls);

  void start();  // its thread
  void join();

  // On the loop's thread, by post.
  void set_tls(SharedTls tls) { tls_ = std::move(tls); }
  void adopt_site(SitePtr site) { thread_.adopt(std::move(site)); }
  void watch_servers() { health_ = std::make_unique<HealthChecks>(thread_); }  // one thread does, for all
  void stop_listening();                                                       // what waits to be accepted is still taken in
  void drain();                                                                // once no thread listens: ends with the last request
  void flush_log() { thread_.log.hand_over(); }
  const Statistics& statistics() const { return thread_.statistics; }

  // From any thread.
  std::size_t open_connections() const { return open_.load(std::memory_order_relaxed); }

 private:
  struct Listener;
  bool accept_from(Listener& listener);
  void adopt(net::Fd fd, bool tls);
  Worker& least_busy();
  void pause_accepting();
  void resume_accepting();
  void on_closed(ClientConnection& connection) override;
  void close_all();
  void stop_when_empty();
  void sweep();

  net::Loop loop_;
  ThreadContext thread_;
  std::size_t max_connections_;
  SharedTls tls_;
  std::vector<Worker*> peers_;
  std::unique_ptr<HealthChecks> health_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::vector<std::unique_ptr<ClientConnection>> connections_;
  std::atomic<std::size_t> open_{0};
  bool paused_ = false;
  bool ending_ = false;
  net::Timer resume_, sweep_, deadline_;
  std::thread running_;
};

}  // namespace lab::gateway
