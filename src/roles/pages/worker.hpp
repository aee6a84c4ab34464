// One thread of the page server: its own listeners, loop, heads and connections. Shares nothing with the others.
#pragma once

#include "http/message.hpp"
#include "net/loop.hpp"
#include "net/socket.hpp"
#include "net/tls.hpp"
#include "roles/common/listeners.hpp"
#include "roles/pages/connection.hpp"
#include "roles/pages/database.hpp"
#include "roles/pages/heads.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace lab::pages {

// Written by the worker's thread alone, read by any.
class Counter {
 public:
  void add(std::uint64_t n = 1) { value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed); }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

struct alignas(64) Counters {
  Counter requests, pages, bytes, connections, handshakes, database_reads;
};

class Worker {
 public:
  // With a database pages come from there, else they are made.
  Worker(std::vector<roles::Listening> listening, std::shared_ptr<SSL_CTX> context, const std::optional<DatabaseClient>& database = {},
         net::Nanos delay = 0);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void run();  // on the worker's thread, until drained

  // From any thread.
  void drain(net::Nanos limit);                        // no new connections, idle ones closed, the others finished or cut off at the limit
  void use_context(std::shared_ptr<SSL_CTX> context);  // for connections to come
  const Counters& counters() const { return counters_; }

  // For its connections.
  net::Loop& loop() { return loop_; }
  Counters& counted() { return counters_; }
  HeadCache& heads() { return heads_; }
  Database* database() { return database_.get(); }  // null: pages are made
  net::Nanos delay() const { return delay_; }       // before each page
  http::Request& request() { return request_; }
  std::span<char> scratch() { return scratch_; }
  std::int64_t unix_seconds() const;
  bool draining() const { return draining_; }
  void remove(Connection& connection);  // after this batch of events

 private:
  void open(net::Fd socket, bool tls);
  void finish_when_empty();

  net::Loop loop_;
  std::shared_ptr<SSL_CTX> context_;
  const net::Nanos delay_;
  Counters counters_;
  HeadCache heads_;
  http::Request request_;
  std::vector<char> scratch_;
  net::Timer drain_limit_;
  bool draining_ = false;
  std::unique_ptr<Database> database_;  // outlives the connections that ask it
  roles::Acceptor acceptor_;
  std::unordered_map<Connection*, std::unique_ptr<Connection>> connections_;
};

}  // namespace lab::pages
