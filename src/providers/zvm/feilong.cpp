#include "providers/zvm/feilong.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json.hpp>

namespace lab::providers::zvm {

namespace {

using namespace std::chrono_literals;
using Outcome = Exchange::Outcome;

constexpr unsigned kUnauthorized = 401, kBusy = 503;
constexpr auto kFirstPause = 1s;
constexpr auto kLongestPause = 30s;

Request request_of(const Call& call, const std::string& token) {
  Request request{call.method, call.path, {}, {}, token, {}};
  if (call.body) {
    request.body = boost::json::serialize(*call.body);
    request.content_type = "application/json";
  } else if (!call.file.empty()) {
    request.body = call.file;
    request.content_type = "application/octet-stream";
  }
  return request;
}

// Feilong would fail with overallRC 101, rs 6, which says nothing of why.
Result<void> check_length(const Call& call) {
  const std::size_t length = call.body ? boost::json::serialize(*call.body).size() : 0;
  return length <= kMostBodyBytes
             ? Result<void>()
             : Error{"an order of " + std::to_string(length) + " bytes is more than Feilong takes, which is about 4 KB", name_of(call),
                     "give the guest fewer disks"};
}

}  // namespace

Pause real_pause() {
  return [](std::chrono::nanoseconds length, Deadline deadline) {
    const Deadline until = std::min(Clock::now() + length, deadline);
    boost::asio::io_context loop;
    boost::asio::steady_timer timer(loop, until);
    timer.async_wait([](auto) {});
    loop.run();
    return until < deadline;
  };
}

Feilong::Feilong(std::unique_ptr<Transport> transport, std::string url, std::string admin_token, Pause pause)
    : transport_(std::move(transport)), url_(std::move(url)), admin_token_(std::move(admin_token)), pause_(std::move(pause)) {}

Error Feilong::unreachable(const Exchange& exchange, const std::string& call) const {
  return Error{"Feilong cannot be reached: " + exchange.why,
               url_ + ", " + call,
               "look at `url` under `feilong`, and whether its web server runs",
               {}};
}

// POST /token answers 200 with an empty page and the token in a header.
// One that was refused is renewed by whoever comes first; the others take what that got.
Result<std::string> Feilong::token(const std::string& refused, Deadline deadline) {
  const std::lock_guard guard(mutex_);
  if (admin_token_.empty() || (!token_.empty() && token_ != refused)) {
    return token_;
  }
  Request request{"POST", "/token", {}, {}, {}, admin_token_};
  const Exchange exchange = transport_->exchange(request, deadline);
  if (exchange.outcome != Outcome::answered) {
    return unreachable(exchange, "POST /token");
  }
  if (exchange.status >= 300 || exchange.token.empty()) {
    const auto answer = parse_answer(exchange.status, exchange.body);
    const std::string said = answer ? answer->message : std::string();
    return Error{"Feilong gives no token: " + (exchange.status < 300 ? std::string("its answer has none") : said), url_ + ", POST /token",
                 "compare the admin token with that of Feilong's host: zvmsdk-gentoken writes it to /etc/zvmsdk/token.dat"};
  }
  token_ = exchange.token;
  return token_;
}

// With a token that holds.
Result<Exchange> Feilong::exchange(const Call& call, Deadline deadline) {
  auto current = token({}, deadline);
  if (!current) {
    return current.error();
  }
  Exchange exchange = transport_->exchange(request_of(call, *current), deadline);
  if (exchange.outcome == Outcome::answered && exchange.status == kUnauthorized && !admin_token_.empty()) {
    current = token(*current, deadline);
    if (!current) {
      return current.error();
    }
    exchange = transport_->exchange(request_of(call, *current), deadline);
  }
  return exchange;
}

Result<std::optional<Answer>> Feilong::ask(const Call& call, Deadline deadline) {
  if (auto fits = check_length(call); !fits) {
    return fits.error();
  }
  std::chrono::nanoseconds pause = kFirstPause;
  for (bool again = reads(call);;) {
    const auto exchange = this->exchange(call, deadline);
    if (!exchange) {
      return exchange.error();
    }
    if (exchange->outcome == Outcome::unreachable) {
      return unreachable(*exchange, name_of(call));
    }
    if (exchange->outcome != Outcome::answered) {
      if (!again) {
        return std::optional<Answer>();
      }
      again = false;
      continue;
    }
    auto answer = parse_answer(exchange->status, exchange->body);
    if (!answer) {
      return Error{answer.error().what, url_ + ", " + name_of(call) + " (" + answer.error().where + ")", answer.error().remedy,
                   answer.error().detail};
    }
    if (exchange->status == kUnauthorized) {
      return to_error(*answer, name_of(call), "");
    }
    if (exchange->status != kBusy || !pause_(pause, deadline)) {
      return std::optional(std::move(*answer));
    }
    pause = std::min<std::chrono::nanoseconds>(pause * 2, kLongestPause);
  }
}

Result<Answer> Feilong::answer_to(const Call& call, Deadline deadline) {
  auto answer = ask(call, deadline);
  if (!answer) {
    return answer.error();
  }
  if (!*answer) {
    return Error{"the connection to Feilong broke off, or it did not answer in time", url_ + ", " + name_of(call), "try again", {}};
  }
  return std::move(**answer);
}

}  // namespace lab::providers::zvm
