// One thread of the directory: its own listeners, loop and connections. Shares nothing with the others but the tree, to read.
#pragma once

#include "connection.hpp"
#include "counters.hpp"
#include "net/loop.hpp"
#include "password.hpp"
#include "roles/common/listeners.hpp"
#include "tree.hpp"

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace lab::directory {

class Worker {
 public:
  Worker(const Tree& tree, std::vector<roles::Listening> listening, std::shared_ptr<SSL_CTX> context);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void run() { loop_.run(); }  // on the worker's thread, until drained

  // From any thread.
  void drain(net::Nanos limit);                        // no new connections; the others end, or are cut off at the limit
  void use_context(std::shared_ptr<SSL_CTX> context);  // for connections to come
  const Counters& counted() const { return counters_; }

  // For its connections.
  net::Loop& loop() { return loop_; }
  const Tree& tree() const { return tree_; }
  PasswordChecker& passwords() { return passwords_; }
  Counters& counters() { return counters_; }
  std::span<char> scratch() { return scratch_; }
  void remove(Connection& connection);  // after this batch of events

 private:
  void open(net::Fd socket, bool tls);
  void finish_when_empty();

  const Tree& tree_;
  net::Loop loop_;
  std::shared_ptr<SSL_CTX> context_;
  PasswordChecker passwords_;
  Counters counters_;
  std::vector<char> scratch_;
  bool draining_ = false;
  net::Timer drain_limit_;
  std::unordered_map<Connection*, std::unique_ptr<Connection>> connections_;
  roles::Acceptor acceptor_;
};

}  // namespace lab::directory
