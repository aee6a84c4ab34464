#include "roles/pages/connection.hpp"

#include "http/page_pattern.hpp"
#include "roles/pages/worker.hpp"

#include <sys/epoll.h>
#include <algorithm>
#include <array>

namespace lab::pages {

namespace {

constexpr net::Nanos kSecond = 1'000'000'000;
constexpr net::Nanos kIdle = 300 * kSecond;     // between requests
constexpr net::Nanos kProgress = 30 * kSecond;  // inside a handshake, a request or an answer, without a byte moving
constexpr net::Nanos kLinger = 2 * kSecond;     // for the peer's FIN after ours
constexpr std::size_t kMaxParts = 5;            // a head and four periods of the pattern in one write

// The path of a target in origin or absolute form (RFC 9112 section 3.2), without its query.
std::string_view path_of(std::string_view target) {
  if (!target.starts_with('/')) {
    const auto authority = target.find("://");
    const auto slash = authority == std::string_view::npos ? authority : target.find('/', authority + 3);
    target = slash == std::string_view::npos ? std::string_view("/") : target.substr(slash);
  }
  return target.substr(0, target.find('?'));
}

}  // namespace

Connection::Connection(Worker& worker, net::Stream stream)
    : worker_(worker),
      stream_(std::move(stream)),
      deadline_(worker.loop(), [this] { close(); }),
      state_(stream_.is_tls() ? State::handshake : State::head) {
  worker_.loop().watch(stream_.fd(), *this);
  arm();
}

Connection::~Connection() {
  if (state_ != State::closed) {
    forget_page();
    worker_.loop().unwatch(stream_.fd(), *this);
  }
}

void Connection::on_events(std::uint32_t events) {
  readable_ = readable_ || (events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0;
  hung_up_ = hung_up_ || (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
  advance();
}

// Does all that can be done now: sends, reads, answers, until the socket has nothing more or takes nothing more.
void Connection::advance() {
  if (state_ == State::handshake && !shake_hands()) {
    return;
  }
  while (state_ != State::closed && pump()) {
    if (close_after_answer_ && state_ != State::linger) {
      linger();
    }
    if (!rest_.empty() && state_ != State::linger) {
      const std::size_t before = rest_.size();
      rest_.erase(0, consume(rest_));
      if (rest_.size() < before) {
        continue;
      }
    }
    if (!readable_ || state_ == State::closed || state_ == State::delayed || state_ == State::database) {
      break;
    }
    const std::span<char> scratch = worker_.scratch();
    const net::IoResult got = stream_.read(scratch);
    if (got.status == net::Io::again) {
      readable_ = false;
      break;
    }
    if (got.status != net::Io::ok) {
      return close();
    }
    readable_ = hung_up_ || stream_.may_have_more();
    feed({scratch.data(), got.bytes});
  }
  if (state_ != State::closed) {
    arm();
  }
}

bool Connection::shake_hands() {
  const net::IoResult done = stream_.handshake();
  if (done.status == net::Io::again) {
    return false;  // the deadline stays that of the start: a handshake has no right to dawdle
  }
  if (done.status != net::Io::ok) {
    close();
    return false;
  }
  worker_.counted().handshakes.add();
  state_ = State::head;
  readable_ = true;
  return true;
}

void Connection::feed(std::string_view data) {
  if (state_ == State::linger) {
    return;
  }
  if (rest_.empty()) {
    const std::size_t used = consume(data);
    rest_.assign(data.substr(used));
  } else {
    rest_.append(data);
    rest_.erase(0, consume(rest_));
  }
}

// Takes requests from the front of data until one is incomplete or an answer does not fit into the socket.
std::size_t Connection::consume(std::string_view data) {
  std::size_t used = 0;
  while (used < data.size() && (state_ == State::head || state_ == State::body)) {
    const std::size_t step = state_ == State::head ? take_head(data.substr(used)) : take_body(data.substr(used));
    used += step;
    if (step == 0 || !pump() || close_after_answer_) {
      break;
    }
  }
  return used;
}

std::size_t Connection::take_head(std::string_view data) {
  http::Request& request = worker_.request();
  const http::ParseResult parsed = http::parse_request(data, request);
  if (parsed.status == http::Parse::more) {
    return 0;
  }
  worker_.counted().requests.add();
  if (parsed.status != http::Parse::done) {
    refuse(parsed.code, parsed.why);
    return data.size();
  }
  begin(request, data.size() > parsed.consumed);
  return parsed.consumed;
}

Connection::Plan Connection::plan(const http::Request& request) const {
  Plan plan;
  plan.head_only = request.method == "HEAD";
  plan.persistence = !request.keep_alive || worker_.draining() ? Persistence::close
                     : request.minor == 0                      ? Persistence::keep_alive
                                                               : Persistence::implied;
  const std::string_view path = path_of(request.target);
  if (path == "/echo" && request.method != "CONNECT") {
    plan.target = Target::echo;
    plan.status = 200;
  } else if (const auto size = http::page_size_of_path(path)) {
    const bool get = plan.head_only || request.method == "GET";
    plan.target = get ? Target::page : Target::refused;
    plan.status = get ? 200 : 405;
    plan.size = *size;
    if (worker_.database() != nullptr && *size > kMostFromDatabase) {
      plan.target = Target::refused;
      plan.status = 404;
    }
  }
  return plan;
}

void Connection::begin(const http::Request& request, bool body_is_here) {
  plan_ = plan(request);
  body_ = request.body;
  if (plan_.target == Target::refused && request.expect_continue) {
    return refuse(plan_.status, "not here");  // the body need not come
  }
  if (plan_.target == Target::echo) {
    echo_ = std::make_unique<Echo>(request);
  }
  if (body_.kind == http::BodyKind::none || (body_.kind == http::BodyKind::length && body_.length == 0)) {
    return answer();
  }
  state_ = State::body;
  chunks_.reset();
  if (request.expect_continue && !body_is_here) {
    out_ = "HTTP/1.1 100 Continue\r\n\r\n";
  }
}

std::size_t Connection::take_body(std::string_view data) {
  std::string_view part;
  std::size_t used = 0;
  bool ended = false;
  if (body_.kind == http::BodyKind::chunked) {
    const http::ChunkDecoder::Step step = chunks_.next(data);
    if (step.status == http::Parse::bad || step.status == http::Parse::too_large) {
      refuse(400, step.why);
      return data.size();
    }
    part = step.body;
    used = step.consumed;
    ended = step.status == http::Parse::done;
  } else {
    part = data.substr(0, body_.length);
    used = part.size();
    body_.length -= part.size();
    ended = body_.length == 0;
  }
  if (echo_ && !part.empty()) {
    echo_->body(part);
  }
  if (ended) {
    answer();
  }
  return used;
}

void Connection::answer() {
  if (plan_.target == Target::page && worker_.delay() > 0) {
    delay_answer();
  } else {
    answer_now();
  }
}

void Connection::delay_answer() {
  state_ = State::delayed;
  if (!delay_) {
    delay_ = std::make_unique<net::Timer>(worker_.loop(), [this] {
      answer_now();
      advance();
    });
  }
  delay_->arm(worker_.delay());
}

void Connection::answer_now() {
  state_ = State::head;
  close_after_answer_ = plan_.persistence == Persistence::close;
  switch (plan_.target) {
    case Target::page:
      page_.reset();
      if (worker_.database() != nullptr && !plan_.head_only) {
        page_ = worker_.database()->get(plan_.size, *this);
        if (page_ == nullptr) {
          state_ = State::database;
          close_after_answer_ = false;  // there is none yet
          return;
        }
      }
      return answer_page();
    case Target::echo: {
      const std::string json = echo_->finish();
      echo_.reset();
      return answer_text(200, "application/json", json);
    }
    default: return answer_text(plan_.status, "text/plain", plan_.status == 405 ? "a page is read with GET or HEAD\n" : "no such page\n");
  }
}

void Connection::answer_page() {
  out_ = worker_.heads().page_head(plan_.size, plan_.persistence, worker_.unix_seconds());
  page_at_ = 0;
  page_end_ = plan_.head_only ? 0 : plan_.size;
  worker_.counted().pages.add();
  worker_.counted().bytes.add(page_end_);
}

void Connection::page_came(PageBody body) {
  worker_.counted().database_reads.add();
  state_ = State::head;
  close_after_answer_ = plan_.persistence == Persistence::close;
  page_ = std::move(body);
  answer_page();
  advance();
}

void Connection::no_page(const Error& error) {
  refuse(503, error.what);
  advance();
}

void Connection::forget_page() {
  if (state_ == State::database) {
    worker_.database()->forget(*this);
  }
}

void Connection::answer_text(int status, std::string_view type, std::string_view body) {
  const std::string_view extra = status == 405 ? "Allow: GET, HEAD\r\n" : "";
  held_ = make_head(status, type, body.size(), plan_.persistence, worker_.unix_seconds(), extra);
  held_.append(plan_.head_only ? std::string_view() : body);
  out_ = held_;
}

void Connection::refuse(int status, std::string_view why) {
  plan_.head_only = false;
  plan_.persistence = Persistence::close;
  close_after_answer_ = true;
  state_ = State::head;
  answer_text(status, "text/plain", std::string(why) + "\n");
}

bool Connection::pump() {
  while (!out_.empty() || page_at_ < page_end_) {
    std::array<iovec, kMaxParts> parts{};
    std::size_t count = 0;
    if (!out_.empty()) {
      parts[count++] = {const_cast<char*>(out_.data()), out_.size()};
    }
    for (std::uint64_t at = page_at_; at < page_end_ && count < parts.size(); ++count) {
      const std::size_t inside = at % http::kPagePeriod;
      const std::string_view run = page_ != nullptr
                                       ? std::string_view(*page_).substr(at)
                                       : http::page_block().substr(inside, std::min<std::uint64_t>(http::kPagePeriod, page_end_ - at));
      parts[count] = {const_cast<char*>(run.data()), run.size()};
      at += run.size();
    }
    const net::IoResult sent = stream_.write(std::span(parts.data(), count));
    const std::size_t of_head = std::min(sent.bytes, out_.size());
    out_.remove_prefix(of_head);
    page_at_ += sent.bytes - of_head;
    if (sent.status == net::Io::again) {
      if (!out_.empty() && out_.data() != held_.data() + (held_.size() - out_.size())) {
        held_.assign(out_);  // the cache may drop it meanwhile
        out_ = held_;
      }
      return false;
    }
    if (sent.status != net::Io::ok) {
      close();
      return false;
    }
  }
  if (!stream_.flushed()) {
    const net::IoResult sent = stream_.flush();
    if (sent.status == net::Io::error || sent.status == net::Io::closed) {
      close();
    }
    return sent.status == net::Io::ok;
  }
  return true;
}

// Closing with unread input would reset the connection and could destroy the answer on its way (RFC 9112 section 9.6).
void Connection::linger() {
  state_ = State::linger;
  rest_.clear();
  stream_.shutdown();
  deadline_.arm(kLinger);
}

void Connection::drain() {
  if (state_ == State::head && rest_.empty() && !answering()) {
    return close();
  }
  if (plan_.persistence != Persistence::close) {
    plan_.persistence = Persistence::close;
    close_after_answer_ = state_ == State::head && answering();
  }
}

void Connection::close() {
  if (state_ == State::closed) {
    return;
  }
  forget_page();
  state_ = State::closed;
  worker_.loop().forget(*this);
  deadline_.cancel();
  if (delay_) {
    delay_->cancel();
  }
  stream_.close();
  worker_.remove(*this);
}

void Connection::arm() {
  if (state_ == State::linger || state_ == State::closed) {
    return;
  }
  deadline_.arm(state_ == State::head && rest_.empty() && !answering() ? kIdle : kProgress);
}

}  // namespace lab::pages
