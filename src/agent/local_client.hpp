// A controller on the node itself: one call at a time on the agent's own socket.
#pragma once

#include "agent/rpc.hpp"
#include "lab/units.hpp"
#include "remote/descriptor.hpp"

namespace lab::agent {

class LocalClient {
 public:
  // Connects and says hello.
  static Result<LocalClient> connect(const std::string& socket, Deadline deadline);

  const boost::json::object& hello() const { return hello_; }
  Result<boost::json::value> call(std::string_view method, const boost::json::object& params, Deadline deadline);

 private:
  explicit LocalClient(remote::Descriptor socket) : socket_(std::move(socket)) {}
  Result<void> wait(short events, Deadline deadline) const;
  remote::Descriptor socket_;
  std::string in_;
  std::int64_t last_id_ = 0;
  boost::json::object hello_;
};

}  // namespace lab::agent
