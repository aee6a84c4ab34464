// One connection: one request, one reply; of /events, a reply that goes on.
#pragma once

#include "live/request.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <deque>
#include <memory>
#include <optional>

namespace lab::live {

class Hub;

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(boost::asio::ip::tcp::socket socket, Hub& hub);

  void start();
  void refuse();                      // 503, whatever is asked
  void send(const Text& frame);       // to a reader of events; drops one that does not take them
  void send_last(const Text& frame);  // and closes once it is taken
  void close();

 private:
  void asked();
  void answer(Reply reply, bool head_only);
  void write();
  void written();
  void watch();  // notices a reader that goes away
  void linger();
  void discard();

  boost::beast::tcp_stream stream_;
  Hub& hub_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::empty_body>> parser_;
  std::deque<Text> queue_;  // the front one is being written
  bool events_ = false, last_ = false, report_ = false, closed_ = false;
};

}  // namespace lab::live
