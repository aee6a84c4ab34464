// A non-blocking byte stream over TCP or over TLS on TCP. Many TLS records leave in one send; reading is ahead.
#pragma once

#include "net/socket.hpp"
#include "net/tls.hpp"

#include <sys/uio.h>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace lab::net {

enum class Io { ok, again, closed, error };  // closed: the peer's orderly end (FIN, or close_notify)

struct IoResult {
  Io status;
  std::size_t bytes = 0;
};

class Stream {
 public:
  Stream() = default;
  explicit Stream(Fd fd) : fd_(std::move(fd)) {}
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&& other) noexcept;
  ~Stream();

  // Makes it TLS; call handshake() until it is ok. server_name: SNI and, when verifying, the name or address to match.
  Result<void> start_tls_server(SSL_CTX& context);
  Result<void> start_tls_client(SSL_CTX& context, const std::string& server_name, bool verify_name);
  IoResult handshake();

  IoResult read(std::span<char> into);
  // Takes as much as it can; what it took leaves now or by flush(). ok with fewer bytes, or again: wait until writable.
  IoResult write(std::span<const iovec> parts);
  IoResult write(std::string_view text);
  IoResult flush();  // TLS: ciphertext that the socket did not take yet
  bool flushed() const { return sent_ == pending_.size(); }
  // After a read that was ok: whether another may give bytes although no event comes. If not, the socket was found empty.
  bool may_have_more() const { return full_ || (ssl_ != nullptr && read_ahead()); }

  void shutdown();  // orderly: close_notify when TLS, then FIN; does not block
  void close();

  int fd() const { return fd_.get(); }
  SSL* ssl() const { return ssl_; }
  bool is_tls() const { return ssl_ != nullptr; }
  explicit operator bool() const { return static_cast<bool>(fd_); }
  const std::string& error() const { return error_; }  // after Io::error

 private:
  Result<void> attach(SSL_CTX& context);
  IoResult failed(int ssl_result, std::size_t bytes);
  IoResult write_tls(std::span<const iovec> parts);
  bool read_ahead() const;  // TLS: bytes that OpenSSL holds already

  friend struct StreamBio;
  Fd fd_;
  SSL* ssl_ = nullptr;
  std::vector<char> pending_;  // ciphertext not sent yet; empty while nothing waits
  std::size_t sent_ = 0;
  bool full_ = false;  // the last recv filled its buffer
  std::string error_;
};

}  // namespace lab::net
