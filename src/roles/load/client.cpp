#include "roles/load/client.hpp"

#include "roles/load/arrivals.hpp"
#include "roles/load/worker.hpp"

#include <openssl/ssl.h>
#include <sys/epoll.h>
#include <algorithm>
#include <cstring>

namespace lab::load {

void Client::SessionDeleter::operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }

Client::Client(Worker& worker, const Target& target, std::size_t side, std::size_t number, Tally& tally)
    : worker_(worker),
      target_(target),
      tally_(tally),
      side_(side),
      number_(number),
      deadline_(worker.loop(), [this] { on_timeout(); }),
      pause_(worker.loop(), [this] { worker_.ready(*this); }),
      random_(seeded(target.config.seed, number)) {}

Client::~Client() { drop(false); }

void Client::open(net::Nanos now) {
  connect_began_ = now;
  const auto& sources = target_.sources;
  Result<net::Fd> fd = net::connect_tcp(target_.address, sources.empty() ? nullptr : &sources[number_ % sources.size()]);
  if (!fd) {
    return fail_page(ErrorClass::connect, fd.error().what);
  }
  stream_ = net::Stream(std::move(*fd));
  served_ = pages_here_ = 0;
  hung_up_ = false;
  state_ = State::connecting;
  worker_.loop().watch(stream_.fd(), *this);
}

void Client::on_events(std::uint32_t events) {
  hung_up_ = hung_up_ || (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
  switch (state_) {
    case State::connecting: return on_connected();
    case State::handshake: return shake_hands();
    case State::waiting:
      push();
      if (state_ == State::waiting && (events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) {
        receive();
      }
      return;
    case State::idle: return watch_idle();
    case State::finished: return;
  }
}

void Client::on_connected() {
  if (const int error = net::pending_error(stream_.fd()); error != 0) {
    return fail_page(ErrorClass::connect, "cannot connect to " + target_.address.text() + ": " + std::strerror(error));
  }
  const net::Nanos now = net::monotonic_now();
  if (worker_.window_of(now) == Window::measure) {
    tally_.connect.record(static_cast<std::uint64_t>(now - connect_began_));
  }
  if (!target_.url.tls) {
    return established(now);
  }
  const LoadConfig& config = target_.config;
  const std::string& name = config.server_name.empty() ? target_.url.host : config.server_name;
  if (const Result<void> started = stream_.start_tls_client(worker_.context(side_), name, !config.insecure); !started) {
    return fail_page(ErrorClass::tls, started.error().what);
  }
  offer_session();
  state_ = State::handshake;
  handshake_began_ = now;
  shake_hands();
}

void Client::shake_hands() {
  const net::IoResult result = stream_.handshake();
  if (result.status == net::Io::again) {
    return;
  }
  if (result.status != net::Io::ok) {
    const std::string why = result.status == net::Io::closed ? "closed by the server" : stream_.error();
    return fail_page(ErrorClass::tls, "TLS handshake: " + why);
  }
  const net::Nanos now = net::monotonic_now();
  const Window window = worker_.window_of(now);
  if (window == Window::measure) {
    tally_.tls.record(static_cast<std::uint64_t>(now - handshake_began_));
  }
  Counts& counts = tally_.in(window);
  ++(SSL_session_reused(stream_.ssl()) == 1 ? counts.resumed : counts.full);
  tally_.saw({SSL_get_version(stream_.ssl()), SSL_get_cipher_name(stream_.ssl())});
  established(now);
}

void Client::established(net::Nanos now) {
  if (!connected_once_) {
    connected_once_ = true;
    ++tally_.clients_connected;
  } else if (target_.per_connection == 0) {
    ++tally_.in(worker_.window_of(now)).reconnects;
  }
  start_exchange(now);
}

void Client::push() {
  while (!unsent_.empty() || !stream_.flushed()) {
    const net::IoResult sent = unsent_.empty() ? stream_.flush() : stream_.write(unsent_);
    if (sent.status == net::Io::again) {
      return;
    }
    if (sent.status != net::Io::ok) {
      return lost(stream_.error());
    }
    unsent_.remove_prefix(std::min(sent.bytes, unsent_.size()));
  }
}

void Client::receive() {
  const std::span<char> scratch = worker_.scratch();
  for (;;) {
    const net::IoResult got = stream_.read(scratch);
    if (got.status == net::Io::again) {
      return;
    }
    const net::Nanos now = net::monotonic_now();
    if (got.status != net::Io::ok) {
      const bool proper = got.status == net::Io::closed && reader_.ends_at_close();
      return proper ? complete(now) : lost(got.status == net::Io::closed ? "closed by the server" : stream_.error());
    }
    if (!reader_.started()) {
      first_byte_ = now;
    }
    const ResponseReader::Step step = reader_.feed({scratch.data(), got.bytes}, worker_.response(), worker_.head_cache(side_), check_);
    if (step.status == http::Parse::bad) {
      return fail_page(ErrorClass::protocol, step.why);
    }
    if (step.status == http::Parse::done) {
      return step.consumed < got.bytes ? fail_page(ErrorClass::protocol, "bytes behind the response") : complete(now);
    }
    if (!hung_up_ && !stream_.may_have_more()) {
      return;
    }
  }
}

// Nothing is awaited: what comes is the connection's end, or TLS's own business.
void Client::watch_idle() {
  if (!stream_) {
    return;
  }
  if (stream_.read(worker_.scratch()).status != net::Io::again) {
    drop(false);
  }
}

// A kept connection that the server closed before a byte of the response: the request goes out once more, on a fresh one
// (RFC 9112 section 9.3.1), unless doing it twice might do more than doing it once.
void Client::lost(const std::string& why) {
  const bool repeatable = exchange_ != Exchange::page || (step_->method != "POST" && step_->method != "PATCH");
  if (repeatable && served_ > 0 && !retried_ && !reader_.started()) {
    retried_ = true;
    const net::Nanos now = net::monotonic_now();
    ++tally_.in(worker_.window_of(now)).retries;
    drop(false);
    return open(now);
  }
  fail_page(ErrorClass::closed, why);
}

void Client::drop(bool orderly) {
  if (!stream_) {
    return;
  }
  worker_.loop().forget(*this);
  if (orderly && stream_.is_tls()) {
    keep_session();
    stream_.shutdown();  // without close_notify OpenSSL would not let the session be resumed
  }
  stream_.close();
}

void Client::keep_session() {
  if (target_.config.handshake != HandshakeMode::resume) {
    return;
  }
  SSL_SESSION* latest = SSL_get1_session(stream_.ssl());
  if (latest != nullptr && SSL_SESSION_is_resumable(latest) == 1) {
    session_.reset(latest);
  } else {
    SSL_SESSION_free(latest);
  }
}

// Every so many handshakes of a client are full ones (--full-each).
void Client::offer_session() {
  const LoadConfig& config = target_.config;
  const bool full = config.full_each > 0 && handshakes_ % config.full_each == 0;
  if (session_ && config.handshake == HandshakeMode::resume && !full) {
    SSL_set_session(stream_.ssl(), session_.get());
  }
  ++handshakes_;
}

}  // namespace lab::load
