#include "net/stream.hpp"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <algorithm>
#include <cerrno>
#include <cstring>

namespace lab::net {

namespace {

constexpr std::size_t kGather = 256 * 1024;  // ciphertext that one send may carry

// Ciphertext of the write under way: a thread writes one stream at a time, so the room is the thread's.
std::vector<char>& gathered() {
  thread_local std::vector<char> buffer;
  return buffer;
}

// Whether the thread's last recv filled its buffer, so that more may wait in the socket.
thread_local bool last_receive_full = false;

IoResult receive(int fd, char* into, std::size_t size) {
  for (;;) {
    const ssize_t got = recv(fd, into, size, 0);
    last_receive_full = got == static_cast<ssize_t>(size);
    if (got > 0) {
      return {Io::ok, static_cast<std::size_t>(got)};
    }
    if (got == 0) {
      return {Io::closed};
    }
    if (errno != EINTR) {
      return {errno == EAGAIN || errno == EWOULDBLOCK ? Io::again : Io::error};
    }
  }
}

IoResult transmit(int fd, const iovec* parts, std::size_t count) {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts);
  message.msg_iovlen = count;
  for (;;) {
    const ssize_t sent = count == 1 ? send(fd, parts->iov_base, parts->iov_len, MSG_NOSIGNAL) : sendmsg(fd, &message, MSG_NOSIGNAL);
    if (sent >= 0) {
      return {Io::ok, static_cast<std::size_t>(sent)};
    }
    if (errno != EINTR) {
      return {errno == EAGAIN || errno == EWOULDBLOCK ? Io::again : Io::error};
    }
  }
}

bool is_numeric(const std::string& host) {
  in6_addr address{};
  return inet_pton(AF_INET, host.c_str(), &address) == 1 || inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

}  // namespace

// OpenSSL reads straight from the socket; what it writes is gathered, and Stream sends it in one go.
struct StreamBio {
  static int write(BIO* bio, const char* data, int length) {
    BIO_clear_retry_flags(bio);
    std::vector<char>& out = gathered();
    out.insert(out.end(), data, data + length);
    return length;
  }

  static int read(BIO* bio, char* into, int length) {
    BIO_clear_retry_flags(bio);
    const IoResult got = receive(fd(bio), into, static_cast<std::size_t>(length));
    if (got.status == Io::again) {
      BIO_set_retry_read(bio);
      return -1;
    }
    if (got.status == Io::closed) {
      BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
      return 0;
    }
    return got.status == Io::ok ? static_cast<int>(got.bytes) : -1;
  }

  static long ctrl(BIO* bio, int command, long, void*) {
    if (command == BIO_CTRL_EOF) {
      return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
    }
    return command == BIO_CTRL_FLUSH ? 1 : 0;
  }

  static int create(BIO* bio) {
    BIO_set_init(bio, 1);
    return 1;
  }

  static int fd(BIO* bio) { return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio))); }

  static BIO_METHOD* method() {
    static BIO_METHOD* const made = [] {
      BIO_METHOD* fresh = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "lab socket");
      BIO_meth_set_write(fresh, write);
      BIO_meth_set_read(fresh, read);
      BIO_meth_set_ctrl(fresh, ctrl);
      BIO_meth_set_create(fresh, create);
      return fresh;
    }();
    return made;
  }
};

Stream::Stream(Stream&& other) noexcept
    : fd_(std::move(other.fd_)),
      ssl_(std::exchange(other.ssl_, nullptr)),
      pending_(std::move(other.pending_)),
      sent_(std::exchange(other.sent_, 0)),
      full_(std::exchange(other.full_, false)),
      error_(std::move(other.error_)) {
  other.pending_.clear();
}

Stream& Stream::operator=(Stream&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = std::move(other.fd_);
    ssl_ = std::exchange(other.ssl_, nullptr);
    pending_ = std::move(other.pending_);
    other.pending_.clear();
    sent_ = std::exchange(other.sent_, 0);
    full_ = std::exchange(other.full_, false);
    error_ = std::move(other.error_);
  }
  return *this;
}

Stream::~Stream() { close(); }

Result<void> Stream::attach(SSL_CTX& context) {
  ssl_ = SSL_new(&context);
  BIO* bio = ssl_ == nullptr ? nullptr : BIO_new(StreamBio::method());
  if (bio == nullptr) {
    return Error{"no memory for a TLS connection: " + openssl_errors(), {}, {}, {}};
  }
  BIO_set_data(bio,
               reinterpret_cast<void*>(static_cast<std::intptr_t>(fd_.get())));  // NOLINT(performance-no-int-to-ptr): it keeps a number
  SSL_set_bio(ssl_, bio, bio);
  return {};
}

Result<void> Stream::start_tls_server(SSL_CTX& context) {
  if (Result<void> attached = attach(context); !attached) {
    return attached;
  }
  SSL_set_accept_state(ssl_);
  return {};
}

Result<void> Stream::start_tls_client(SSL_CTX& context, const std::string& server_name, bool verify_name) {
  if (Result<void> attached = attach(context); !attached) {
    return attached;
  }
  SSL_set_connect_state(ssl_);
  const bool numeric = is_numeric(server_name);
  if (!numeric && !server_name.empty()) {
    SSL_set_tlsext_host_name(ssl_, server_name.c_str());  // RFC 6066: names only
  }
  if (verify_name && !server_name.empty()) {
    if (numeric) {
      X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_), server_name.c_str());
    } else {
      SSL_set1_host(ssl_, server_name.c_str());
    }
  }
  return {};
}

// What an SSL call that did not succeed means. Whatever it wrote (an alert, a handshake flight) is sent first.
IoResult Stream::failed(int ssl_result, std::size_t bytes) {
  const int why = SSL_get_error(ssl_, ssl_result);
  if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) {
    return {Io::again, bytes};
  }
  if (why == SSL_ERROR_ZERO_RETURN) {
    return {Io::closed, bytes};
  }
  const long verdict = SSL_get_verify_result(ssl_);
  error_ = openssl_errors();
  if (verdict != X509_V_OK && !SSL_is_init_finished(ssl_)) {
    error_ += std::string(error_.empty() ? "" : ": ") + X509_verify_cert_error_string(verdict);
  }
  if (error_.empty()) {
    error_ = "connection closed without TLS close_notify";
  }
  return {Io::error, bytes};
}

IoResult Stream::handshake() {
  if (!flushed()) {
    if (const IoResult sent = flush(); sent.status != Io::ok) {
      return sent;
    }
  }
  ERR_clear_error();
  gathered().clear();
  const int result = SSL_do_handshake(ssl_);
  const IoResult outcome = result == 1 ? IoResult{Io::ok} : failed(result, 0);
  pending_.assign(gathered().begin(), gathered().end());
  sent_ = 0;
  const IoResult sent = flush();
  if (outcome.status == Io::error) {
    return outcome;
  }
  return sent.status == Io::ok ? outcome : sent;
}

IoResult Stream::read(std::span<char> into) {
  if (ssl_ == nullptr) {
    const IoResult got = receive(fd_.get(), into.data(), into.size());
    full_ = last_receive_full;
    if (got.status == Io::error) {
      error_ = std::strerror(errno);
    }
    return got;
  }
  ERR_clear_error();
  gathered().clear();
  std::size_t total = 0;
  while (total < into.size()) {
    std::size_t got = 0;
    last_receive_full = full_;
    const int result = SSL_read_ex(ssl_, into.data() + total, into.size() - total, &got);
    full_ = last_receive_full;
    if (result != 1) {
      const IoResult outcome = failed(result, 0);
      if (!gathered().empty()) {  // a post-handshake answer or an alert
        pending_.insert(pending_.end(), gathered().begin(), gathered().end());
        flush();
      }
      return total > 0 ? IoResult{Io::ok, total} : outcome;
    }
    total += got;
    if (!read_ahead()) {
      break;
    }
  }
  return {Io::ok, total};
}

bool Stream::read_ahead() const { return SSL_has_pending(ssl_) == 1; }

IoResult Stream::write(std::string_view text) {
  const iovec part{const_cast<char*>(text.data()), text.size()};
  return write(std::span(&part, 1));
}

IoResult Stream::write(std::span<const iovec> parts) {
  if (ssl_ != nullptr) {
    return write_tls(parts);
  }
  const IoResult sent = transmit(fd_.get(), parts.data(), parts.size());
  if (sent.status == Io::error) {
    error_ = std::strerror(errno);
  }
  return sent;
}

IoResult Stream::write_tls(std::span<const iovec> parts) {
  if (!flushed()) {
    if (const IoResult sent = flush(); sent.status != Io::ok) {
      return sent;
    }
  }
  ERR_clear_error();
  std::vector<char>& out = gathered();
  out.clear();
  // A small head joins the start of its body in one record.
  thread_local std::vector<char> joined;
  std::size_t taken = 0;
  std::size_t part = 0, offset = 0;
  while (part < parts.size() && out.size() < kGather) {
    const char* data = static_cast<const char*>(parts[part].iov_base) + offset;
    std::size_t length = parts[part].iov_len - offset;
    if (length == 0) {
      ++part;
      offset = 0;
      continue;
    }
    constexpr std::size_t kRecord = 16 * 1024;
    if (length < kRecord && part + 1 < parts.size()) {
      joined.assign(data, data + length);
      for (std::size_t next = part + 1; next < parts.size() && joined.size() < kRecord; ++next) {
        const char* more = static_cast<const char*>(parts[next].iov_base);
        joined.insert(joined.end(), more, more + std::min(parts[next].iov_len, kRecord - joined.size()));
      }
      data = joined.data();
      length = joined.size();
    }
    std::size_t wrote = 0;
    const int result = SSL_write_ex(ssl_, data, std::min(length, kRecord), &wrote);
    if (result != 1) {
      const IoResult outcome = failed(result, taken);
      if (outcome.status == Io::error) {
        return outcome;
      }
      break;
    }
    taken += wrote;
    while (wrote > 0) {  // step over what was taken, across parts
      const std::size_t here = std::min(wrote, parts[part].iov_len - offset);
      offset += here;
      wrote -= here;
      if (offset == parts[part].iov_len) {
        ++part;
        offset = 0;
      }
    }
  }
  const iovec all{out.data(), out.size()};
  const IoResult sent = out.empty() ? IoResult{Io::ok} : transmit(fd_.get(), &all, 1);
  if (sent.status == Io::error) {
    error_ = std::strerror(errno);
    return sent;
  }
  if (sent.bytes < out.size()) {
    pending_.assign(out.begin() + static_cast<std::ptrdiff_t>(sent.bytes), out.end());
    sent_ = 0;
  }
  return {Io::ok, taken};
}

IoResult Stream::flush() {
  while (sent_ < pending_.size()) {
    const iovec rest{pending_.data() + sent_, pending_.size() - sent_};
    const IoResult sent = transmit(fd_.get(), &rest, 1);
    if (sent.status != Io::ok) {
      if (sent.status == Io::error) {
        error_ = std::strerror(errno);
      }
      return sent;
    }
    sent_ += sent.bytes;
  }
  if (!pending_.empty()) {
    std::vector<char>().swap(pending_);  // idle connections hold no buffer
    sent_ = 0;
  }
  return {Io::ok};
}

void Stream::shutdown() {
  if (!fd_) {
    return;
  }
  if (ssl_ != nullptr && SSL_is_init_finished(ssl_) && flushed()) {
    ERR_clear_error();
    gathered().clear();
    SSL_shutdown(ssl_);
    const iovec alert{gathered().data(), gathered().size()};
    if (alert.iov_len > 0) {
      transmit(fd_.get(), &alert, 1);
    }
  }
  ::shutdown(fd_.get(), SHUT_WR);
}

void Stream::close() {
  if (ssl_ != nullptr) {
    SSL_free(std::exchange(ssl_, nullptr));
  }
  pending_.clear();
  sent_ = 0;
  fd_.reset();
}

}  // namespace lab::net
