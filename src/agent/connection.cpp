#include "agent/connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

namespace lab::agent {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::size_t kOutLimit = 16 * kLineLimit;  // a controller that does not read is let go

std::string answer_line(const boost::json::value& id, const Result<boost::json::value>& result) {
  std::string line = response_line(id, result);
  const Error too_long{"the answer is longer than 1 MiB", {}, "ask for less at a time"};
  return line.size() <= kLineLimit ? line : response_line(id, too_long);
}

}  // namespace

void Connection::read() {
  asio::async_read_until(
      socket_, asio::dynamic_buffer(in_, kLineLimit), '\n', [self = shared_from_this()](error_code failure, std::size_t length) {
        if (failure == asio::error::not_found) {
          return self->send(response_line(nullptr, Error{"a message is longer than 1 MiB", {}, {}}));  // and nothing is read any more
        }
        if (failure) {
          return;
        }
        const std::string line = self->in_.substr(0, length);
        self->in_.erase(0, length);
        self->take(line);
        self->read();
      });
}

void Connection::take(const std::string& line) {
  const auto request = parse_request(line);
  if (!request) {
    return send(response_line(nullptr, request.error()));
  }
  if (!greeted_ && request->method != "hello") {
    return send(response_line(request->id, Error{"the first call is hello", {}, {}}));
  }
  const bool greeting = request->method == "hello";
  handlers_.handle(request->method, request->params,
                   [self = shared_from_this(), id = request->id, greeting](const Result<boost::json::value>& result) {
                     self->greeted_ = self->greeted_ || (greeting && result.has_value());
                     self->send(answer_line(id, result));
                   });
}

void Connection::send(std::string line) {
  out_bytes_ += line.size();
  if (out_bytes_ > kOutLimit) {
    error_code ignored;
    static_cast<void>(socket_.close(ignored));
    return;
  }
  out_.push_back(std::move(line));
  if (out_.size() == 1) {
    write();
  }
}

void Connection::write() {
  asio::async_write(socket_, asio::buffer(out_.front()), [self = shared_from_this()](error_code failure, std::size_t length) {
    if (failure) {
      return;
    }
    self->out_bytes_ -= length;
    self->out_.pop_front();
    if (!self->out_.empty()) {
      self->write();
    }
  });
}

}  // namespace lab::agent
