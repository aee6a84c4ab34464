#include "connection.hpp"

#include "worker.hpp"

#include <sys/epoll.h>

namespace lab::directory {

namespace {

constexpr std::size_t kMaxMessage = std::size_t{256} * 1024;  // of a request
constexpr std::size_t kOutputFull = std::size_t{64} * 1024;   // no further request is answered while so much waits
constexpr std::size_t kKeptBuffer = std::size_t{4} * 1024;    // what an idle connection may hold
constexpr int kTurns = 16;                                    // before others get theirs
constexpr net::Nanos kSecond = 1'000'000'000;
constexpr net::Nanos kPatience = 60 * kSecond;
constexpr net::Nanos kLinger = kSecond;

void empty(std::string& buffer) {
  if (buffer.capacity() > kKeptBuffer) {
    std::string().swap(buffer);
  }
  buffer.clear();
}

}  // namespace

Connection::Connection(Worker& worker, net::Stream stream, Session::Transport transport)
    : worker_(worker),
      stream_(std::move(stream)),
      deadline_(worker.loop(), [this] { expired(); }),
      pause_(worker.loop(),
             [this] {
               follow(session_.resume(out_, worker_.loop().now()));
               advance();
             }),
      session_(worker.surroundings(), std::move(transport)),
      state_(stream_.is_tls() ? State::handshake : State::open) {
  worker_.loop().watch(stream_.fd(), *this);
  if (state_ == State::handshake) {
    deadline_.arm(kPatience);
  }
}

Connection::~Connection() {
  if (state_ != State::closed) {
    worker_.loop().unwatch(stream_.fd(), *this);
  }
}

void Connection::on_events(std::uint32_t events) {
  hung_up_ = hung_up_ || (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
  readable_ = readable_ || hung_up_ || (events & EPOLLIN) != 0;
  advance();
}

void Connection::advance() {
  if (state_ == State::handshake && !shake_hands()) {
    return;
  }
  for (int turn = 0; turn < kTurns; ++turn) {
    if (state_ == State::closed) {
      return;
    }
    if (state_ == State::lingering) {
      return discard();
    }
    if (busy()) {
      overhear();
    }
    answer();
    if (!send()) {
      return;
    }
    if (state_ == State::ending) {
      polite_ ? linger() : close();
    } else if (state_ == State::starting_tls) {
      start_tls();
      return advance();
    } else if (!can_answer()) {
      if (draining_ && !waiting()) {
        disconnect(ldap::ResultCode::unavailable, "the directory shuts down");
      } else if (!receive()) {
        return;
      }
    }
  }
  worker_.loop().defer([this] { advance(); });  // runs before a later removal does
}

bool Connection::shake_hands() {
  const net::IoResult result = stream_.handshake();
  if (result.status == net::Io::again) {
    return false;
  }
  if (result.status != net::Io::ok) {
    close();
    return false;
  }
  deadline_.cancel();
  state_ = State::open;
  readable_ = true;  // the first request may have come with the handshake's end
  return true;
}

bool Connection::can_answer() const {
  return next_ == Session::Next::search ||
         (!waiting() && ldap::frame(std::string_view(in_).substr(in_at_), kMaxMessage).status != ber::Frame::Status::incomplete);
}

void Connection::follow(Session::Next next) {
  next_ = next;
  switch (next) {
    case Session::Next::close:
      state_ = State::ending;
      polite_ = !out_.empty();
      break;
    case Session::Next::start_tls: state_ = State::starting_tls; break;
    case Session::Next::pause: pause_.arm(session_.pause_ns()); break;
    case Session::Next::drop: close(); break;
    default: break;
  }
}

// What was sent before the handshake is no part of the protected conversation (RFC 4511 section 4.14.1).
void Connection::start_tls() {
  const bool pipelined = in_at_ != in_.size();
  next_ = Session::Next::request;
  if (pipelined || !stream_.start_tls_server(worker_.tls_context())) {
    return close();
  }
  session_.tls_started();
  state_ = State::handshake;
  deadline_.arm(kPatience);
}

void Connection::overhear() {
  while (readable_ && !ended_ && in_.size() - in_at_ < kMaxMessage) {
    const net::IoResult got = stream_.read(worker_.scratch());
    ended_ = got.status == net::Io::closed || got.status == net::Io::error;
    readable_ = got.status == net::Io::ok && (hung_up_ || stream_.may_have_more());
    in_.append(worker_.scratch().data(), got.bytes);
  }
  for (std::size_t at = in_at_; busy();) {
    const std::string_view rest = std::string_view(in_).substr(at);
    const ber::Frame frame = ldap::frame(rest, kMaxMessage);
    if (frame.status != ber::Frame::Status::complete) {
      break;
    }
    if (session_.interrupt(rest.substr(0, frame.size), out_)) {
      in_.erase(at, frame.size);
      pause_.cancel();
      next_ = Session::Next::request;
    }
    at += frame.size;
  }
  if (ended_ && waiting()) {
    close();
  }
}

void Connection::answer() {
  while (state_ == State::open && !waiting() && out_.size() - out_at_ < kOutputFull) {
    const net::Nanos now = worker_.loop().now();
    if (next_ == Session::Next::search) {
      next_ = session_.go_on(out_, now);
      if (next_ == Session::Next::search) {
        return;  // one step a turn
      }
      continue;
    }
    const std::string_view rest = std::string_view(in_).substr(in_at_);
    const ber::Frame frame = ldap::frame(rest, kMaxMessage);
    if (frame.status == ber::Frame::Status::malformed) {
      return disconnect(ldap::ResultCode::protocol_error, "not an LDAP message, or one above 256 KiB");
    }
    if (frame.status == ber::Frame::Status::incomplete) {
      break;
    }
    const Session::Next next = session_.handle(rest.substr(0, frame.size), out_, now);
    in_at_ += frame.size;
    follow(next);
  }
  if (in_at_ == in_.size()) {
    empty(in_);
    in_at_ = 0;
  }
}

bool Connection::send() {
  while (out_at_ < out_.size() || !stream_.flushed()) {
    const net::IoResult sent = out_at_ < out_.size() ? stream_.write(std::string_view(out_).substr(out_at_)) : stream_.flush();
    if (sent.status == net::Io::error || sent.status == net::Io::closed) {
      close();
      return false;
    }
    out_at_ += sent.bytes;
    if (sent.status == net::Io::again) {
      if (sent.bytes > 0 || !deadline_.armed()) {
        deadline_.arm(kPatience);
      }
      return false;
    }
  }
  empty(out_);
  out_at_ = 0;
  return true;
}

bool Connection::receive() {
  if (waiting()) {
    return false;  // overhear() has read what there was
  }
  if (in_at_ > 0) {
    in_.erase(0, in_at_);
    in_at_ = 0;
  }
  const net::IoResult got = readable_ ? stream_.read(worker_.scratch()) : net::IoResult{net::Io::again};
  if (got.status == net::Io::ok) {
    in_.append(worker_.scratch().data(), got.bytes);
    readable_ = hung_up_ || stream_.may_have_more();
    return true;
  }
  if (got.status != net::Io::again) {
    close();
    return false;
  }
  readable_ = false;
  if (in_.empty()) {
    deadline_.cancel();
  } else if (!deadline_.armed()) {
    deadline_.arm(kPatience);  // from a message's first bytes on, however slowly the others come
  }
  return false;
}

void Connection::drain() {
  draining_ = true;
  if (state_ == State::handshake) {
    return close();
  }
  advance();
}

void Connection::disconnect(ldap::ResultCode code, const std::string& why) {
  Session::notice_of_disconnection(out_, code, why);
  state_ = State::ending;
  polite_ = true;
}

void Connection::expired() {
  if (state_ == State::open && out_.empty() && !busy()) {
    disconnect(ldap::ResultCode::unavailable, "the rest of a message did not come in time");
    return advance();
  }
  close();
}

// A socket closed over unread bytes takes the notice back from the client (RST): read on until it has closed as well.
void Connection::linger() {
  stream_.shutdown();
  state_ = State::lingering;
  deadline_.arm(kLinger);
  discard();
}

void Connection::discard() {
  for (int turn = 0; turn < kTurns; ++turn) {
    const net::IoResult got = stream_.read(worker_.scratch());
    if (got.status == net::Io::again) {
      return;
    }
    if (got.status != net::Io::ok) {
      return close();
    }
  }
  close();  // more than a megabyte: it does not listen
}

void Connection::close() {
  if (state_ == State::closed) {
    return;
  }
  state_ = State::closed;
  deadline_.cancel();
  pause_.cancel();
  worker_.loop().forget(*this);
  if (!ended_ || stream_.is_tls()) {
    stream_.shutdown();
  }
  stream_.close();
  worker_.remove(*this);
}

}  // namespace lab::directory
