#include "roles/pages/database_connection.hpp"

#include "http/page_pattern.hpp"

#include <sys/epoll.h>
#include <array>
#include <cstring>

namespace lab::pages {

namespace {

constexpr net::Nanos kPatience = 10'000'000'000;                // for an answer, and for a log-in
constexpr std::size_t kMostMessage = (std::size_t{65} << 20U);  // a page of 64 MB and its row
constexpr std::size_t kRead = std::size_t{64} << 10U;
constexpr const char *kSelect = "page", *kInsert = "fill";

std::string made_page(std::uint64_t size) {
  std::string page(size, '\0');
  http::fill_page(page, 0);
  return page;
}

}  // namespace

DatabaseConnection::DatabaseConnection(net::Loop& loop, const DatabaseClient& settings, Owner& owner, net::Stream stream)
    : loop_(loop), settings_(settings), owner_(owner), stream_(std::move(stream)), deadline_(loop, [this] {
        kept_ = false;  // silent, not stale
        lose("the database does not answer in time");
      }) {
  loop_.watch(stream_.fd(), *this);
  deadline_.arm(kPatience);
  postgres::put_startup(out_, settings_.user, settings_.name);
}

DatabaseConnection::~DatabaseConnection() {
  if (state_ != State::lost) {
    loop_.unwatch(stream_.fd(), *this);
  }
}

void DatabaseConnection::ask(std::uint64_t size) {
  asked_ = size;
  deadline_.arm(kPatience);
  if (state_ == State::ready) {
    put_query();
    send();  // if that fails the socket has an event, which will tell
  }
}

void DatabaseConnection::put_query() {
  step_ = Step::select;
  body_.reset();
  failure_.clear();
  postgres::put_bind(out_, kSelect, {postgres::binary_int8(static_cast<std::int64_t>(*asked_))});
  postgres::put_execute(out_);
  postgres::put_sync(out_);
}

void DatabaseConnection::put_insert() {
  step_ = Step::insert;
  body_ = std::make_shared<const std::string>(made_page(*asked_));
  postgres::put_bind(out_, kInsert, {postgres::binary_int8(static_cast<std::int64_t>(*asked_)), *body_});
  postgres::put_execute(out_);
  postgres::put_sync(out_);
}

void DatabaseConnection::on_events(std::uint32_t events) {
  hung_up_ = hung_up_ || (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
  readable_ = readable_ || hung_up_ || (events & EPOLLIN) != 0;
  if (state_ == State::connecting) {
    if ((events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) == 0) {
      return;
    }
    if (const int error = net::pending_error(stream_.fd()); error != 0) {
      lose(std::string("connecting to the database: ") + std::strerror(error));
      return;
    }
    state_ = State::login;
  }
  if (!send()) {
    lose("writing to the database: " + stream_.error());
    return;
  }
  receive();
}

// False: broken. What the socket does not take now goes when it is writable again.
bool DatabaseConnection::send() {
  while (sent_ < out_.size()) {
    const net::IoResult result = stream_.write(std::string_view(out_).substr(sent_));
    sent_ += result.bytes;
    if (result.status != net::Io::ok) {
      return result.status == net::Io::again;
    }
  }
  out_.clear();
  sent_ = 0;
  return true;
}

void DatabaseConnection::receive() {
  std::array<char, kRead> buffer;
  while (readable_) {
    const net::IoResult got = stream_.read(buffer);
    if (got.status == net::Io::again) {
      readable_ = false;
      return;
    }
    if (got.status != net::Io::ok) {
      lose(got.status == net::Io::closed ? "the database closed the connection" : "reading from the database: " + stream_.error());
      return;
    }
    in_.append(buffer.data(), got.bytes);
    readable_ = hung_up_ || stream_.may_have_more();
    if (!take_messages()) {
      return;
    }
  }
}

bool DatabaseConnection::take_messages() {
  std::size_t used = 0;
  while (true) {
    const postgres::Frame next = postgres::frame(std::string_view(in_).substr(used), kMostMessage);
    if (next.status == postgres::Frame::Status::bad) {
      return lose("the database answers what is not its protocol");
    }
    if (next.status == postgres::Frame::Status::incomplete) {
      in_.erase(0, used);
      return send() || lose("writing to the database: " + stream_.error());
    }
    used += next.size;
    if (next.message.type == 'Z') {
      in_.erase(0, used);
      used = 0;
      if (!take_ready()) {
        return false;
      }
    } else if (!take(next.message)) {
      return false;
    }
  }
}

bool DatabaseConnection::take(const postgres::Message& message) {
  switch (message.type) {
    case 'R': return take_login(message.payload);
    case 'D': return take_row(message.payload);
    case 'E': {
      const auto error = postgres::server_error(message.payload);
      failure_ = "the database says: " + error.message + " (" + error.code + ")";
      return state_ == State::ready || lose(failure_);  // a query's error leaves the connection good
    }
    default: return true;  // completions, parameters, notices
  }
}

bool DatabaseConnection::take_login(std::string_view payload) {
  using Kind = postgres::Authentication::Kind;
  const auto asked = postgres::authentication(payload);
  const auto kind = asked ? static_cast<Kind>(asked->kind) : Kind::ok;
  if (!asked || state_ != State::login) {
    return lose("the database answers what is not its protocol");
  }
  if (kind == Kind::ok) {
    return true;
  }
  if (kind == Kind::sasl && postgres::offers(asked->data, postgres::kScramSha256)) {
    scram_.emplace("", settings_.password, postgres::make_nonce());
    postgres::put_sasl_initial(out_, postgres::kScramSha256, scram_->client_first());
    return true;
  }
  if (kind == Kind::sasl_continue && scram_) {
    const auto answer = scram_->client_final(asked->data);
    if (!answer) {
      return lose(answer.error().what);
    }
    postgres::put_sasl_response(out_, *answer);
    return true;
  }
  if (kind == Kind::sasl_final && scram_) {
    const auto proven = scram_->verify(asked->data);
    return proven || lose(proven.error().what);
  }
  return lose("the database wants a way of logging in other than SCRAM-SHA-256 or none");
}

bool DatabaseConnection::take_row(std::string_view payload) {
  const auto values = postgres::row(payload);
  if (!values || values->size() != 1 || !values->front() || !asked_) {
    return lose("the database answers what was not asked");
  }
  body_ = std::make_shared<const std::string>(*values->front());
  return true;
}

// The server waits for the next query: the end of a log-in, of preparing, or of an answer.
bool DatabaseConnection::take_ready() {
  if (state_ == State::login) {
    prepare();
    return true;
  }
  if (state_ == State::preparing) {
    state_ = State::ready;
    if (asked_) {
      put_query();
    } else {
      deadline_.cancel();
    }
    return true;
  }
  if (!asked_) {
    return lose("the database answers what was not asked");
  }
  if (failure_.empty() && body_ == nullptr && step_ == Step::select) {
    put_insert();
    return true;
  }
  if (!failure_.empty() || body_->size() != *asked_) {
    kept_ = false;
    return lose(failure_.empty() ? "the database has a page of another length" : failure_);
  }
  kept_ = true;
  asked_.reset();
  deadline_.cancel();
  owner_.answered(*this, std::move(body_));
  return false;
}

void DatabaseConnection::prepare() {
  state_ = State::preparing;
  postgres::put_parse(out_, kSelect, "SELECT body FROM page WHERE bytes = $1");
  postgres::put_parse(out_, kInsert, "INSERT INTO page VALUES ($1, $2) ON CONFLICT DO NOTHING");
  postgres::put_sync(out_);
}

bool DatabaseConnection::lose(const std::string& what) {
  const bool stale = kept_ && body_ == nullptr;
  state_ = State::lost;
  deadline_.cancel();
  loop_.unwatch(stream_.fd(), *this);
  stream_.close();
  owner_.lost(
      *this, stale,
      Error{what, settings_.server.host + ":" + std::to_string(settings_.server.port), "see that the database runs and can be reached"});
  return false;
}

}  // namespace lab::pages
