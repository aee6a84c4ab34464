#include "roles/gateway/client_connection.hpp"

#include "roles/gateway/login_form.hpp"

#include <algorithm>
#include <utility>

namespace lab::gateway {

namespace {

constexpr std::size_t kMaxLingered = 16 * 1024 * 1024;

}  // namespace

ClientConnection::ClientConnection(ThreadContext& thread, ClientOwner& owner, net::Fd fd, std::string client_host)
    : thread_(thread), owner_(owner), channel_(thread.blocks), client_host_(std::move(client_host)), timer_(thread.loop, [this] {
        on_timeout();
      }) {
  channel_.stream = net::Stream(std::move(fd));
}

ClientConnection::~ClientConnection() {
  if (state_ != State::closed) {
    thread_.loop.unwatch(channel_.stream.fd(), *this);
  }
}

void ClientConnection::start(SSL_CTX* tls) {
  thread_.loop.watch(channel_.stream.fd(), *this);
  if (tls != nullptr) {
    if (!channel_.stream.start_tls_server(*tls)) {
      return close_now();
    }
    state_ = State::handshaking;
  }
  arm(timeouts().head);
}

// A request that is in the socket already is still answered.
void ClientConnection::drain() {
  if (transaction_) {
    exchange().keep_alive = false;
  }
  if (state_ == State::handshaking) {
    close_now();
  } else if (state_ == State::reading) {
    channel_.readable = true;
    advance();
  }
}

void ClientConnection::close_now() {
  if (state_ == State::closed) {
    return;
  }
  state_ = State::closed;
  self_.reset();
  timer_.cancel();
  give_transaction_back();
  thread_.loop.forget(*this);
  channel_.stream.close();
  channel_.in.release();
  owner_.on_closed(*this);
}

void ClientConnection::give_transaction_back() {
  if (transaction_) {
    transaction_->forwarding.abandon();
    thread_.give_transaction(std::move(transaction_));
  }
}

void ClientConnection::on_events(std::uint32_t events) {
  channel_.note(events);
  advance();
}

// Each step returns whether the state changed; otherwise an event will tell.
void ClientConnection::advance() {
  for (bool changed = true; changed;) {
    switch (state_) {
      case State::handshaking: changed = shake_hands(); break;
      case State::reading: changed = read_head(); break;
      case State::collecting: changed = collect(); break;
      // Given away only on leaving this state. NOLINTNEXTLINE(clang-analyzer-cplusplus.Move)
      case State::forwarding: changed = settle(transaction_->forwarding.advance()); break;
      case State::answering: changed = answer(); break;
      case State::lingering: changed = linger(); break;
      case State::authenticating:
      case State::closed: return;
    }
  }
}

bool ClientConnection::shake_hands() {
  const net::IoResult result = channel_.stream.handshake();
  if (result.status == net::Io::again) {
    channel_.writable = channel_.stream.flushed();
    if (channel_.broken) {
      close_now();
    }
    return false;
  }
  if (result.status != net::Io::ok) {
    close_now();
    return false;
  }
  channel_.readable = true;  // reading ahead may have taken in a request
  state_ = State::reading;
  return true;
}

bool ClientConnection::read_head() {
  bool incomplete = channel_.in.empty();
  for (;;) {
    if (incomplete) {
      if (const net::Io got = channel_.fill(); got != net::Io::ok) {
        return on_no_more_input(got);
      }
    }
    if (!transaction_) {
      transaction_ = thread_.take_transaction();
    }
    http::Limits limits;
    limits.head = static_cast<std::size_t>(thread_.site->config.max_head);
    const http::ParseResult head = http::parse_request(channel_.in.data(), exchange().request, limits);
    if (head.status == http::Parse::done) {
      exchange().head_bytes = head.consumed;
      head_deadline_ = 0;
      begin_exchange();
      follow(rule(thread_, exchange(), client_host_));
      return true;
    }
    if (head.status != http::Parse::more) {
      refuse_malformed(head.code, head.why);
      return true;
    }
    incomplete = true;
  }
}

bool ClientConnection::on_no_more_input(net::Io why) {
  if (why != net::Io::again) {
    close_now();
    return false;
  }
  if (channel_.in.data() == "\r\n") {  // after the last request, say: no beginning of another
    channel_.in.release();
  }
  if (!channel_.in.empty()) {
    const net::Nanos now = thread_.loop.now();
    head_deadline_ = head_deadline_ == 0 ? now + timeouts().head.count() : head_deadline_;
    timer_.arm_at(std::min(head_deadline_, now + timeouts().fragment.count()));
  } else if (thread_.draining) {
    end_connection();
  }
  return false;
}

void ClientConnection::on_timeout() {
  switch (state_) {
    case State::reading:
      if (!channel_.in.empty()) {
        refuse_malformed(408, "The request did not come in time.");
        return advance();
      }
      return end_connection();
    case State::collecting: refuse(408, "The request's body did not come in time."); return advance();
    case State::forwarding:
      if (settle(transaction_->forwarding.expired())) {
        advance();
      }
      return;
    case State::authenticating: return arm(timeouts().backend);  // the directory has a deadline of its own
    case State::answering: record(); return close_now();
    case State::handshaking:
    case State::lingering:
    case State::closed: return close_now();
  }
}

void ClientConnection::begin_exchange() {
  Exchange& exchange = transaction_->exchange;
  const http::Request& request = exchange.request;
  exchange.transport = transport();
  exchange.to_head = request.method == "HEAD";
  exchange.repeatable = exchange.to_head || request.method == "GET" || request.method == "OPTIONS";
  exchange.from_trusted_proxy = exchange.upgrade = false;
  exchange.mount = nullptr;
  exchange.pinned = kNoServer;
  exchange.principal = nullptr;
  exchange.session_id.clear();
  exchange.kept_id.clear();
  exchange.set_cookie_lines.clear();
  exchange.keep_alive = request.keep_alive && !thread_.draining;
  exchange.status = 0;
  exchange.body_bytes = 0;
  exchange.began = thread_.log.wants_times() ? net::monotonic_now() : 0;
  exchange.backend_began = exchange.backend_ended = 0;
  unread_request_ = exchange.has_body();
  exchange.request_line.assign(request.method.data(),
                               static_cast<std::size_t>(request.target.data() + request.target.size() - request.method.data()));
  exchange.request_line += request.minor == 0 ? " HTTP/1.0" : " HTTP/1.1";
  exchange.agent.clear();
  exchange.referer.clear();
  if (thread_.log.wants(LogFile::agent)) {
    exchange.agent = request.find("User-Agent").value_or("");
  }
  if (thread_.log.wants(LogFile::referer)) {
    exchange.referer = request.find("Referer").value_or("");
  }
}

void ClientConnection::follow(Ruling ruling) {
  switch (ruling.kind) {
    case Ruling::Kind::forward: return forward();
    case Ruling::Kind::local: return serve_local();
    case Ruling::Kind::refuse: return refuse(ruling.status, ruling.why, ruling.headers);
    case Ruling::Kind::no_content:
      transaction_->answer.no_content(answer_head(ruling.status, ruling.headers));
      state_ = State::answering;
      return;
    case Ruling::Kind::authenticate:
      form_login_ = false;
      exchange().principal = nullptr;
      return log_in(std::move(ruling.credentials));
    case Ruling::Kind::read_login: collecting_login_ = true; return start_collecting(kMaxLoginForm);
    case Ruling::Kind::show_login: return show_form({});
    case Ruling::Kind::keep: collecting_login_ = false; return start_collecting(static_cast<std::size_t>(thread_.site->config.max_kept));
    case Ruling::Kind::replay: return put_in_place(*ruling.kept);
    case Ruling::Kind::log_out: return log_out();
  }
}

void ClientConnection::forward() {
  if (!transaction_->forwarding.begin(exchange(), *this, channel_, client_host_)) {
    return refuse(503, "This junction has as much to do as it may.");
  }
  progress_ = transaction_->forwarding.progress() - 1;  // arms the timer
  state_ = State::forwarding;
}

void ClientConnection::log_in(BasicCredentials credentials) {
  state_ = State::authenticating;
  if (!self_) {
    self_ = std::make_shared<ClientConnection*>(this);
  }
  arm(timeouts().backend);
  thread_.authenticator->authenticate(std::move(credentials.user), std::move(credentials.password),
                                      [weak = std::weak_ptr<ClientConnection*>(self_)](const Login& login) {
                                        if (const auto self = weak.lock()) {
                                          ClientConnection& connection = **self;
                                          connection.form_login_ ? connection.on_form_login(login) : connection.on_login(login);
                                          connection.advance();
                                        }
                                      });
}

void ClientConnection::on_login(const Login& login) {
  if (login.outcome == Login::Outcome::unavailable) {
    return refuse(503, "The directory cannot be reached.");
  }
  if (login.outcome == Login::Outcome::granted) {
    exchange().principal = begin_session(login, nullptr);
  }
  follow(rule_after_login(thread_, exchange()));
}

// Whatever the client had before, a login begins a new session: an id known before it is worth nothing after it.
PrincipalPtr ClientConnection::begin_session(const Login& login, KeptPtr kept) {
  Sessions& sessions = thread_.shared.sessions;
  ++thread_.statistics.logins;
  if (!exchange().session_id.empty()) {
    sessions.remove(exchange().session_id);
  }
  PrincipalPtr principal = make_principal(login);
  exchange().session_id = sessions.create(principal, transport(), thread_.loop.now(), std::move(kept));
  exchange().set_cookie_lines += set_session_line(transport(), exchange().session_id);
  return principal;
}

bool ClientConnection::settle(const Forwarding::Outcome& outcome) {
  Forwarding& forwarding = transaction_->forwarding;
  switch (outcome.kind) {
    case Forwarding::Outcome::Kind::waiting:
      if (channel_.broken) {
        record();
        close_now();
      } else if (progress_ != forwarding.progress()) {  // what is pipelined meanwhile is none
        progress_ = forwarding.progress();
        const Forwarding::Waiting waiting = forwarding.waiting();
        arm(waiting == Forwarding::Waiting::connect  ? timeouts().connect
            : waiting == Forwarding::Waiting::client ? timeouts().fragment
                                                     : timeouts().backend);
      }
      return false;
    case Forwarding::Outcome::Kind::done:
      unread_request_ = !forwarding.request_sent();
      finish_exchange();
      return true;
    case Forwarding::Outcome::Kind::failed: refuse(outcome.status, outcome.why); return true;
    case Forwarding::Outcome::Kind::aborted: break;
  }
  record();
  close_now();
  return false;
}

void ClientConnection::finish_exchange() {
  record();
  const bool keep_alive = exchange().keep_alive;
  channel_.in.consume(std::exchange(exchange().head_bytes, 0));
  channel_.in.rewind();
  give_transaction_back();
  if (!keep_alive) {
    return end_connection();
  }
  channel_.in.release_if_empty();
  state_ = State::reading;
  arm(timeouts().idle);
}

void ClientConnection::record() {
  const Exchange& exchange = transaction_->exchange;
  Statistics& counts = thread_.statistics;
  ++counts.requests;
  const int status = exchange.status == 0 ? 499 : exchange.status;  // 499: the client left before it was answered
  ++counts.responses[static_cast<std::size_t>(status)];
  if (thread_.log.wants(LogFile::request)) {
    ++counts.log_lines;
  }
  LogEntry entry{client_host_,          exchange.principal ? std::string_view{exchange.principal->user} : std::string_view{},
                 exchange.request_line, exchange.agent,
                 exchange.referer,      status,
                 exchange.body_bytes};
  if (exchange.from_trusted_proxy) {
    entry.client_host = exchange.client_address;
  }
  if (exchange.began != 0) {
    entry.total_ns = net::monotonic_now() - exchange.began;
    entry.backend_ns = exchange.backend_began == 0 ? 0 : std::max<net::Nanos>(exchange.backend_ended - exchange.backend_began, 0);
  }
  entry.junction = exchange.mount ? std::string_view{exchange.mount->mount().name} : std::string_view{};
  thread_.log.add(entry);
}

// A close with input unread would reset the connection and could take the answer away from the client: read on for a while.
void ClientConnection::end_connection() {
  channel_.stream.shutdown();
  if (!unread_request_ && channel_.in.empty() && !channel_.readable) {
    return close_now();
  }
  state_ = State::lingering;
  lingered_ = 0;
  arm(timeouts().linger);
}

bool ClientConnection::linger() {
  for (;;) {
    lingered_ += channel_.in.data().size();
    channel_.in.release();
    if (lingered_ > kMaxLingered) {
      close_now();
      return false;
    }
    const net::Io got = channel_.fill();
    if (got == net::Io::again) {
      return false;
    }
    if (got != net::Io::ok) {
      close_now();
      return false;
    }
  }
}

}  // namespace lab::gateway
