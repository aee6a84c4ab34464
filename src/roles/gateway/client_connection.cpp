#include "roles/gateway/client_connection.hpp"

#include <algorithm>
#include <utility>

namespace lab::gateway {

namespace {

constexpr std::size_t kMaxLingered = 16 * 1024 * 1024;

// RFC 9110 section 9.2.2, of the methods that go on.
bool is_idempotent(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "OPTIONS" || method == "PUT" || method == "DELETE";
}

// RFC 7617: the realm is a quoted string.
std::string challenge(std::string_view realm) {
  std::string line = "WWW-Authenticate: Basic realm=\"";
  for (const char c : realm) {
    line += c == '"' || c == '\\' ? "\\" : "";
    line += c;
  }
  return line + "\"\r\n";
}

}  // namespace

ClientConnection::ClientConnection(ThreadContext& thread, ClientOwner& owner, net::Fd fd, std::string client_host)
    : thread_(thread),
      owner_(owner),
      channel_(thread.blocks),
      client_host_(std::move(client_host)),
      timer_(thread.loop, [this] { on_timeout(); }),
      forwarding_(thread, *this, channel_, client_host_) {
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
  arm(thread_.site.timeouts.head);
}

// A request that is in the socket already is still answered.
void ClientConnection::drain() {
  exchange_.keep_alive = false;
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
  forwarding_.abandon();
  thread_.loop.unwatch(channel_.stream.fd(), *this);
  channel_.stream.close();
  channel_.in.release();
  owner_.on_closed(*this);
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
      case State::forwarding: changed = settle(forwarding_.advance()); break;
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
    const http::ParseResult head = http::parse_request(channel_.in.data(), exchange_.request);
    if (head.status == http::Parse::done) {
      exchange_.head_bytes = head.consumed;
      head_deadline_ = 0;
      begin_exchange();
      decide();
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
  const Timeouts& timeouts = thread_.site.timeouts;
  if (!channel_.in.empty()) {
    const net::Nanos now = thread_.loop.now();
    head_deadline_ = head_deadline_ == 0 ? now + timeouts.head.count() : head_deadline_;
    timer_.arm_at(std::min(head_deadline_, now + timeouts.fragment.count()));
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
    case State::forwarding:
      if (settle(forwarding_.expired())) {
        advance();
      }
      return;
    case State::authenticating: return arm(thread_.site.timeouts.backend);  // the directory has a deadline of its own
    case State::answering: record(); return close_now();
    case State::handshaking:
    case State::lingering:
    case State::closed: return close_now();
  }
}

void ClientConnection::begin_exchange() {
  Exchange& exchange = exchange_;
  const http::Request& request = exchange.request;
  exchange.to_head = request.method == "HEAD";
  exchange.idempotent = is_idempotent(request.method);
  exchange.mount = nullptr;
  exchange.principal = nullptr;
  exchange.set_cookie_line.clear();
  exchange.keep_alive = request.keep_alive && !thread_.draining;
  exchange.status = 0;
  exchange.body_bytes = 0;
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

void ClientConnection::decide() {
  const http::Request& request = exchange_.request;
  if (request.method == "CONNECT" || request.method == "TRACE") {
    return refuse(405, "This method is not allowed here.", "Allow: GET, HEAD, POST, PUT, DELETE, OPTIONS, PATCH\r\n");
  }
  if (request.target == "*") {
    answer_.no_content(answer_head(204));
    state_ = State::answering;
    return;
  }
  if (!normalise_path(request.target, exchange_.path)) {
    return refuse(400, "The path can be read in more than one way.");
  }
  old_session_.clear();
  std::optional<BasicCredentials> credentials;
  for (const http::Header& header : request.headers) {
    if (http::equals_ignore_case(header.name, "Cookie") && old_session_.empty()) {
      old_session_ = session_id_in(header.value, transport());
    } else if (http::equals_ignore_case(header.name, "Authorization")) {
      credentials = parse_basic(header.value);
    }
  }
  if (!old_session_.empty()) {
    exchange_.principal = thread_.site.sessions.find(old_session_, transport(), thread_.loop.now());
  }
  if (needs_login(credentials)) {
    return log_in(std::move(*credentials));
  }
  judge();
}

// Credentials are looked at where they can matter: on a protected path, or where the back end is told who asks.
bool ClientConnection::needs_login(const std::optional<BasicCredentials>& credentials) const {
  if (!credentials || thread_.authenticator == nullptr || !basic_is_offered()) {
    return false;
  }
  if (exchange_.principal != nullptr && http::equals_ignore_case(exchange_.principal->user, credentials->user)) {
    return false;
  }
  const Mount* mount = thread_.site.junctions.find(exchange_.path.path);
  const bool told = mount != nullptr && mount->junction.identity != Identity{};
  return told || !thread_.site.access.is_public(exchange_.path.judged());
}

bool ClientConnection::basic_is_offered() const {
  switch (thread_.site.config.basic) {
    case BasicAuthentication::none: return false;
    case BasicAuthentication::http: return transport() == Transport::http;
    case BasicAuthentication::https: return transport() == Transport::https;
    case BasicAuthentication::both: return true;
  }
  return false;
}

void ClientConnection::log_in(BasicCredentials credentials) {
  state_ = State::authenticating;
  exchange_.principal = nullptr;
  if (!self_) {
    self_ = std::make_shared<ClientConnection*>(this);
  }
  arm(thread_.site.timeouts.backend);
  thread_.authenticator->authenticate(std::move(credentials.user), std::move(credentials.password),
                                      [weak = std::weak_ptr<ClientConnection*>(self_)](const Login& login) {
                                        if (const auto self = weak.lock()) {
                                          (*self)->on_login(login);
                                          (*self)->advance();
                                        }
                                      });
}

// Whatever the client had before, a login begins a new session: an id known before it is worth nothing after it.
void ClientConnection::on_login(const Login& login) {
  Sessions& sessions = thread_.site.sessions;
  switch (login.outcome) {
    case Login::Outcome::unavailable: return refuse(503, "The directory cannot be reached.");
    case Login::Outcome::refused: break;
    case Login::Outcome::granted:
      ++thread_.statistics.logins;
      if (!old_session_.empty()) {
        sessions.remove(old_session_);
      }
      exchange_.principal = make_principal(login);
      exchange_.set_cookie_line = set_cookie_line(transport(), sessions.create(exchange_.principal, transport(), thread_.loop.now()));
      break;
  }
  judge();
}

void ClientConnection::judge() {
  switch (thread_.site.access.judge(exchange_.path.judged(), exchange_.principal.get())) {
    case Verdict::allowed: return route();
    case Verdict::forbidden: return refuse(403, "You may not see this.");
    case Verdict::login_wanted: break;
  }
  if (!basic_is_offered()) {
    return refuse(403, "This wants a login, which is not offered here.");
  }
  refuse(401, "This wants a login.", challenge(thread_.site.config.realm));
}

void ClientConnection::route() {
  exchange_.mount = thread_.site.junctions.find(exchange_.path.path);
  if (exchange_.mount == nullptr) {
    return refuse(404, "No junction is mounted here.");
  }
  if (exchange_.mount->junction.type == JunctionType::local) {
    return serve_local_page();
  }
  forwarding_.begin(exchange_);
  state_ = State::forwarding;
}

void ClientConnection::serve_local_page() {
  const http::Request& request = exchange_.request;
  if (request.method != "GET" && request.method != "HEAD") {
    return refuse(405, "These pages can only be read.", "Allow: GET, HEAD\r\n");
  }
  const auto page = find_local_page(std::string_view{exchange_.path.path}.substr(exchange_.mount->point.size()));
  if (!page) {
    return refuse(404, "There is no such page.");
  }
  const AnswerHead head = answer_head(200, exchange_.set_cookie_line);
  if (page->front) {
    answer_.front_page(head);
  } else {
    answer_.page(head, page->bytes);
  }
  state_ = State::answering;
}

bool ClientConnection::settle(const Forwarding::Outcome& outcome) {
  switch (outcome.kind) {
    case Forwarding::Outcome::Kind::waiting:
      if (channel_.broken) {
        record();
        close_now();
      } else if (progress_ != forwarding_.progress()) {  // what is pipelined meanwhile is none
        progress_ = forwarding_.progress();
        arm(forwarding_.connecting() ? thread_.site.timeouts.connect : thread_.site.timeouts.backend);
      }
      return false;
    case Forwarding::Outcome::Kind::done:
      unread_request_ = !forwarding_.request_sent();
      finish_exchange();
      return true;
    case Forwarding::Outcome::Kind::failed: refuse(outcome.status, outcome.why); return true;
    case Forwarding::Outcome::Kind::aborted: break;
  }
  record();
  close_now();
  return false;
}

AnswerHead ClientConnection::answer_head(int status, std::string_view extra_headers) {
  exchange_.status = status;
  exchange_.keep_alive = exchange_.keep_alive && !unread_request_ && !thread_.draining;
  arm(thread_.site.timeouts.fragment);
  return {status, thread_.http_date(), extra_headers, exchange_.request.minor, exchange_.keep_alive, exchange_.to_head};
}

void ClientConnection::refuse(int status, std::string_view why, std::string_view extra_headers) {
  answer_.text() = forwarding_.take_unsent_text();
  answer_.error(answer_head(status, std::string(extra_headers) + exchange_.set_cookie_line), why);
  state_ = State::answering;
}

// Nothing can be known of such a request, not even where it ends.
void ClientConnection::refuse_malformed(int status, std::string_view why) {
  const std::string_view seen = channel_.in.data();
  exchange_.request = {};
  exchange_.head_bytes = seen.size();
  begin_exchange();
  exchange_.request_line = seen.substr(0, std::min(seen.find_first_of("\r\n"), std::size_t{2048}));
  unread_request_ = true;
  refuse(status, why);
}

bool ClientConnection::answer() {
  switch (answer_.run(channel_)) {
    case Answer::Status::wait: return false;
    case Answer::Status::failed:
      record();
      close_now();
      return false;
    case Answer::Status::done: break;
  }
  exchange_.body_bytes = answer_.body_bytes();
  finish_exchange();
  return true;
}

void ClientConnection::finish_exchange() {
  record();
  channel_.in.consume(std::exchange(exchange_.head_bytes, 0));
  channel_.in.rewind();
  if (!exchange_.keep_alive) {
    return end_connection();
  }
  channel_.in.release_if_empty();
  state_ = State::reading;
  arm(thread_.site.timeouts.idle);
}

void ClientConnection::record() {
  Statistics& counts = thread_.statistics;
  ++counts.requests;
  const int status = exchange_.status == 0 ? 499 : exchange_.status;  // 499: the client left before it was answered
  ++counts.responses[static_cast<std::size_t>(status)];
  if (thread_.log.wants(LogFile::request)) {
    ++counts.log_lines;
  }
  thread_.log.add({client_host_, exchange_.principal ? std::string_view{exchange_.principal->user} : std::string_view{},
                   exchange_.request_line, exchange_.agent, exchange_.referer, status, exchange_.body_bytes});
}

// A close with input unread would reset the connection and could take the answer away from the client: read on for a while.
void ClientConnection::end_connection() {
  channel_.stream.shutdown();
  if (!unread_request_ && channel_.in.empty() && !channel_.readable) {
    return close_now();
  }
  state_ = State::lingering;
  lingered_ = 0;
  arm(thread_.site.timeouts.linger);
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
