// A client's login by form: the request that wants it is kept, the form is served, read, and answered with the way back.
#include "roles/gateway/client_connection.hpp"

#include "roles/gateway/login_form.hpp"

#include <array>
#include <utility>

namespace lab::gateway {

namespace {

constexpr const char* kNoStore = "Cache-Control: no-store\r\n";

std::string cookie_and(const std::string& line) { return kNoStore + line; }

}  // namespace

// Bodies are taken whole, so the request's texts die here: what is needed of them is put aside first.
void ClientConnection::start_collecting(std::size_t limit) {
  Exchange& exchange = transaction_->exchange;
  const http::Request& request = exchange.request;
  const bool plain = request.method == "GET" || request.method == "HEAD";
  if (!collecting_login_) {
    std::string location = exchange.path.path + std::string(exchange.path.query);
    transaction_->keeping = KeptRequest{location, {}, {}};
    if (!plain || exchange.has_body()) {
      transaction_->keeping = keep_request(request, std::move(location), {});
    }
    if (transaction_->keeping.size() > limit) {
      return refuse(413, "This wants a login, and is too large to be kept over it: log in first.");
    }
    limit -= transaction_->keeping.size();
  }
  transaction_->collector.start(request.body, limit);
  if (!exchange.has_body()) {
    return on_collected();
  }
  if (request.expect_continue) {
    std::string line = "HTTP/1.1 100 Continue\r\n\r\n";
    const iovec part{line.data(), line.size()};
    std::size_t taken = 0;
    if (channel_.send(std::span(&part, 1), taken) != net::Io::ok || taken != line.size()) {
      record();
      return close_now();
    }
  }
  channel_.in.consume(std::exchange(exchange.head_bytes, 0));
  state_ = State::collecting;
  arm(timeouts().fragment);
}

bool ClientConnection::collect() {
  for (;;) {
    if (channel_.in.empty()) {
      const net::Io got = channel_.fill();
      if (got == net::Io::again) {
        return false;
      }
      if (got != net::Io::ok) {
        record();
        close_now();
        return false;
      }
      arm(timeouts().fragment);
    }
    switch (transaction_->collector.take(channel_.in)) {
      case BodyCollector::Status::more: break;
      case BodyCollector::Status::bad: refuse(400, "The request's body is broken."); return true;
      case BodyCollector::Status::too_large:
        refuse(413, collecting_login_ ? "This is no login form."
                                      : "This wants a login, and its body is too large to be kept over it: log in first.");
        return true;
      case BodyCollector::Status::done: on_collected(); return true;
    }
  }
}

void ClientConnection::on_collected() {
  unread_request_ = false;
  std::string body = std::move(transaction_->collector.body());
  if (collecting_login_) {
    read_form(body);
  } else {
    keep_and_show_form(std::move(body));
  }
}

void ClientConnection::keep_and_show_form(std::string body) {
  KeptRequests& kept = thread_.shared.kept;
  if (!exchange().kept_id.empty()) {
    kept.remove(exchange().kept_id);
  }
  transaction_->keeping.body = std::move(body);
  exchange().kept_id = kept.put(std::move(transaction_->keeping), thread_.loop.now());
  exchange().set_cookie_lines += set_session_line(transport(), exchange().kept_id);
  show_form({});
}

void ClientConnection::show_form(std::string_view why) { answer_page(200, thread_.site->pages.login(facts(200, why)), kNoStore); }

void ClientConnection::read_form(const std::string& body) {
  std::optional<LoginForm> form = parse_login_form(body);
  if (!form) {
    return refuse(400, "This is no login form.");
  }
  if (form->user.empty() || form->password.empty()) {
    return show_form("Give both user and password.");
  }
  form_login_ = true;
  exchange().principal = nullptr;
  log_in({std::move(form->user), std::move(form->password)});
}

void ClientConnection::on_form_login(const Login& login) {
  switch (login.outcome) {
    case Login::Outcome::unavailable: return refuse(503, "The directory cannot be reached.");
    case Login::Outcome::refused: return show_form("User or password is wrong.");
    case Login::Outcome::granted: break;
  }
  const KeptPtr kept = thread_.shared.kept.find(exchange().kept_id, thread_.loop.now());
  thread_.shared.kept.remove(exchange().kept_id);
  exchange().principal = begin_session(login, kept != nullptr && !kept->head.empty() ? kept : nullptr);
  if (kept == nullptr) {
    return answer_page(200, thread_.site->pages.login_success(facts(200, {})), kNoStore);
  }
  answer_page(302, thread_.site->pages.error(facts(302, "You are logged in.")), cookie_and("Location: " + kept->location + "\r\n"));
}

void ClientConnection::log_out() {
  if (!exchange().session_id.empty()) {
    thread_.shared.sessions.remove(exchange().session_id);
    exchange().set_cookie_lines += end_session_line(transport());
  }
  answer_page(200, thread_.site->pages.logout(facts(200, {})), kNoStore);
}

// As if the client had sent it instead: it is read, judged, forwarded and logged in the same way.
void ClientConnection::put_in_place(const KeptRequest& kept) {
  Exchange& exchange = transaction_->exchange;
  const std::string request = replay(kept, exchange.request);
  channel_.in.consume(std::exchange(exchange.head_bytes, 0));
  channel_.in.put_before(request);
  state_ = State::reading;
}

}  // namespace lab::gateway
