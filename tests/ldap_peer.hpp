// The other end of an LDAP connection in a test, client or server: blocking, with a deadline on every wait.
#pragma once

#include "ldap/message.hpp"
#include "net/socket.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

class LdapPeer {
 public:
  explicit LdapPeer(lab::net::Fd socket) : socket_(std::move(socket)) {}

  static LdapPeer connect(const std::string& url) {
    const auto address = lab::net::Address::parse(std::string_view(url).substr(url.find("://") + 3));
    LdapPeer peer(std::move(*lab::net::connect_tcp(address.value())));
    peer.wait(POLLOUT);
    return peer;
  }

  void send(const lab::ldap::Message& message) {
    std::string bytes;
    lab::ldap::encode(bytes, message);
    send_bytes(bytes);
  }

  void send_bytes(std::string_view bytes) {
    while (!bytes.empty()) {
      wait(POLLOUT);
      const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0) {
        return;  // the other end has gone, as what follows will show
      }
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  // The next message; nothing when the other end has closed.
  std::optional<lab::ldap::Message> receive() {
    for (;;) {
      const auto frame = lab::ldap::frame(in_, 64 << 20);
      if (frame.status == lab::ldap::ber::Frame::Status::complete) {
        auto message = lab::ldap::decode(std::string_view(in_).substr(0, frame.size));
        in_.erase(0, frame.size);
        return message.value();
      }
      std::array<char, 65536> buffer;
      wait(POLLIN);
      const ssize_t got = recv(socket_.get(), buffer.data(), buffer.size(), 0);
      if (got <= 0) {
        return std::nullopt;
      }
      in_.append(buffer.data(), static_cast<std::size_t>(got));
    }
  }

  // The next message, which must be a response.
  lab::ldap::Response response() {
    const auto message = receive();
    if (!message || !std::holds_alternative<lab::ldap::Response>(message->operation)) {
      throw std::runtime_error("no response came");
    }
    return std::get<lab::ldap::Response>(message->operation);
  }

  int fd() const { return socket_.get(); }

 private:
  void wait(short events) const {
    pollfd poll_for{socket_.get(), events, 0};
    if (poll(&poll_for, 1, 20'000) <= 0) {
      throw std::runtime_error("nothing happened on the connection for 20 s");
    }
  }

  lab::net::Fd socket_;
  std::string in_;
};
