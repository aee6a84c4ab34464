#include "http/message.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace lab::http;

namespace {

Response parsed(const std::string& text, bool to_head = false) {
  Response response;
  const ParseResult result = parse_response(text, response, to_head);
  INFO(text << " → " << result.why);
  REQUIRE(result.status == Parse::done);
  CHECK(result.consumed == text.size());
  return response;
}

void refused(const std::string& text) {
  Response response;
  const ParseResult result = parse_response(text, response, false);
  INFO(text);
  CHECK(result.status == Parse::bad);
  CHECK(result.code == 502);
}

}  // namespace

TEST_CASE("a response head is read into views of its parts") {
  const std::string head = "HTTP/1.1 200 All is well\r\nContent-Length: 5939\r\n\r\n";
  const std::string text = head + "body";
  Response response;
  REQUIRE(parse_response(text, response, false).consumed == head.size());
  CHECK(response.status == 200);
  CHECK(response.reason == "All is well");
  CHECK(response.body.kind == BodyKind::length);
  CHECK(response.body.length == 5939);
  CHECK(response.keep_alive);
  CHECK(response.find("content-length") == std::string_view{"5939"});
}

TEST_CASE("a response may arrive a byte at a time") {
  const std::string text = "HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\n";
  Response response;
  for (std::size_t i = 0; i < text.size(); ++i) {
    INFO(i);
    CHECK(parse_response(std::string_view{text}.substr(0, i), response, false).status == Parse::more);
  }
}

TEST_CASE("response bodies are delimited as RFC 9112 section 6.3 says") {
  CHECK(parsed("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").body.kind == BodyKind::chunked);
  CHECK(parsed("HTTP/1.1 200 OK\r\n\r\n").body.kind == BodyKind::until_close);
  CHECK_FALSE(parsed("HTTP/1.1 200 OK\r\n\r\n").keep_alive);  // wrk 118: a complete reply
  CHECK(parsed("HTTP/1.1 204 No Content\r\n\r\n").body.kind == BodyKind::none);
  CHECK(parsed("HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\n").body.kind == BodyKind::none);
  CHECK(parsed("HTTP/1.1 100 Continue\r\nContent-Length: 100\r\n\r\n").body.kind == BodyKind::none);  // nginx 1427
  CHECK(parsed("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n").body.kind == BodyKind::none);
  CHECK(parsed("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n", true).body.kind == BodyKind::none);
  CHECK(parsed("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", true).body.kind == BodyKind::none);  // haproxy 2836
  CHECK(parsed("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", true).keep_alive);
}

TEST_CASE("a back end's connection is kept as version and Connection say") {
  CHECK_FALSE(parsed("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n").keep_alive);
  CHECK(parsed("HTTP/1.0 200 OK\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\n").keep_alive);
  CHECK_FALSE(parsed("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\n").keep_alive);
}

TEST_CASE("status lines: the reason may be empty or missing") {
  CHECK(parsed("HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n").reason.empty());
  CHECK(parsed("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n").status == 200);
  CHECK(parsed("HTTP/1.1 599 X\r\nContent-Length: 0\r\n\r\n").status == 599);
}

TEST_CASE("broken responses are a bad gateway") {
  refused("HTTP/1.1 20 OK\r\n\r\n");
  refused("HTTP/1.1 2000 OK\r\n\r\n");
  refused("HTTP/1.1 099 OK\r\n\r\n");
  refused("HTTP/1.1 600 OK\r\n\r\n");
  refused("HTTP/1.1  200 OK\r\n\r\n");
  refused("HTTP/2 200 OK\r\n\r\n");
  refused("ICY 200 OK\r\n\r\n");
  refused("<html>");
  refused("HTTP/1.1 200 OK\nContent-Length: 1\n\n");
  refused("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n");
  refused("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n");
  refused("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n");
  refused("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n");
  refused("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  refused("HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n");
}

TEST_CASE("an endless response head is too large") {
  Response response;
  CHECK(parse_response("HTTP/1.1 200 " + std::string(40000, 'x'), response, false).status == Parse::too_large);
  CHECK(parse_response("HTTP/1.1 200 OK\r\nA: " + std::string(40000, 'x'), response, false).status == Parse::too_large);
}
