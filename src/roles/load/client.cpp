#include "roles/load/client.hpp"

#include "http/message.hpp"
#include "lab/units.hpp"
#include "roles/load/worker.hpp"

#include <openssl/ssl.h>
#include <sys/epoll.h>
#include <algorithm>
#include <cstring>

namespace lab::load {

namespace {

constexpr net::Nanos kMillisecond = 1'000'000;
constexpr net::Nanos kLongestBackOff = 100 * kMillisecond;

std::string status_text(int status) { return std::to_string(status) + " " + std::string(http::reason_phrase(status)); }

}  // namespace

void Client::SessionDeleter::operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }

Client::Client(Worker& worker, std::size_t number)
    : worker_(worker),
      number_(number),
      deadline_(worker.loop(), [this] { on_timeout(); }),
      pause_(worker.loop(), [this] { begin_page(); }),
      check_(worker.setup().expectation) {}

Client::~Client() { drop(false); }

void Client::begin_page() {
  const net::Nanos now = net::monotonic_now();
  if (!worker_.take_page(now)) {
    return finish();
  }
  page_began_ = now;
  retried_ = false;
  deadline_.arm_at(now + worker_.setup().config.timeout.count());
  with_own_ = !own_request_.empty() && worker_.setup().config.login == LoginMode::once;
  worker_.counted().clients_begun += turn_++ == 0 ? 1 : 0;
  if (stream_) {
    send();
  } else {
    open();
  }
}

void Client::open() {
  connect_began_ = net::monotonic_now();
  Result<net::Fd> fd = net::connect_tcp(worker_.setup().address);
  if (!fd) {
    return fail_page(ErrorClass::connect, fd.error().what);
  }
  stream_ = net::Stream(std::move(*fd));
  served_ = 0;
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
    return fail_page(ErrorClass::connect, "cannot connect to " + worker_.setup().address.text() + ": " + std::strerror(error));
  }
  const net::Nanos now = net::monotonic_now();
  if (worker_.window_of(now) == Window::measure) {
    worker_.counted().connect.record(static_cast<std::uint64_t>(now - connect_began_));
  }
  const Setup& setup = worker_.setup();
  if (!setup.url.tls) {
    return established();
  }
  if (const Result<void> started = stream_.start_tls_client(worker_.context(), setup.url.host, !setup.config.insecure); !started) {
    return fail_page(ErrorClass::tls, started.error().what);
  }
  if (session_ && setup.config.handshake == HandshakeMode::resume) {
    SSL_set_session(stream_.ssl(), session_.get());
  }
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
    worker_.counted().tls.record(static_cast<std::uint64_t>(now - handshake_began_));
  }
  Counts& counts = worker_.counted().in(window);
  ++(SSL_session_reused(stream_.ssl()) == 1 ? counts.resumed : counts.full);
  worker_.counted().saw({SSL_get_version(stream_.ssl()), SSL_get_cipher_name(stream_.ssl())});
  established();
}

void Client::established() {
  if (!connected_once_) {
    connected_once_ = true;
    ++worker_.counted().clients_connected;
  } else if (!worker_.setup().connection_per_page) {
    ++worker_.counted().in(worker_.window_of(net::monotonic_now())).reconnects;
  }
  send();
}

void Client::send() {
  unsent_ = with_own_ ? own_request_ : worker_.setup().first_request;
  reader_.begin();
  state_ = State::waiting;
  sent_ = net::monotonic_now();
  push();
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
  const bool want_cookie = worker_.setup().config.login == LoginMode::once;
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
    const ResponseReader::Step step = reader_.feed({scratch.data(), got.bytes}, worker_.response(), check_, want_cookie);
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

void Client::complete(net::Nanos now) {
  Tally& tally = worker_.counted();
  Counts& counts = tally.in(worker_.window_of(now));
  ++counts.responses;
  ++served_;
  tally.last_response_ns = now;
  const int status = reader_.status();
  const bool keep = reader_.keep_alive() && !hung_up_;
  const bool password_sent = with_own_ && with_password_;
  if (status == 401 && !worker_.setup().users.empty() && worker_.setup().config.login != LoginMode::none && !password_sent) {
    ++counts.logins;
    return log_in(keep);
  }
  deadline_.cancel();
  const bool good = status < 300 || (status < 400 && !worker_.setup().expectation.anything());
  if (!good) {
    count_failure(ErrorClass::status, status_text(status) + (status == 401 && password_sent ? " in spite of a password" : ""));
  } else if (!check_.complete()) {
    count_failure(ErrorClass::body, check_.why());
  } else {
    page_done(now);
  }
  if (!keep || worker_.setup().connection_per_page) {
    drop(true);
  }
  if (status == 401 && password_sent) {
    own_request_.clear();
    return back_off();
  }
  failures_ = 0;
  next_page();
}

void Client::log_in(bool keep) {
  const Setup& setup = worker_.setup();
  const Credentials credentials =
      setup.config.login == LoginMode::every ? setup.users.next(number_, turn_ - 1) : setup.users.fixed(number_);
  write_request(own_request_, setup.url, setup.config.headers,
                {.authorization = basic_authorization(credentials), .close = setup.connection_per_page});
  with_own_ = with_password_ = true;
  if (keep) {
    return send();
  }
  drop(true);
  open();
}

void Client::page_done(net::Nanos now) {
  Tally& tally = worker_.counted();
  const Setup& setup = worker_.setup();
  const Window window = worker_.window_of(now);
  Counts& counts = tally.in(window);
  ++counts.done;
  counts.bytes += check_.length();
  counts.hashed += check_.hashed() ? 1 : 0;
  worker_.shown().done.fetch_add(1, std::memory_order_relaxed);
  if (window == Window::measure) {
    const net::Nanos began = setup.config.login == LoginMode::every ? page_began_ : sent_;
    tally.service.record(static_cast<std::uint64_t>(now - began));
  }
  if (setup.config.login == LoginMode::once && !reader_.cookie().empty()) {
    write_request(own_request_, setup.url, setup.config.headers, {.cookie = reader_.cookie(), .close = setup.connection_per_page});
    with_password_ = false;
  }
}

// A kept connection that the server closed before a byte of the response: the request goes out once more, on a fresh one
// (RFC 9112 section 9.3.1).
void Client::lost(const std::string& why) {
  if (served_ > 0 && !retried_ && !reader_.started()) {
    retried_ = true;
    ++worker_.counted().in(worker_.window_of(net::monotonic_now())).retries;
    drop(false);
    return open();
  }
  fail_page(ErrorClass::closed, why);
}

void Client::fail_page(ErrorClass error, const std::string& text) {
  deadline_.cancel();
  count_failure(error, text);
  drop(false);
  back_off();
}

void Client::count_failure(ErrorClass error, const std::string& text) {
  Tally& tally = worker_.counted();
  Counts& counts = tally.in(worker_.window_of(net::monotonic_now()));
  const auto index = static_cast<std::size_t>(error);
  ++counts.failed;
  ++counts.errors[index];
  if (tally.first_error[index].empty()) {
    tally.first_error[index] = text;
  }
  worker_.shown().failed.fetch_add(1, std::memory_order_relaxed);
}

void Client::next_page() {
  const net::Nanos think = worker_.setup().config.think.count();
  if (think > 0) {
    return pause(think);
  }
  begin_page();
}

void Client::back_off() { pause(std::min(kMillisecond << std::min(failures_++, 10U), kLongestBackOff)); }

void Client::pause(net::Nanos delay) {
  if (worker_.ended()) {
    return finish();
  }
  state_ = State::idle;
  pause_.arm_at(net::monotonic_now() + delay);
}

void Client::on_timeout() {
  const std::string limit = format_duration(worker_.setup().config.timeout);
  fail_page(ErrorClass::timeout, state_ == State::waiting ? "no response within " + limit : "no connection within " + limit);
}

void Client::drop(bool orderly) {
  if (!stream_) {
    return;
  }
  worker_.loop().unwatch(stream_.fd(), *this);
  if (orderly && stream_.is_tls()) {
    keep_session();
    stream_.shutdown();  // without close_notify OpenSSL would not let the session be resumed
  }
  stream_.close();
}

void Client::keep_session() {
  if (worker_.setup().config.handshake != HandshakeMode::resume) {
    return;
  }
  SSL_SESSION* latest = SSL_get1_session(stream_.ssl());
  if (latest != nullptr && SSL_SESSION_is_resumable(latest) == 1) {
    session_.reset(latest);
  } else {
    SSL_SESSION_free(latest);
  }
}

void Client::wind_up() {
  if (state_ == State::idle) {
    finish();
  }
}

std::optional<net::Nanos> Client::cut_off(net::Nanos now) {
  if (state_ == State::finished) {
    return std::nullopt;
  }
  const bool under_way = state_ != State::idle;
  finish();
  return under_way ? std::optional(now - page_began_) : std::nullopt;
}

void Client::finish() {
  if (state_ == State::finished) {
    return;
  }
  state_ = State::finished;
  deadline_.cancel();
  pause_.cancel();
  drop(true);
  worker_.client_finished();
}

}  // namespace lab::load
