// What a client sends over its connection: pages, and the logins and logouts between them.
#include "http/message.hpp"
#include "lab/units.hpp"
#include "roles/load/arrivals.hpp"
#include "roles/load/client.hpp"
#include "roles/load/worker.hpp"

#include <algorithm>

namespace lab::load {

namespace {

constexpr net::Nanos kMillisecond = 1'000'000;
constexpr net::Nanos kLongestBackOff = 100 * kMillisecond;

std::string status_text(int status) { return std::to_string(status) + " " + std::string(http::reason_phrase(status)); }

}  // namespace

void Client::begin_page(net::Nanos now, net::Nanos due, std::size_t slot) {
  const LoadConfig& config = target_.config;
  page_began_ = now;
  due_ = due;
  slot_ = slot;
  retried_ = false;
  page_under_way_ = true;
  deadline_.arm_at(now + config.timeout.count());
  tally_.clients_begun += turn_++ == 0 ? 1 : 0;
  step_ = target_.steps.size() == 1 ? target_.steps.data() : &target_.draw(uniform(random_));
  exchange_ = Exchange::page;
  if (config.login != LoginMode::none) {
    if (config.login == LoginMode::every) {
      end_session();
    }
    if (config.method == LoginMethod::forms && !logged_in_) {
      exchange_ = Exchange::login;
    } else if (config.preemptive && authorization_.empty() && !cookies_.has_session()) {
      send_password(true);
    }
  }
  if (stream_) {
    start_exchange(now);
  } else {
    open(now);
  }
}

void Client::start_exchange(net::Nanos now) {
  unsent_ = compose();
  const bool page = exchange_ == Exchange::page;
  reader_.begin({.expectation = page ? &step_->expectation : nullptr,
                 .cookies = target_.cookies ? &cookies_ : nullptr,
                 .path = page                           ? std::string_view(step_->target)
                         : exchange_ == Exchange::login ? std::string_view(target_.config.login_path)
                                                        : std::string_view(target_.config.logout_path),
                 .to_head = page && step_->method == "HEAD"});
  state_ = State::waiting;
  sent_ = now;
  push();
}

std::string_view Client::compose() {
  last_ = exchange_ == Exchange::page && target_.per_connection != 0 && pages_here_ + 1 >= target_.per_connection;
  if (exchange_ == Exchange::page && authorization_.empty() && cookies_.empty()) {
    return last_ ? step_->last : step_->keep;
  }
  compose_own();
  return own_request_;
}

// Written anew only where something in it changed.
void Client::compose_own() {
  const LoadConfig& config = target_.config;
  const bool page = exchange_ == Exchange::page;
  if (page && own_step_ == step_ && own_last_ == last_ && own_cookies_ == cookies_.changes()) {
    return;
  }
  RequestParts parts{.authorization = authorization_, .close = last_};
  std::string form;
  if (const Step* const step = page ? step_ : nullptr; step != nullptr) {
    parts.method = step->method;
    parts.target = step->target;
    parts.body = step->body;
  } else if (exchange_ == Exchange::login) {
    form = login_form(credentials());
    parts.method = "POST";
    parts.target = config.login_path;
    parts.body = form;
    parts.type = "application/x-www-form-urlencoded";
  } else {
    parts.target = config.logout_path;
  }
  const std::string cookie = cookies_.header(parts.target, target_.url.tls);
  parts.cookie = cookie;
  write_request(own_request_, target_.url, config.headers, parts);
  own_step_ = page ? step_ : nullptr;
  own_last_ = last_;
  own_cookies_ = cookies_.changes();
}

Credentials Client::credentials() const {
  return target_.config.login == LoginMode::every ? target_.users.next(number_, turn_ - 1) : target_.users.fixed(number_);
}

void Client::send_password(bool yes) {
  authorization_ = yes ? basic_authorization(credentials()) : std::string();
  own_step_ = nullptr;
}

void Client::end_session() {
  cookies_.clear();
  send_password(false);
  logged_in_ = false;
  session_pages_ = 0;
}

void Client::complete(net::Nanos now) {
  ++tally_.in(worker_.window_of(now)).responses;
  ++served_;
  tally_.last_response_ns = now;
  const bool keep = reader_.keep_alive() && !hung_up_;
  switch (exchange_) {
    case Exchange::page: return complete_page(now, keep);
    case Exchange::login: return complete_login(now, keep);
    case Exchange::logout: return complete_logout(keep);
  }
}

void Client::complete_page(net::Nanos now, bool keep) {
  const LoadConfig& config = target_.config;
  const int status = reader_.status();
  const bool password_sent = !authorization_.empty();
  const bool basic = config.login != LoginMode::none && config.method == LoginMethod::basic;
  if (status == 401 && basic && !password_sent) {
    ++tally_.in(worker_.window_of(now)).logins;
    if (cookies_.has_session()) {  // it has ended
      end_session();
    }
    send_password(true);
    return go_on_with(Exchange::page, keep);
  }
  deadline_.cancel();
  ++pages_here_;
  if (!step_->expectation.accepts(status)) {
    count_failure(ErrorClass::status, status_text(status) + (status == 401 && password_sent ? " in spite of a password" : ""));
  } else if (!reader_.header_as_expected()) {
    count_failure(ErrorClass::header, "no header as expected: " + config.expect_header);
  } else if (!check_.complete()) {
    count_failure(ErrorClass::body, check_.why());
  } else {
    page_done(now);
  }
  if (!keep || last_) {
    drop(true);
  }
  if (status == 401) {
    end_session();
    return back_off();
  }
  failures_ = 0;
  if (config.logout_after && ++session_pages_ >= *config.logout_after) {
    deadline_.arm_at(now + config.timeout.count());
    return go_on_with(Exchange::logout, static_cast<bool>(stream_));
  }
  next_page();
}

// A form that was refused comes back as a page: a login counts as one when a cookie came with it.
void Client::complete_login(net::Nanos now, bool keep) {
  const int status = reader_.status();
  if (status >= 400 || cookies_.changes() == own_cookies_) {
    return fail_page(ErrorClass::status, "login of " + credentials().user + ": " + status_text(status) + ", no cookie came with it");
  }
  ++tally_.in(worker_.window_of(now)).logins;
  logged_in_ = true;
  go_on_with(Exchange::page, keep);
}

void Client::complete_logout(bool keep) {
  deadline_.cancel();
  const bool good = reader_.status() < 400;
  tally_.logouts_failed += good ? 0 : 1;
  tally_.in(worker_.window_of(tally_.last_response_ns)).logouts += good ? 1 : 0;
  end_session();
  if (!keep) {
    drop(true);
  }
  next_page();
}

void Client::go_on_with(Exchange exchange, bool keep) {
  exchange_ = exchange;
  const net::Nanos now = net::monotonic_now();
  if (keep) {
    return start_exchange(now);
  }
  drop(true);
  open(now);
}

void Client::page_done(net::Nanos now) {
  const LoadConfig& config = target_.config;
  Counts& counts = tally_.in(worker_.window_of(now));
  ++counts.done;
  counts.bytes += check_.length();
  counts.hashed += check_.hashed() ? 1 : 0;
  page_under_way_ = false;
  worker_.page_ended(slot_, page_began_, now, true);
  if (worker_.window_of(now) == Window::measure) {
    record_times(now);
  }
  if (config.method == LoginMethod::basic && config.login == LoginMode::once && !authorization_.empty() && cookies_.has_session()) {
    send_password(false);
  }
}

void Client::record_times(net::Nanos now) {
  const auto since = [now](net::Nanos instant) { return static_cast<std::uint64_t>(now - instant); };
  tally_.service.record(since(target_.config.login == LoginMode::every ? page_began_ : sent_));
  tally_.page.record(since(page_began_));
  tally_.wait.record(static_cast<std::uint64_t>(first_byte_ - sent_));
  tally_.transfer.record(since(first_byte_));
  if (due_ != 0) {
    tally_.latency.record(since(due_));
  }
}

void Client::fail_page(ErrorClass error, const std::string& text) {
  deadline_.cancel();
  if (exchange_ == Exchange::logout) {
    ++tally_.logouts_failed;
    end_session();
  } else {
    count_failure(error, text);
  }
  drop(false);
  back_off();
}

void Client::count_failure(ErrorClass error, const std::string& text) {
  const net::Nanos now = net::monotonic_now();
  Counts& counts = tally_.in(worker_.window_of(now));
  const auto index = static_cast<std::size_t>(error);
  ++counts.failed;
  ++counts.errors[index];
  if (tally_.first_error[index].empty()) {
    tally_.first_error[index] = text;
  }
  page_under_way_ = false;
  worker_.page_ended(slot_, page_began_, now, false);
}

void Client::next_page() {
  const net::Nanos think = target_.config.think.count();
  if (think > 0) {
    return pause(think);
  }
  worker_.ready(*this);
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
  const std::string limit = format_duration(target_.config.timeout);
  fail_page(ErrorClass::timeout, state_ == State::waiting ? "no response within " + limit : "no connection within " + limit);
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
  const bool page = page_under_way_;
  if (page) {
    page_under_way_ = false;
    worker_.page_cut_off(slot_, page_began_, now);
  }
  finish();
  return page ? std::optional(now - page_began_) : std::nullopt;
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
