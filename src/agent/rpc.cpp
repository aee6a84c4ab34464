#include "agent/rpc.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace lab::agent {
namespace {

namespace json = boost::json;

constexpr int kFailed = -32000;  // JSON-RPC 2.0, section 5.1: the range for a server's own errors

Result<json::object> parse_object(std::string_view line) {
  boost::system::error_code failure;
  json::value value = json::parse({line.data(), line.size()}, failure);
  if (failure || !value.is_object()) {
    return Error{"not a JSON object: " + std::string(line.substr(0, 80)), {}, {}, {}};
  }
  return std::move(value.get_object());
}

json::object error_object(const Error& error) {
  return {
      {"code", kFailed}, {"message", error.what}, {"data", {{"where", error.where}, {"remedy", error.remedy}, {"detail", error.detail}}}};
}

Error error_of(const json::object& object) {
  const json::object data = object_of(object, "data");
  return Error{text_or_empty(object, "message"), text_or_empty(data, "where"), text_or_empty(data, "remedy"),
               text_or_empty(data, "detail")};
}

}  // namespace

Result<Request> parse_request(std::string_view line) {
  const auto object = parse_object(line);
  if (!object) {
    return object.error();
  }
  const json::value* id = object->if_contains("id");
  return Request{id != nullptr ? *id : json::value(), text_or_empty(*object, "method"), object_of(*object, "params")};
}

std::string request_line(std::int64_t id, std::string_view method, const json::object& params) {
  return json::serialize(json::object{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}) + "\n";
}

Result<Response> parse_response(std::string_view line) {
  const auto object = parse_object(line);
  if (!object) {
    return object.error();
  }
  const json::value* id = object->if_contains("id");
  if (id == nullptr || !id->is_int64()) {
    return Error{"a response without a number", {}, {}, std::string(line.substr(0, 200))};
  }
  if (const json::value* result = object->if_contains("result")) {
    return Response{id->get_int64(), *result};
  }
  return Response{id->get_int64(), error_of(object_of(*object, "error"))};
}

std::string response_line(const json::value& id, const Result<json::value>& result) {
  json::object response{{"jsonrpc", "2.0"}, {"id", id}};
  if (result) {
    response["result"] = *result;
  } else {
    response["error"] = error_object(result.error());
  }
  return json::serialize(response) + "\n";
}

Result<std::string> text_of(const json::object& params, std::string_view name) {
  std::string text = text_or_empty(params, name);
  if (text.empty()) {
    return Error{"parameter " + std::string(name) + " is missing, or no text", {}, {}, {}};
  }
  return text;
}

std::string text_or_empty(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

Result<std::chrono::nanoseconds> duration_of(const json::object& params, std::string_view name, std::chrono::nanoseconds otherwise) {
  const json::value* value = params.if_contains(name);
  if (value == nullptr) {
    return otherwise;
  }
  if (!value->is_int64() || value->get_int64() < 0) {
    return Error{"parameter " + std::string(name) + " is no number of nanoseconds", {}, {}, {}};
  }
  return std::chrono::nanoseconds(value->get_int64());
}

json::object object_of(const json::object& params, std::string_view name) {
  const json::value* value = params.if_contains(name);
  return value != nullptr && value->is_object() ? value->get_object() : json::object();
}

}  // namespace lab::agent
