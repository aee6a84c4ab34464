// One controller's connection: lines in, lines out, both bounded.
#pragma once

#include "agent/handlers.hpp"

#include <boost/asio/local/stream_protocol.hpp>
#include <deque>
#include <memory>
#include <string>

namespace lab::agent {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(boost::asio::local::stream_protocol::socket socket, Handlers& handlers) : socket_(std::move(socket)), handlers_(handlers) {}
  void run() { read(); }

 private:
  void read();
  void take(const std::string& line);
  void send(std::string line);
  void write();

  boost::asio::local::stream_protocol::socket socket_;
  Handlers& handlers_;
  std::string in_;
  std::deque<std::string> out_;
  std::size_t out_bytes_ = 0;
  bool greeted_ = false;
};

}  // namespace lab::agent
