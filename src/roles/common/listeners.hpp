// Listening sockets of a role that serves: every address once for each thread, accepted on that thread's loop.
#pragma once

#include "lab/error.hpp"
#include "lab/roles.hpp"
#include "net/loop.hpp"
#include "net/socket.hpp"
#include "net/tls.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lab::roles {

struct Listening {
  net::Fd socket;
  bool tls = false;
  bool local = false;  // a Unix socket: the kernel knows who is at the other end
};

struct Listeners {
  std::vector<std::vector<Listening>> of_threads;
  std::vector<std::string> urls;  // "ldap://127.0.0.1:3890", with the ports that the kernel gave
};

// Opens all of service.plain and service.tls for service.threads threads. An address that somebody else has is an error.
Result<Listeners> open_listeners(const Service& service, const std::string& plain_scheme, const std::string& tls_scheme);

// One context a thread, so that they share no locks, all with the ticket keys of the first (or of `earlier`), so that a session
// resumes on any of them. Empty when the service has no TLS address.
using TlsContexts = std::vector<std::shared_ptr<SSL_CTX>>;
Result<TlsContexts> make_contexts(const Service& service, const TlsContexts& earlier = {});

// Accepts on a loop until closed; pauses when the process has no descriptors left. All on the loop's thread.
class Acceptor {
 public:
  Acceptor(net::Loop& loop, std::vector<Listening> listening, std::function<void(net::Fd socket, const Listening& from)> on_connection);
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  void close();

 private:
  struct Listener;
  void accept(Listener& listener);
  void watch();
  void unwatch();

  net::Loop& loop_;
  std::function<void(net::Fd socket, const Listening& from)> on_connection_;
  net::Timer pause_;
  std::vector<std::unique_ptr<Listener>> listeners_;
};

}  // namespace lab::roles
