// Descriptors with one owner, numeric addresses, and the TCP and Unix sockets that the roles use. All are non-blocking.
#pragma once

#include "lab/error.hpp"

#include <sys/socket.h>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace lab::net {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept;
  ~Fd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset();
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

class Address {
 public:
  // "127.0.0.1", 8080. A name is resolved (files and DNS); the first answer counts.
  static Result<Address> resolve(const std::string& host, std::uint16_t port);
  static Result<Address> parse(std::string_view host_and_port);  // "127.0.0.1:8080", "[::1]:8080", "name:80"
  static Address peer_of(int fd);
  static Address local_of(int fd);

  std::string host() const;  // numeric, without a port
  std::uint16_t port() const;
  std::string text() const;  // "127.0.0.1:8080", "[::1]:8080"
  const sockaddr* data() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  socklen_t size() const { return size_; }

 private:
  sockaddr_storage storage_{};
  socklen_t size_ = 0;
};

// SO_REUSEADDR always, SO_REUSEPORT when threads share the address. "address already in use" names the address and a remedy.
Result<Fd> listen_tcp(const Address& address, bool reuse_port, int backlog = 4096);
// The connection is under way; a writable event and pending_error() tell how it went. TCP_NODELAY is set.
Result<Fd> connect_tcp(const Address& address, const Address* source = nullptr);
int pending_error(int fd);  // SO_ERROR
void set_nodelay(int fd);

// Paths longer than a sockaddr holds (107 bytes) are reached through their open parent folder.
Result<Fd> listen_unix(const std::string& path);   // mode 0600; a stale socket file is replaced, a live one is an error
Result<Fd> connect_unix(const std::string& path);  // blocking connect, then non-blocking

}  // namespace lab::net
