// One thread of the directory: its own listeners, loop and connections. Shares nothing with the others but the tree.
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
  struct Settings {
    int thread = 0;
    std::size_t connections = 0;  // at most; further ones are told that the directory is busy
    std::shared_ptr<const std::vector<Fault>> faults;
  };
  Worker(Tree& tree, const Authority& authority, std::vector<roles::Listening> listening, std::shared_ptr<SSL_CTX> context,
         const Settings& settings);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void run() { loop_.run(); }  // on the worker's thread, until drained

  // From any thread.
  void drain(net::Nanos limit);                                       // no new connections; the others end, or are cut off at the limit
  void use_context(std::shared_ptr<SSL_CTX> context);                 // for connections to come
  void use_faults(std::shared_ptr<const std::vector<Fault>> faults);  // for operations to come
  const Counters& counted() const { return counters_; }

  // For its connections.
  net::Loop& loop() { return loop_; }
  Session::Surroundings surroundings() { return {tree_, authority_, passwords_, counters_, faults_}; }
  SSL_CTX& tls_context() { return *context_; }
  std::span<char> scratch() { return scratch_; }
  void remove(Connection& connection);  // after this batch of events

 private:
  void open(net::Fd socket, const roles::Listening& from);
  void refuse(const net::Fd& socket, bool tls) const;
  void finish_when_empty();

  Tree& tree_;
  const Authority& authority_;
  const std::size_t most_connections_;
  Faults faults_;
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
