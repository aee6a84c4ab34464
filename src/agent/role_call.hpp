// One call of a role's control socket, on the agent's loop.
#pragma once

#include "agent/rpc.hpp"
#include "lab/units.hpp"

#include <boost/asio/io_context.hpp>
#include <string>

namespace lab::agent {

void call_role(boost::asio::io_context& loop, const std::string& socket, const std::string& method, const boost::json::object& params,
               Deadline deadline, Reply reply);

}  // namespace lab::agent
