#include "remote/ssh_session.hpp"

#include "remote/ssh_key.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <algorithm>
#include <array>
#include <cerrno>

namespace lab::remote {
namespace {

using namespace std::chrono_literals;

constexpr unsigned kKeepaliveSeconds = 15;
constexpr unsigned kUnacknowledgedMs = 30'000;  // a peer that is gone is noticed after so long

std::string endpoint(const Target& target) { return target.address + ":" + std::to_string(target.port); }

int milliseconds_until(Deadline deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  return static_cast<int>(std::clamp<std::chrono::milliseconds>(left, 0ms, 5000ms).count());
}

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;
};

std::optional<Address> parse_address(const std::string& text, std::uint16_t port) {
  Address address;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
  if (inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    address.length = sizeof *v4;
  } else if (inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    address.length = sizeof *v6;
  } else {
    return std::nullopt;
  }
  return address;
}

void set_option(int fd, int level, int name, unsigned value) { setsockopt(fd, level, name, &value, sizeof value); }

bool initialise_library() {
  static const bool done = libssh2_init(0) == 0;  // once a process
  return done;
}

}  // namespace

Result<std::unique_ptr<SshSession>> SshSession::connect(const Target& target, Deadline deadline) {
  std::unique_ptr<SshSession> session(new SshSession(target));
  if (const auto key = check_private_key(target.private_key); !key) {
    Error error = key.error();
    error.where = "node " + target.node;
    return error;
  }
  for (const auto step : {&SshSession::open_socket, &SshSession::shake_hands, &SshSession::check_host_key, &SshSession::authenticate}) {
    if (const auto done = (session.get()->*step)(deadline); !done) {
      return done.error();
    }
  }
  libssh2_keepalive_config(session->session_, 1, kKeepaliveSeconds);
  return session;
}

Result<HostKey> SshSession::host_key_of(const Target& target, Deadline deadline) {
  SshSession session(target);
  for (const auto step : {&SshSession::open_socket, &SshSession::shake_hands}) {
    if (const auto done = (session.*step)(deadline); !done) {
      return done.error();
    }
  }
  return session.shown_host_key();
}

SshSession::~SshSession() {
  if (session_ == nullptr) {
    return;
  }
  if (!shut_) {
    libssh2_session_disconnect(session_, "done");  // tried once: the peer may be gone
  }
  shut_down();
  until_released(Clock::now(), [this] { return libssh2_session_free(session_); });
}

Result<void> SshSession::open_socket(Deadline deadline) {
  const auto address = parse_address(target_.address, target_.port);
  if (!address) {
    return error("connect", target_.address + " is not a numeric address");
  }
  socket_.reset(socket(address->storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  wake_.reset(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!socket_.open() || !wake_.open()) {
    return error("connect", system_error("open a socket", errno).what);
  }
  set_option(socket_.get(), IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket_.get(), IPPROTO_TCP, TCP_USER_TIMEOUT, kUnacknowledgedMs);
  int failure = 0;
  if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address->storage), address->length) != 0) {
    failure = errno;
  }
  if (failure == EINPROGRESS) {
    pollfd entry{socket_.get(), POLLOUT, 0};
    int ready = 0;
    while ((ready = poll(&entry, 1, milliseconds_until(deadline))) == 0 && Clock::now() < deadline) {
    }
    socklen_t length = sizeof failure;
    getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &failure, &length);
    failure = ready > 0 ? failure : ETIMEDOUT;
  }
  if (failure != 0) {
    return error("connect", system_error("cannot reach " + endpoint(target_), failure).what,
                 "is sshd running there, and is the address right? `lab doctor` looks");
  }
  return {};
}

Result<void> SshSession::shake_hands(Deadline deadline) {
  session_ = initialise_library() ? libssh2_session_init_ex(nullptr, nullptr, nullptr, nullptr) : nullptr;
  if (session_ == nullptr) {
    return error("connect", "libssh2 does not start: out of memory");
  }
  libssh2_session_set_blocking(session_, 0);
  // The cheapest of what both libssh2 1.10 and today's sshd accept.
  constexpr std::array<std::pair<int, const char*>, 6> preferences{{
      {LIBSSH2_METHOD_KEX, "curve25519-sha256,curve25519-sha256@libssh.org,ecdh-sha2-nistp256,diffie-hellman-group14-sha256"},
      {LIBSSH2_METHOD_HOSTKEY, "ssh-ed25519,ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,ecdsa-sha2-nistp521"},
      {LIBSSH2_METHOD_CRYPT_CS, "aes128-ctr,aes256-ctr"},
      {LIBSSH2_METHOD_CRYPT_SC, "aes128-ctr,aes256-ctr"},
      {LIBSSH2_METHOD_MAC_CS, "hmac-sha2-256,hmac-sha2-512"},
      {LIBSSH2_METHOD_MAC_SC, "hmac-sha2-256,hmac-sha2-512"},
  }};
  for (const auto& [kind, methods] : preferences) {
    libssh2_session_method_pref(session_, kind, methods);
  }
  const auto shaken = until_done("connect", deadline, [this] { return libssh2_session_handshake(session_, socket_.get()); });
  if (!shaken) {
    Error error = shaken.error();
    error.what = endpoint(target_) + " does not complete the SSH handshake: " + error.what;
    error.remedy = "is it an OpenSSH server of version 7 or later? Its log says why it refused";
    return error;
  }
  return {};
}

HostKey SshSession::shown_host_key() const {
  const char* const hash = libssh2_hostkey_hash(session_, LIBSSH2_HOSTKEY_HASH_SHA256);
  std::size_t length = 0;
  const char* const blob = libssh2_session_hostkey(session_, &length, nullptr);
  return {hash != nullptr ? fingerprint(hash) : "no key", blob != nullptr ? key_line({blob, length}) : ""};
}

Result<void> SshSession::check_host_key(Deadline) {
  const std::string shown = shown_host_key().fingerprint;
  if (shown == target_.host_key) {
    return {};
  }
  return error("connect", "host key of " + endpoint(target_) + " is " + shown + ", not the pinned " + target_.host_key,
               "another machine may be answering there; if its key was changed on purpose, pin the new one");
}

Result<void> SshSession::authenticate(Deadline deadline) {
  const auto done = until_done("log in", deadline, [this] {
    return libssh2_userauth_publickey_fromfile_ex(session_, target_.user.data(), static_cast<unsigned>(target_.user.size()), nullptr,
                                                  target_.private_key.c_str(), nullptr);
  });
  if (!done) {
    Error error = done.error();
    error.what =
        "key " + target_.private_key.string() + " is refused for user " + target_.user + " at " + endpoint(target_) + ": " + error.what;
    error.remedy = "put its public half into that user's authorized_keys";
    return error;
  }
  return {};
}

bool SshSession::again(long result) const {
  // Some calls return -1 and leave EAGAIN in the session only.
  return result == LIBSSH2_ERROR_EAGAIN || (result == -1 && libssh2_session_last_errno(session_) == LIBSSH2_ERROR_EAGAIN);
}

// Positive: the socket is ready. Zero: too late, or woken. Negative: aborted.
int SshSession::poll_socket(Deadline deadline, bool wakeable) {
  const int directions = libssh2_session_block_directions(session_);
  const bool sending = (directions & LIBSSH2_SESSION_BLOCK_OUTBOUND) != 0;
  const bool receiving = (directions & LIBSSH2_SESSION_BLOCK_INBOUND) != 0 || !sending;
  std::array<pollfd, 2> entries{
      {{socket_.get(), static_cast<short>((sending ? POLLOUT : 0) | (receiving ? POLLIN : 0)), 0}, {wake_.get(), POLLIN, 0}}};
  while (poll(entries.data(), wakeable ? 2 : 1, milliseconds_until(deadline)) <= 0) {
    if (aborted_) {
      return -1;
    }
    if (Clock::now() >= deadline) {
      return 0;
    }
    if (!sending) {  // not into the middle of a packet
      int next = 0;
      libssh2_keepalive_send(session_, &next);
    }
  }
  if (entries[1].revents != 0) {
    eventfd_t ignored = 0;
    eventfd_read(wake_.get(), &ignored);
  }
  return entries[0].revents != 0 ? 1 : 0;
}

Result<void> SshSession::wait(const std::string& doing, Deadline deadline) {
  if (shut_ || aborted_) {
    return error(doing, "the connection is closed");
  }
  if (poll_socket(deadline, false) > 0) {
    return {};
  }
  shut_down();  // before anything else is asked of libssh2: its close and free may hang on a peer that is silent
  return error(doing, aborted_ ? "the connection is closed" : "no answer in time");
}

Result<bool> SshSession::wait_or_wake(const std::string& doing, Deadline deadline) {
  if (shut_ || aborted_) {
    return error(doing, "the connection is closed");
  }
  return poll_socket(deadline, true) > 0;
}

void SshSession::wake() { eventfd_write(wake_.get(), 1); }

void SshSession::abort() {
  aborted_ = true;
  ::shutdown(socket_.get(), SHUT_RDWR);  // ends a wait for the socket
  wake();
}

void SshSession::shut_down() {
  shut_ = true;
  ::shutdown(socket_.get(), SHUT_RDWR);
}

Error SshSession::failed(const std::string& doing) const {
  char* text = nullptr;
  libssh2_session_last_error(session_, &text, nullptr, 0);
  const std::string reason = text != nullptr && *text != '\0' ? text : "the connection broke";
  return error(doing, reason);
}

Error SshSession::error(const std::string& doing, const std::string& what, std::string remedy) const {
  return Error{what, "node " + target_.node + ": " + doing, std::move(remedy), {}};
}

}  // namespace lab::remote
