#include "live/session.hpp"

#include "live/hub.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>

namespace lab::live {

namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

Request request_of(const http::request<http::empty_body>& message) {
  const auto field = [&](boost::beast::string_view name) { return std::string(message[name]); };
  // A second Host would leave open which one counts.
  const bool one_host = message.count(http::field::host) == 1;
  return {std::string(message.method_string()), std::string(message.target()), one_host ? field("Host") : std::string(),
          field("Sec-Fetch-Site"), field("Sec-Fetch-Mode")};
}

Reply plain(unsigned status, const char* why) {
  return {status, "text/plain; charset=utf-8", "default-src 'none'", std::make_shared<const std::string>(why), false};
}

}  // namespace

Session::Session(boost::asio::ip::tcp::socket socket, Hub& hub) : stream_(std::move(socket)), hub_(hub), buffer_(hub.limits().head_bytes) {}

void Session::start() {
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(hub_.limits().head_bytes));
  stream_.expires_after(hub_.limits().deadline);
  http::async_read_header(stream_, buffer_, *parser_, [self = shared_from_this()](error_code failed, std::size_t) {
    if (!failed) {
      return self->asked();
    }
    const bool too_long = failed == http::error::header_limit || failed == http::error::buffer_overflow;
    if (failed.category() == http::make_error_code(http::error::bad_method).category() && failed != http::error::end_of_stream) {
      return self->answer(plain(too_long ? 431 : 400, "This is no request that a browser would make.\n"), false);
    }
    self->close();
  });
}

void Session::refuse() { answer(plain(503, "As many read this run already as may at a time.\n"), false); }

void Session::asked() {
  const Request request = request_of(parser_->get());
  const Reply reply = hub_.reply(request);
  report_ = request.method == "GET" && reply.status == 200 && request.target == "/" && reply.body != nullptr && hub_.ended();
  answer(reply, request.method == "HEAD");
}

void Session::answer(Reply reply, bool head_only) {
  events_ = reply.events;
  last_ = !events_;
  queue_.push_back(std::make_shared<const std::string>(head_of(reply)));
  if (!head_only && reply.body != nullptr && !reply.body->empty()) {
    queue_.push_back(reply.body);
  }
  if (events_) {
    hub_.follow(shared_from_this());
    watch();
  }
  write();
}

void Session::write() {
  stream_.expires_after(hub_.limits().deadline);
  boost::asio::async_write(stream_, boost::asio::buffer(*queue_.front()), [self = shared_from_this()](error_code failed, std::size_t) {
    if (failed) {
      return self->close();
    }
    self->queue_.pop_front();
    self->written();
  });
}

void Session::written() {
  if (closed_) {
    return;
  }
  if (!queue_.empty()) {
    return write();
  }
  if (!last_) {
    return;
  }
  if (report_) {
    hub_.sent_report();
  }
  linger();
}

void Session::send(const Text& frame) {
  if (closed_ || last_) {
    return;
  }
  if (queue_.size() >= hub_.limits().waiting) {
    return close();
  }
  queue_.push_back(frame);
  if (queue_.size() == 1) {
    write();
  }
}

void Session::send_last(const Text& frame) {
  send(frame);
  last_ = true;
}

void Session::watch() {
  // Whatever it still sends ends the connection: it has made its request.
  stream_.expires_never();
  stream_.async_read_some(buffer_.prepare(1), [self = shared_from_this()](error_code, std::size_t) {
    if (!self->last_) {
      self->close();
    }
  });
}

// Closing with something unread would reset the connection, and the reply with it: waits for the client to close.
void Session::linger() {
  error_code ignored;
  stream_.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
  if (events_) {
    return close();
  }
  stream_.expires_after(hub_.limits().deadline);
  buffer_.clear();
  discard();
}

void Session::discard() {
  stream_.async_read_some(buffer_.prepare(hub_.limits().head_bytes),
                          [self = shared_from_this()](error_code end, std::size_t) { end ? self->close() : self->discard(); });
}

void Session::close() {
  if (!closed_) {
    closed_ = true;
    stream_.close();
    hub_.gone(shared_from_this());
  }
}

}  // namespace lab::live
