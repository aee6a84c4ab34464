// JSON-RPC 2.0 messages, one a line (docs/agent-protocol.md), and the values in them.
#pragma once

#include "lab/error.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>

namespace lab::agent {

inline constexpr int kProtocol = 1;
inline constexpr std::size_t kLineLimit = std::size_t{1} << 20;

// Who asked is told the outcome by this, once.
using Reply = std::function<void(Result<boost::json::value>)>;

struct Request {
  boost::json::value id;
  std::string method;
  boost::json::object params;
};

Result<Request> parse_request(std::string_view line);
std::string request_line(std::int64_t id, std::string_view method, const boost::json::object& params);

struct Response {
  std::int64_t id = 0;
  Result<boost::json::value> result;
};

Result<Response> parse_response(std::string_view line);
std::string response_line(const boost::json::value& id, const Result<boost::json::value>& result);

// Parameters by name; errors name the one that is missing or of another kind.
Result<std::string> text_of(const boost::json::object& params, std::string_view name);
Result<std::chrono::nanoseconds> duration_of(const boost::json::object& params, std::string_view name, std::chrono::nanoseconds otherwise);
std::string text_or_empty(const boost::json::object& params, std::string_view name);
boost::json::object object_of(const boost::json::object& params, std::string_view name);  // empty when absent

}  // namespace lab::agent
