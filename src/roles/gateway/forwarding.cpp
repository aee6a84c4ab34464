#include "roles/gateway/forwarding.hpp"

#include "roles/gateway/headers.hpp"

#include <utility>

namespace lab::gateway {

namespace {

using Kind = Forwarding::Outcome::Kind;

constexpr int kMaxInterims = 20;  // interim responses before the final one

}  // namespace

Forwarding::Forwarding(ThreadContext& thread, BackendUser& user, Channel& client, std::string_view client_host)
    : thread_(thread), user_(user), client_(client), client_host_(client_host) {}

void Forwarding::begin(Exchange& exchange) {
  exchange_ = &exchange;
  enter(Phase::connecting);
  tried_ = 0;
  timed_out_ = repeated_ = uploaded_ = upload_failed_ = false;
  interims_ = 0;
  upload_.take_unsent_text();
}

Forwarding::Outcome Forwarding::advance() {
  if (phase_ == Phase::connecting) {
    if (Outcome outcome = connect(); phase_ == Phase::connecting || outcome.kind == Kind::failed) {
      return outcome;
    }
  }
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
      server_ = thread_.mounts[exchange_->mount->index]->choose(tried_);
      if (server_ == nullptr) {
        return fail(timed_out_ ? 504 : 503, "No server of this junction can be reached.");
      }
      backend_ = server_->acquire(user_, false);
      ++steps_;
    }
    if (backend_ != nullptr && backend_->state() == BackendConnection::State::ready) {
      send_request();
      return {Kind::waiting};
    }
    if (backend_ != nullptr && backend_->state() != BackendConnection::State::failed) {
      return {Kind::waiting};
    }
    server_->mark_down();
    timed_out_ = false;
    let_go(false);
  }
}

void Forwarding::send_request() {
  const Exchange& exchange = *exchange_;
  const Principal& principal = exchange.principal ? *exchange.principal : *thread_.site.unauthenticated;
  append_request_head(upload_.text(), {exchange.request, exchange.path, *exchange.mount, server_->server(), principal, client_host_,
                                       thread_.site.config.server_name});
  upload_.start(exchange.request.body, exchange.request.body.kind == http::BodyKind::chunked);
  if (exchange.request.expect_continue) {
    download_.text() += "HTTP/1.1 100 Continue\r\n\r\n";
  }
  if (exchange.has_body()) {
    client_.in.consume(std::exchange(exchange_->head_bytes, 0));
  }
  download_.start({}, false);
  enter(Phase::head);
  ++thread_.statistics.backend_requests;
}

Forwarding::Outcome Forwarding::upload() {
  switch (upload_.run(client_, backend_->channel)) {
    case BodyPump::Status::wait_source:
    case BodyPump::Status::wait_sink: break;
    case BodyPump::Status::done: uploaded_ = true; break;
    case BodyPump::Status::source_ended:
    case BodyPump::Status::source_failed: abandon(); return {Kind::aborted};
    case BodyPump::Status::source_bad:
      if (phase_ == Phase::head) {
        return fail(400, std::string("The request's body is broken: ") + upload_.why() + ".");
      }
      abandon();
      return {Kind::aborted};
    case BodyPump::Status::sink_failed:
      upload_failed_ = true;  // its answer may be there all the same
      backend_->channel.readable = true;
      break;
  }
  return {Kind::waiting};
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
        if (download_.flush(client_) == BodyPump::Status::sink_failed) {  // interim answers
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

void Forwarding::begin_response(std::size_t head_bytes) {
  Exchange& exchange = *exchange_;
  const bool delimited = response_.body.kind == http::BodyKind::none || response_.body.kind == http::BodyKind::length;
  const bool chunked = !delimited && exchange.request.minor > 0;
  exchange.keep_alive = exchange.keep_alive && !thread_.draining && (delimited || chunked);
  exchange.status = response_.status;
  append_response_head(download_.text(),
                       {response_, chunked, exchange.request.minor, exchange.keep_alive, exchange.set_cookie_line, thread_.http_date()});
  backend_->channel.in.consume(head_bytes);
  download_.start(response_.body, chunked);
  enter(Phase::body);
}

Forwarding::Outcome Forwarding::pass_body() {
  const BodyPump::Status status = download_.run(backend_->channel, client_);
  exchange_->body_bytes = download_.body_bytes();
  switch (status) {
    case BodyPump::Status::wait_source:
    case BodyPump::Status::wait_sink: return {Kind::waiting};
    case BodyPump::Status::done:
      exchange_->keep_alive = exchange_->keep_alive && uploaded_;
      let_go(response_.keep_alive && uploaded_ && backend_->channel.in.empty() && !backend_->channel.ended);
      phase_ = Phase::none;
      return {Kind::done};
    case BodyPump::Status::source_bad:
      if (!download_.begun()) {
        download_.take_unsent_text();
        return fail(502, std::string("The server's answer is broken: ") + download_.why() + ".");
      }
      break;
    case BodyPump::Status::source_ended:
    case BodyPump::Status::source_failed:
    case BodyPump::Status::sink_failed: break;
  }
  abandon();
  return {Kind::aborted};
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
  backend_ = server_->acquire(user_, true);
  enter(Phase::connecting);
  return advance();
}

bool Forwarding::may_repeat() const {
  return backend_->reused() && !repeated_ && interims_ == 0 && backend_->channel.in.empty() && exchange_->idempotent &&
         !exchange_->has_body();
}

Forwarding::Outcome Forwarding::expired() {
  if (phase_ == Phase::connecting) {
    server_->mark_down();
    let_go(false);
    timed_out_ = true;
    return advance();
  }
  if (phase_ == Phase::head) {
    return fail(504, "The server did not answer in time.");
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
  upload_.take_unsent_text();
  phase_ = Phase::none;
}

void Forwarding::enter(Phase phase) {
  phase_ = phase;
  ++steps_;
}

void Forwarding::let_go(bool reusable) {
  if (backend_ == nullptr) {
    return;
  }
  if (reusable) {
    server_->release(*backend_);
  } else {
    server_->discard(*backend_);
  }
  backend_ = nullptr;
}

}  // namespace lab::gateway
