#include "roles/gateway/forwarding.hpp"

#include "roles/gateway/headers.hpp"

#include <utility>

namespace lab::gateway {

namespace {

using Kind = Forwarding::Outcome::Kind;

constexpr int kMaxInterims = 20;  // interim responses before the final one
constexpr net::Nanos kWarnEvery = net::Nanos{30} * 1'000'000'000;

}  // namespace

bool Forwarding::begin(Exchange& exchange, BackendUser& user, Channel& client, std::string_view peer_address) {
  exchange_ = &exchange;
  user_ = &user;
  client_ = &client;
  peer_address_ = peer_address;
  if (!count_in()) {
    return false;
  }
  enter(Phase::connecting);
  tried_ = 0;
  timed_out_ = repeated_ = uploaded_ = upload_failed_ = client_awaited_ = false;
  interims_ = 0;
  upload_.take_unsent_text();
  download_.take_unsent_text();  // of another client's exchange that was cut off
  return true;
}

bool Forwarding::count_in() {
  const Mount& mount = exchange_->mount->mount();
  JunctionStatus& status = *mount.status;
  const unsigned active = status.active.fetch_add(1, std::memory_order_relaxed) + 1;
  if (mount.junction.hard_limit != 0 && active > mount.junction.hard_limit) {
    status.active.fetch_sub(1, std::memory_order_relaxed);
    status.refused.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  counted_ = &status;
  if (mount.junction.soft_limit != 0 && active > mount.junction.soft_limit) {
    warn_of_soft_limit(active);
  }
  return true;
}

void Forwarding::count_out() {
  if (JunctionStatus* const counted = std::exchange(counted_, nullptr)) {
    counted->active.fetch_sub(1, std::memory_order_relaxed);
  }
}

void Forwarding::warn_of_soft_limit(unsigned active) {
  const Mount& mount = exchange_->mount->mount();
  const net::Nanos now = thread_.loop.now();
  net::Nanos last = mount.status->warned.load(std::memory_order_relaxed);
  if ((last == 0 || now - last >= kWarnEvery) && mount.status->warned.compare_exchange_strong(last, now)) {
    thread_.shared.report(Error{"junction " + mount.name + " is above its soft limit: " + std::to_string(active) + " requests under way",
                                {},
                                "the hard limit is " + std::to_string(mount.junction.hard_limit) + "; add a server, or raise the limits",
                                {}});
  }
}

Forwarding::Waiting Forwarding::waiting() const {
  if (phase_ == Phase::connecting) {
    return Waiting::connect;
  }
  return client_awaited_ ? Waiting::client : Waiting::backend;
}

Forwarding::Outcome Forwarding::advance() {
  if (phase_ == Phase::connecting) {
    if (Outcome outcome = connect(); phase_ == Phase::connecting || outcome.kind == Kind::failed) {
      return outcome;
    }
  }
  if (phase_ == Phase::tunnel) {
    return tunnel();
  }
  client_awaited_ = false;
  if (!uploaded_ && !upload_failed_) {
    if (Outcome outcome = upload(); outcome.kind != Kind::waiting) {
      return outcome;
    }
  }
  return download();
}

// Servers in turn until one can be written to. Nothing was sent yet, so any request may go to the next.
Forwarding::Outcome Forwarding::connect() {
  for (;;) {
    if (backend_ == nullptr) {
      server_ = exchange_->mount->choose(tried_, exchange_->pinned);
      if (server_ == nullptr) {
        return fail(timed_out_ ? 504 : 503, "No server of this junction can be reached.");
      }
      backend_ = server_->acquire(*user_, false);
      ++steps_;
    }
    if (backend_ != nullptr && backend_->state() == BackendConnection::State::ready) {
      send_request();
      return {Kind::waiting};
    }
    if (backend_ != nullptr && backend_->state() != BackendConnection::State::failed) {
      return {Kind::waiting};
    }
    server_->mark_down(backend_ == nullptr ? "no connection can be opened" : backend_->error());
    timed_out_ = false;
    let_go(false);
  }
}

void Forwarding::send_request() {
  Exchange& exchange = *exchange_;
  const Site& site = *thread_.site;
  const Mount& mount = exchange.mount->mount();
  const Principal& principal = exchange.principal ? *exchange.principal : *thread_.shared.unauthenticated;
  pin_client();
  append_request_head(upload_.text(),
                      {exchange.request, exchange.path, mount, server_->server(), principal, exchange.client_address, peer_address_,
                       exchange.from_trusted_proxy, exchange.transport == Transport::https, exchange.upgrade, site.config.server_name});
  upload_.start(exchange.request.body, exchange.request.body.kind == http::BodyKind::chunked, site.config.max_body);
  if (exchange.request.expect_continue) {
    download_.text() += "HTTP/1.1 100 Continue\r\n\r\n";
  }
  if (exchange.has_body()) {
    client_->in.consume(std::exchange(exchange.head_bytes, 0));
  }
  download_.start({}, false, 0);
  enter(Phase::head);
  ++thread_.statistics.backend_requests;
  server_->server().status->requests.fetch_add(1, std::memory_order_relaxed);
  if (exchange.began != 0) {
    exchange.backend_began = net::monotonic_now();
  }
}

// -s: the server that answers is the one to come back to.
void Forwarding::pin_client() {
  const Mount& mount = exchange_->mount->mount();
  if (!mount.junction.stateful) {
    return;
  }
  const std::string& uuid = server_->server().uuid;
  if (exchange_->pinned < mount.servers.size() && mount.servers[exchange_->pinned].uuid == uuid) {
    return;
  }
  exchange_->set_cookie_lines += "Set-Cookie: " + mount.stateful_cookie + "=" + uuid + "; Path=/; HttpOnly" +
                                 (exchange_->transport == Transport::https ? "; Secure\r\n" : "\r\n");
}

Forwarding::Outcome Forwarding::upload() {
  switch (upload_.run(*client_, backend_->channel)) {
    case BodyPump::Status::wait_source: client_awaited_ = true; break;
    case BodyPump::Status::wait_sink: break;
    case BodyPump::Status::done: uploaded_ = true; break;
    case BodyPump::Status::source_ended:
    case BodyPump::Status::source_failed: abandon(); return {Kind::aborted};
    case BodyPump::Status::source_bad: return on_bad_upload(400, std::string("The request's body is broken: ") + upload_.why() + ".");
    case BodyPump::Status::source_too_large: return on_bad_upload(413, "The request's body is larger than this gateway takes.");
    case BodyPump::Status::sink_failed:
      upload_failed_ = true;  // its answer may be there all the same
      backend_->channel.readable = true;
      break;
  }
  return {Kind::waiting};
}

Forwarding::Outcome Forwarding::on_bad_upload(int status, const std::string& why) {
  if (phase_ == Phase::head) {
    return fail(status, why);
  }
  abandon();
  return {Kind::aborted};
}

Forwarding::Outcome Forwarding::download() {
  if (phase_ == Phase::head) {
    if (Outcome outcome = read_head(); phase_ != Phase::body) {
      return outcome;
    }
  }
  return pass_body();
}

Forwarding::Outcome Forwarding::read_head() {
  Channel& from = backend_->channel;
  bool incomplete = from.in.empty();
  for (;;) {
    if (incomplete) {
      const net::Io got = from.fill();
      if (got == net::Io::again) {
        if (download_.flush(*client_) == BodyPump::Status::sink_failed) {  // interim answers
          abandon();
          return {Kind::aborted};
        }
        return {Kind::waiting};
      }
      if (got != net::Io::ok) {
        return lost("The server closed the connection before it answered.");
      }
      ++steps_;
    }
    const http::ParseResult head = http::parse_response(from.in.data(), response_, exchange_->to_head);
    incomplete = head.status == http::Parse::more;
    if (incomplete) {
      continue;
    }
    if (head.status != http::Parse::done) {
      return fail(502, std::string("The server's answer is broken: ") + head.why + ".");
    }
    if (response_.status >= 200) {
      begin_response(head.consumed);
      return {Kind::waiting};
    }
    if (response_.status == 101 && begin_tunnel(head.consumed)) {
      return tunnel();
    }
    if (Outcome outcome = on_interim(head.consumed); outcome.kind == Kind::failed) {
      return outcome;
    }
    incomplete = from.in.empty();
  }
}

// 100 was the gateway's own to give. The others go on to clients that know them (RFC 9110 section 15.2).
Forwarding::Outcome Forwarding::on_interim(std::size_t head_bytes) {
  if (response_.status == 101 || ++interims_ > kMaxInterims) {
    return fail(502, "The server's answer is broken: an interim response that nobody asked for.");
  }
  if (response_.status != 100 && exchange_->request.minor > 0) {
    append_interim_head(download_.text(), response_);
  }
  backend_->channel.in.consume(head_bytes);
  return {Kind::waiting};
}

// From here on bytes go both ways unread. What the client sent after its request went nowhere before this answer.
bool Forwarding::begin_tunnel(std::size_t head_bytes) {
  if (!exchange_->upgrade || !http::token_in(response_.find("Upgrade").value_or(""), "websocket")) {
    return false;
  }
  Exchange& exchange = *exchange_;
  append_switching_head(download_.text(), {response_, exchange.mount->mount(), server_->server(), false, 1, true, exchange.set_cookie_lines,
                                           thread_.http_date()});
  backend_->channel.in.consume(head_bytes);
  client_->in.consume(std::exchange(exchange.head_bytes, 0));
  exchange.status = response_.status;
  exchange.keep_alive = false;
  upload_.start({http::BodyKind::until_close}, false, 0);
  download_.start({http::BodyKind::until_close}, false, 0);
  enter(Phase::tunnel);
  return true;
}

// Ends with the first of the two, once what it said has been passed on.
Forwarding::Outcome Forwarding::tunnel() {
  const BodyPump::Status up = upload_.run(*client_, backend_->channel);
  const BodyPump::Status down = download_.run(backend_->channel, *client_);
  exchange_->body_bytes = download_.body_bytes();
  const auto waits = [](BodyPump::Status status) {
    return status == BodyPump::Status::wait_source || status == BodyPump::Status::wait_sink;
  };
  if (waits(up) && waits(down)) {
    client_awaited_ = false;
    return {Kind::waiting};
  }
  const bool orderly = up == BodyPump::Status::done || down == BodyPump::Status::done;
  if (!orderly) {
    abandon();
    return {Kind::aborted};
  }
  backend_->channel.stream.shutdown();
  return finish();
}

void Forwarding::begin_response(std::size_t head_bytes) {
  Exchange& exchange = *exchange_;
  const bool delimited = response_.body.kind == http::BodyKind::none || response_.body.kind == http::BodyKind::length;
  const bool chunked = !delimited && exchange.request.minor > 0;
  exchange.keep_alive = exchange.keep_alive && !thread_.draining && (delimited || chunked);
  exchange.status = response_.status;
  append_response_head(download_.text(), {response_, exchange.mount->mount(), server_->server(), chunked, exchange.request.minor,
                                          exchange.keep_alive, exchange.set_cookie_lines, thread_.http_date()});
  backend_->channel.in.consume(head_bytes);
  download_.start(response_.body, chunked, 0);
  enter(Phase::body);
}

Forwarding::Outcome Forwarding::pass_body() {
  const BodyPump::Status status = download_.run(backend_->channel, *client_);
  exchange_->body_bytes = download_.body_bytes();
  switch (status) {
    case BodyPump::Status::wait_sink: client_awaited_ = true; [[fallthrough]];
    case BodyPump::Status::wait_source: return {Kind::waiting};
    case BodyPump::Status::done: return finish();
    case BodyPump::Status::source_bad:
      if (!download_.begun()) {
        download_.take_unsent_text();
        return fail(502, std::string("The server's answer is broken: ") + download_.why() + ".");
      }
      break;
    case BodyPump::Status::source_ended:
    case BodyPump::Status::source_failed:
    case BodyPump::Status::source_too_large:
    case BodyPump::Status::sink_failed: break;
  }
  abandon();
  return {Kind::aborted};
}

Forwarding::Outcome Forwarding::finish() {
  exchange_->keep_alive = exchange_->keep_alive && uploaded_;
  let_go(phase_ == Phase::body && response_.keep_alive && uploaded_ && backend_->channel.in.empty() && !backend_->channel.ended);
  count_out();
  phase_ = Phase::none;
  return {Kind::done};
}

// The connection went before any response. One that was kept may have been stale: once, on a fresh one, where that does no harm.
Forwarding::Outcome Forwarding::lost(const std::string& why) {
  if (!may_repeat()) {
    return fail(502, why);
  }
  repeated_ = true;
  uploaded_ = upload_failed_ = false;
  ++thread_.statistics.retries;
  upload_.take_unsent_text();
  let_go(false);
  backend_ = server_->acquire(*user_, true);
  enter(Phase::connecting);
  return advance();
}

bool Forwarding::may_repeat() const {
  return backend_->reused() && !repeated_ && interims_ == 0 && backend_->channel.in.empty() && exchange_->repeatable &&
         !exchange_->has_body();
}

Forwarding::Outcome Forwarding::expired() {
  if (phase_ == Phase::connecting) {
    server_->mark_down("no connection in time");
    let_go(false);
    timed_out_ = true;
    return advance();
  }
  if (phase_ == Phase::head) {
    return client_awaited_ ? fail(408, "The request's body did not come in time.") : fail(504, "The server did not answer in time.");
  }
  abandon();
  return {Kind::aborted};
}

Forwarding::Outcome Forwarding::fail(int status, std::string why) {
  abandon();
  return {Kind::failed, status, std::move(why)};
}

void Forwarding::abandon() {
  let_go(false);
  count_out();
  upload_.take_unsent_text();
  phase_ = Phase::none;
}

void Forwarding::enter(Phase phase) {
  phase_ = phase;
  ++steps_;
}

void Forwarding::let_go(bool reusable) {
  if (backend_ == nullptr || server_ == nullptr) {  // one has both or neither
    return;
  }
  note_backend_end();
  if (reusable) {
    server_->release(*backend_);
  } else {
    server_->discard(*backend_);
  }
  backend_ = nullptr;
}

void Forwarding::note_backend_end() {
  if (exchange_->began != 0) {
    exchange_->backend_ended = net::monotonic_now();
  }
}

}  // namespace lab::gateway
