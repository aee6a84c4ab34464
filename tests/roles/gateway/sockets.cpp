#include "sockets.hpp"

#include "http/message.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <algorithm>
#include <catch2/catch.hpp>
#include <stdexcept>

namespace lab::gateway::test {

namespace {

net::Address loopback(std::uint16_t port) { return net::Address::resolve("127.0.0.1", port).value(); }

std::string_view head_of(std::string_view message) { return message.substr(0, message.find("\r\n\r\n") + 2); }

}  // namespace

Peer::Peer(net::Fd fd) : fd_(std::move(fd)) {
  fcntl(fd_.get(), F_SETFL, fcntl(fd_.get(), F_GETFL) & ~O_NONBLOCK);
  const timeval limit{10, 0};
  setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(fd_.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  net::set_nodelay(fd_.get());
}

Peer Peer::connect(std::uint16_t port) {
  const net::Address address = loopback(port);
  net::Fd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(fd.get(), address.data(), address.size()) != 0) {
    throw std::runtime_error("test: cannot connect to port " + std::to_string(port));
  }
  return Peer(std::move(fd));
}

void Peer::send(std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) {
      return;  // the other side went away; what it answered shows why
    }
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string Peer::read_some() {
  if (!ahead_.empty()) {
    return std::exchange(ahead_, {});
  }
  std::string text(64 * 1024, ' ');
  const ssize_t got = recv(fd_.get(), text.data(), text.size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
    throw std::runtime_error("test: nothing came within ten seconds");
  }
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

std::string Peer::read_until(std::string_view mark) {
  std::string text;
  for (;;) {
    const std::string more = read_some();
    text += more;
    if (const auto at = text.find(mark); at != std::string::npos) {
      ahead_ = text.substr(at + mark.size());
      text.resize(at + mark.size());
      return text;
    }
    if (more.empty()) {
      return text;
    }
  }
}

std::string Peer::read_exactly(std::size_t count) {
  std::string text;
  while (text.size() < count) {
    const std::string more = read_some();
    if (more.empty()) {
      return text;
    }
    text += more;
  }
  ahead_ = text.substr(count);
  text.resize(count);
  return text;
}

std::string Peer::read_to_end() {
  std::string text;
  for (std::string more = read_some(); !more.empty(); more = read_some()) {
    text += more;
  }
  return text;
}

bool Peer::ended() { return read_some().empty(); }

void Peer::finish() const { shutdown(fd_.get(), SHUT_WR); }

void Peer::reset() {
  const linger at_once{1, 0};
  setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  fd_.reset();
}

std::string Peer::read_message(bool bodiless) {
  std::string message = read_until("\r\n\r\n");
  if (bodiless) {
    return message;
  }
  if (http::equals_ignore_case(header_of(message, "Transfer-Encoding"), "chunked")) {
    return message + read_until("0\r\n\r\n");
  }
  if (has_header(message, "Content-Length")) {
    return message + read_exactly(std::stoul(header_of(message, "Content-Length")));
  }
  return message;
}

std::string Peer::read_request() { return read_message(false); }

std::string Peer::read_response(bool to_head) { return read_message(to_head); }

ScriptedServer::ScriptedServer(Script script)
    : script_(std::move(script)),
      listener_(net::listen_tcp(loopback(0), false).value()),
      port_(net::Address::local_of(listener_.get()).port()) {
  fcntl(listener_.get(), F_SETFL, fcntl(listener_.get(), F_GETFL) & ~O_NONBLOCK);
  thread_ = std::thread([this] { serve(); });
}

ScriptedServer::~ScriptedServer() {
  shutdown(listener_.get(), SHUT_RDWR);
  thread_.join();
  for (std::thread& one : running_) {
    one.join();
  }
}

void ScriptedServer::serve() {
  for (;;) {
    net::Fd fd(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!fd) {
      return;
    }
    const int number = ++connections_;
    running_.emplace_back([this, number, peer = std::make_shared<Peer>(std::move(fd))] {
      try {
        script_(*peer, number);
      } catch (const std::exception&) {
        peer->close();  // a script that waits in vain: the test's own checks tell
      }
    });
  }
}

std::vector<std::string> ScriptedServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void ScriptedServer::note(const std::string& request) {
  const std::lock_guard lock(mutex_);
  requests_.push_back(request);
}

ScriptedServer::Script answering(ScriptedServer*& server, const std::string& response) {
  return [&server, response](Peer& peer, int) {
    for (std::string request = peer.read_request(); !request.empty(); request = peer.read_request()) {
      server->note(request);
      peer.send(response);
    }
  };
}

std::string status_of(const std::string& response) { return response.size() < 12 ? "" : response.substr(9, 3); }

std::string header_of(const std::string& message, std::string_view name) {
  std::string_view rest = head_of(message);
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find("\r\n"));
    const auto colon = line.find(": ");
    if (colon != std::string_view::npos && http::equals_ignore_case(line.substr(0, colon), name)) {
      return std::string(line.substr(colon + 2));
    }
    rest.remove_prefix(std::min(rest.size(), line.size() + 2));
  }
  return "";
}

bool has_header(const std::string& message, std::string_view name) {
  std::string_view rest = head_of(message);
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find("\r\n"));
    if (http::equals_ignore_case(line.substr(0, line.find(':')), name)) {
      return true;
    }
    rest.remove_prefix(std::min(rest.size(), line.size() + 2));
  }
  return false;
}

std::string body_of(const std::string& message) {
  const auto at = message.find("\r\n\r\n");
  return at == std::string::npos ? "" : message.substr(at + 4);
}

}  // namespace lab::gateway::test
