// Raw sockets for tests of the gateway: a client that sends what it likes, and back ends that follow a script.
#pragma once

#include "net/socket.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace lab::gateway::test {

// A blocking connection whose reads and writes end after ten seconds at the latest.
class Peer {
 public:
  explicit Peer(net::Fd fd);
  static Peer connect(std::uint16_t port);

  void send(std::string_view text);
  std::string read_some();                        // "" at the end
  std::string read_until(std::string_view mark);  // up to and with the mark; what came until the end if it does not come
  std::string read_exactly(std::size_t count);
  std::string read_to_end();
  bool ended();         // nothing more comes: waits for the end
  void finish() const;  // sends no more
  void reset();         // closes with a reset
  void close() { fd_.reset(); }
  int fd() const { return fd_.get(); }

  // A head and its body by Content-Length or chunks (as sent), or to the end.
  std::string read_response(bool to_head = false);
  std::string read_request();

 private:
  std::string read_message(bool bodiless);

  net::Fd fd_;
  std::string ahead_;  // read, not yet given out
};

// Listens on a port of the kernel's choice; each connection runs the script on a thread of its own.
class ScriptedServer {
 public:
  using Script = std::function<void(Peer& peer, int number)>;  // number: of the connection, from 1
  explicit ScriptedServer(Script script);
  ~ScriptedServer();

  std::uint16_t port() const { return port_; }
  int connections() const { return connections_.load(); }
  std::vector<std::string> requests() const;  // heads that scripts noted
  void note(const std::string& request);

 private:
  void serve();

  Script script_;
  net::Fd listener_;
  std::uint16_t port_ = 0;
  std::atomic<int> connections_{0};
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::vector<std::thread> running_;
  std::thread thread_;
};

// Answers every request on a kept connection with the text; notes each request.
ScriptedServer::Script answering(ScriptedServer*& server, const std::string& response);

std::string status_of(const std::string& response);                        // "200"
std::string header_of(const std::string& message, std::string_view name);  // first one's value; "" when there is none
std::string body_of(const std::string& message);
bool has_header(const std::string& message, std::string_view name);

}  // namespace lab::gateway::test
