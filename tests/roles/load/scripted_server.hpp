// A server that does what a test says: a function for each connection, on a thread of its own.
#pragma once

#include "net/socket.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

// The server's end of a connection: blocking, with a deadline.
class Session {
 public:
  Session(lab::net::Fd fd, int number) : fd_(std::move(fd)), number_(number) {}

  int number() const { return number_; }  // connections are counted from 0
  // The next request's head; empty when the client closed.
  std::string request() {
    while (in_.find("\r\n\r\n") == std::string::npos) {
      char buffer[4096];
      pollfd ready{fd_.get(), POLLIN, 0};
      const ssize_t got = poll(&ready, 1, 10'000) == 1 ? recv(fd_.get(), buffer, sizeof buffer, 0) : 0;
      if (got <= 0) {
        return {};
      }
      in_.append(buffer, static_cast<std::size_t>(got));
    }
    const auto end = in_.find("\r\n\r\n") + 4;
    std::string head = in_.substr(0, end);
    in_.erase(0, end);
    return head;
  }
  // The body that a head announces by its Content-Length.
  std::string body(const std::string& head) {
    const auto at = head.find("\r\nContent-Length: ");
    const std::size_t length = at == std::string::npos ? 0 : std::stoul(head.substr(at + 18));
    while (in_.size() < length) {
      char buffer[4096];
      pollfd ready{fd_.get(), POLLIN, 0};
      const ssize_t got = poll(&ready, 1, 10'000) == 1 ? recv(fd_.get(), buffer, sizeof buffer, 0) : 0;
      if (got <= 0) {
        return {};
      }
      in_.append(buffer, static_cast<std::size_t>(got));
    }
    std::string body = in_.substr(0, length);
    in_.erase(0, length);
    return body;
  }
  std::string peer() const { return lab::net::Address::peer_of(fd_.get()).host(); }
  void send(std::string_view text) {
    while (!text.empty()) {
      pollfd ready{fd_.get(), POLLOUT, 0};
      const ssize_t sent = poll(&ready, 1, 10'000) == 1 ? ::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL) : -1;
      if (sent < 0) {
        return;
      }
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  void answer(int status, std::string_view body, const std::string& headers = {}) {
    send("HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + headers + "\r\n" +
         std::string(body));
  }
  // Answers every request alike until the client closes.
  void answer_all(int status, std::string_view body, const std::string& headers = {}) {
    while (!request().empty()) {
      answer(status, body, headers);
    }
  }
  void reset() {  // the client sees ECONNRESET
    const linger now{1, 0};
    setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    fd_.reset();
  }

 private:
  lab::net::Fd fd_;
  int number_;
  std::string in_;
};

class ScriptedServer {
 public:
  using Script = std::function<void(Session&)>;

  explicit ScriptedServer(Script script, std::uint16_t port = 0) : script_(std::move(script)) {
    listener_ = lab::net::listen_tcp(lab::net::Address::resolve("127.0.0.1", port).value(), false).value();
    address_ = lab::net::Address::local_of(listener_.get()).text();
    acceptor_ = std::thread([this] { accept(); });
  }
  ~ScriptedServer() {
    stopping_ = true;
    shutdown(listener_.get(), SHUT_RDWR);
    acceptor_.join();
    const std::lock_guard lock(mutex_);
    for (std::thread& session : sessions_) {
      session.join();
    }
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::string url(const std::string& path = "/") const { return "http://" + address_ + path; }
  int connections() const { return connections_; }

 private:
  void accept() {
    while (!stopping_) {
      pollfd ready{listener_.get(), POLLIN, 0};
      poll(&ready, 1, 1000);
      lab::net::Fd fd(::accept(listener_.get(), nullptr, nullptr));
      if (!fd) {
        continue;
      }
      const std::lock_guard lock(mutex_);
      sessions_.emplace_back([this, number = connections_++, taken = std::move(fd)]() mutable {
        Session session(std::move(taken), number);
        script_(session);
      });
    }
  }

  Script script_;
  lab::net::Fd listener_;
  std::string address_;
  std::atomic<bool> stopping_{false};
  std::atomic<int> connections_{0};
  std::mutex mutex_;
  std::vector<std::thread> sessions_;
  std::thread acceptor_;
};
