#include "http/message.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace lab::http;

namespace {

Request parsed(std::string_view text) {
  Request request;
  const ParseResult result = parse_request(text, request);
  INFO(text << " → " << result.why);
  REQUIRE(result.status == Parse::done);
  CHECK(result.consumed == text.size());
  return request;
}

// A request with these header lines, to be refused.
ParseResult refused(const std::string& lines) {
  Request request;
  const ParseResult result = parse_request("POST / HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n", request);
  INFO(lines);
  CHECK(result.status == Parse::bad);
  return result;
}

std::string why(std::string_view text) {
  Request request;
  const ParseResult result = parse_request(text, request);
  INFO(text);
  CHECK(result.status == Parse::bad);
  return std::to_string(result.code) + " " + result.why;
}

}  // namespace

TEST_CASE("a request head is read into views of its parts") {
  static const std::string text = "GET /page/5939?a=b HTTP/1.1\r\nHost: lab:8080\r\nAccept:\t*/* \r\nX-Empty:\r\n\r\n";
  const Request request = parsed(text);
  CHECK(request.method == "GET");
  CHECK(request.target == "/page/5939?a=b");
  CHECK(request.minor == 1);
  CHECK(request.host == "lab:8080");
  CHECK(request.keep_alive);
  CHECK(request.body.kind == BodyKind::none);
  REQUIRE(request.headers.size() == 3);
  CHECK(request.headers[1].name == "Accept");
  CHECK(request.headers[1].value == "*/*");
  CHECK(request.headers[2].value.empty());
  CHECK(request.find("accept") == std::string_view{"*/*"});
  CHECK_FALSE(request.find("accep"));
}

TEST_CASE("a request may arrive a byte at a time") {
  const std::string text = "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n";
  Request request;
  for (std::size_t i = 0; i < text.size(); ++i) {
    INFO(i);
    CHECK(parse_request(std::string_view{text}.substr(0, i), request).status == Parse::more);
  }
  const ParseResult result = parse_request(text + "abcGET", request);
  CHECK(result.status == Parse::done);
  CHECK(result.consumed == text.size());
  CHECK(request.body.length == 3);
}

TEST_CASE("a few empty lines before a request are skipped, many are not") {
  Request request;
  CHECK(parse_request("\r", request).status == Parse::more);
  CHECK(parse_request("\r\n", request).status == Parse::more);
  const ParseResult result = parse_request("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", request);
  CHECK(result.status == Parse::done);
  CHECK(result.consumed == 29);
  CHECK(parse_request("\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", request).status == Parse::done);
  CHECK(why("\r\n\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n") == "400 a bad method");
  CHECK(why("\nGET / HTTP/1.1\r\nHost: a\r\n\r\n") == "400 a bad method");
}

TEST_CASE("connections are kept as version and Connection say") {
  CHECK(parsed("GET / HTTP/1.1\r\nHost: a\r\n\r\n").keep_alive);
  CHECK_FALSE(parsed("GET / HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n\r\n").keep_alive);
  CHECK_FALSE(parsed("GET / HTTP/1.1\r\nHost: a\r\nConnection: x , close\r\nConnection: keep-alive\r\n\r\n").keep_alive);
  CHECK_FALSE(parsed("GET / HTTP/1.0\r\n\r\n").keep_alive);
  CHECK(parsed("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").keep_alive);
  CHECK(parsed("GET / HTTP/1.1\r\nHost: a\r\nConnection: closed\r\n\r\n").keep_alive);
}

TEST_CASE("request bodies are delimited by length or chunks, or are not there") {
  CHECK(parsed("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n").body.kind == BodyKind::length);
  CHECK(parsed("POST / HTTP/1.1\r\nHost: a\r\ncontent-length:  007\r\n\r\n").body.length == 7);
  CHECK(parsed("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n").body.kind == BodyKind::chunked);
  CHECK(parsed("POST / HTTP/1.1\r\nHost: a\r\n\r\n").body.kind == BodyKind::none);
}

TEST_CASE("an expectation of 100-continue is seen where a body follows") {
  CHECK(parsed("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: 100-Continue\r\n\r\n").expect_continue);
  CHECK_FALSE(parsed("GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n").expect_continue);
  CHECK_FALSE(parsed("POST / HTTP/1.0\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n").expect_continue);
  CHECK(refused("Expect: 200-ok\r\n").code == 417);
}

TEST_CASE("an ambiguous Content-Length is refused") {
  CHECK(refused("Content-Length:\r\nContent-Length: 59\r\n").why == std::string{"Content-Length is not a number"});  // CVE-2023-40225
  CHECK(refused("Content-Length: 5\r\nContent-Length: 6\r\n").why == std::string{"Content-Length twice"});
  refused("Content-Length: 5\r\nContent-Length: 5\r\n");
  refused("Content-Length: 5, 5\r\n");
  refused("Content-Length: -48\r\n");  // CVE-2023-34188
  refused("Content-Length: +5\r\n");
  refused("Content-Length: 0x5\r\n");
  refused("Content-Length: 5 5\r\n");
  refused("Content-Length: 1_0\r\n");
  refused("Content-Length: 18446744073709551616\r\n");
  refused("Content-Length : 34\r\n");  // CVE-2023-40518
}

TEST_CASE("an ambiguous Transfer-Encoding is refused") {
  CHECK(refused("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n").why ==
        std::string{"Content-Length and Transfer-Encoding together"});  // pingora 945
  refused("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n");
  refused("Transfer-Encoding: xchunked\r\n");
  refused("Transfer-Encoding: chunked, identity\r\n");
  refused("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n");
  refused("Transfer-Encoding:\r\n");
  refused("Transfer-Encoding: \"chunked\"\r\n");
  refused("Transfer-Encoding: chunked;q=1\r\n");
  CHECK(refused("Transfer-Encoding: gzip, chunked\r\n").code == 501);
  CHECK(why("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n") == "400 Transfer-Encoding in HTTP/1.0");
}

TEST_CASE("header lines that are not exactly name, colon, value are refused") {
  refused(":x\r\nContent-Length: 5\r\n");  // CVE-2023-25725
  refused("no colon\r\n");
  refused("Name : value\r\n");
  refused("N\xC3\xA4me: value\r\n");
  refused("A: b\r\n folded\r\n");
  refused("A: b\r\n\tfolded\r\n");
  refused("A: b\nB: c\r\n");
  refused("A: b\rB: c\r\n");
  refused(std::string("A: b\0c\r\n", 8));
  refused("A: \x01\r\n");
  refused("A: 0123456789abcdef\x7f\r\n");
  Request request;
  CHECK(parse_request("GET / HTTP/1.1\r\n Host: a\r\n\r\n", request).why == std::string{"a folded header line"});
  CHECK(parsed("GET / HTTP/1.1\r\nHost: a\r\nName: caf\xC3\xA9\tx\r\n\r\n").headers[1].value == "caf\xC3\xA9\tx");
}

TEST_CASE("HTTP/1.1 wants exactly one Host") {
  CHECK(why("GET / HTTP/1.1\r\n\r\n") == "400 no Host");
  CHECK(why("GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n") == "400 Host twice");
  CHECK(why("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n") == "400 a bad Host");
  CHECK(why("GET / HTTP/1.1\r\nHost: a b\r\n\r\n") == "400 a bad Host");
  CHECK(why("GET / HTTP/1.1\r\nHost: u@a\r\n\r\n") == "400 a bad Host");
  CHECK(why("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n") == "400 Host twice");
  CHECK(parsed("GET / HTTP/1.0\r\n\r\n").host.empty());
  CHECK(parsed("GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n").host == "[::1]:80");
}

TEST_CASE("request lines that are not method, target, version with one blank each are refused") {
  CHECK(why("GET  / HTTP/1.1\r\nHost: a\r\n\r\n") == "400 a bad request target");
  CHECK(why("GET /  HTTP/1.1\r\nHost: a\r\n\r\n") == "400 a bad HTTP version");
  CHECK(why("GET /\tHTTP/1.1\r\nHost: a\r\n\r\n") == "400 a bad request target");
  CHECK(why("GET / HTTP/1.1 \r\nHost: a\r\n\r\n") == "400 a bad HTTP version");
  CHECK(why("GET / HTTP/1.1\nHost: a\n\n") == "400 a line ends in a bare LF");
  CHECK(why("GET / HTTP/1.1\rHost: a\r\n\r\n") == "400 a bare CR");
  CHECK(why("GET /\r\n\r\n") == "400 a bad request target");
  CHECK(why("GET / http/1.1\r\n\r\n") == "400 a bad HTTP version");
  CHECK(why("GET / HTTP/1.x\r\n\r\n") == "400 a bad HTTP version");
  CHECK(why("GET / HTTP/2.0\r\n\r\n") == "505 only HTTP/1.0 and HTTP/1.1 are spoken here");
  CHECK(why("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") == "505 only HTTP/1.0 and HTTP/1.1 are spoken here");
  CHECK(why("GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n") == "400 a bad request target");
  CHECK(why("GET /caf\xC3\xA9 HTTP/1.1\r\nHost: a\r\n\r\n") == "400 a bad request target");
  CHECK(why(std::string_view("GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n", 29)) == "400 a bad request target");
  CHECK(why("\x16\x03\x01\x02\x05") == "400 a bad method");  // TLS on a plain port, at the first byte
  CHECK(why(" / HTTP/1.1\r\n") == "400 a bad method");
}

TEST_CASE("the four forms of a request target") {
  CHECK(parsed("GET http://lab:81/x?y HTTP/1.1\r\nHost: other\r\n\r\n").host == "lab:81");
  CHECK(parsed("GET http://lab?y HTTP/1.1\r\nHost: other\r\n\r\n").host == "lab");
  CHECK(parsed("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").target == "*");
  CHECK(parsed("CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n").target == "a:443");
  why("GET * HTTP/1.1\r\nHost: a\r\n\r\n");
  why("GET x HTTP/1.1\r\nHost: a\r\n\r\n");
  why("GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n");
  why("GET http:///x HTTP/1.1\r\nHost: a\r\n\r\n");
  why("GET http://u@a/x HTTP/1.1\r\nHost: a\r\n\r\n");
  why("CONNECT / HTTP/1.1\r\nHost: a\r\n\r\n");
}

TEST_CASE("an Upgrade is only a header to the parser, what follows is the next message") {  // CVE-2026-2833
  Request request;
  const std::string text = "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n";
  const ParseResult result = parse_request(text + "GET /admin HTTP/1.1\r\nHost: a\r\n\r\n", request);
  CHECK(result.status == Parse::done);
  CHECK(result.consumed == text.size());
  CHECK(request.body.kind == BodyKind::none);
}

TEST_CASE("heads beyond the limits are too large") {
  Request request;
  const std::string start = "GET / HTTP/1.1\r\nHost: a\r\n";
  const ParseResult cookies = parse_request(start + "Cookie: " + std::string(30000, 'c') + "\r\n\r\n", request);
  CHECK(cookies.status == Parse::done);  // haproxy 64
  const ParseResult head = parse_request(start + "Cookie: " + std::string(33000, 'c') + "\r\n\r\n", request);
  CHECK(head.status == Parse::too_large);
  CHECK(head.code == 431);
  const ParseResult endless = parse_request(start + "Cookie: " + std::string(40000, 'c'), request);
  CHECK(endless.status == Parse::too_large);
  CHECK(endless.code == 431);
  const ParseResult target = parse_request("GET /" + std::string(17000, 'x') + " HTTP/1.1\r\n", request);
  CHECK(target.status == Parse::too_large);
  CHECK(target.code == 414);
  CHECK(parse_request("GET /" + std::string(17000, 'x'), request).code == 414);
  std::string many = start;
  for (int i = 0; i < 200; ++i) {
    many += "A: b\r\n";
  }
  CHECK(parse_request(many + "\r\n", request).code == 431);
}

TEST_CASE("a request reused for the next message keeps nothing of the last one") {
  Request request;
  REQUIRE(parse_request("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 4\r\n\r\n", request)
              .status == Parse::done);
  REQUIRE(parse_request("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", request).status == Parse::done);
  CHECK(request.headers.size() == 1);
  CHECK(request.body.kind == BodyKind::none);
  CHECK(request.keep_alive);
  CHECK_FALSE(request.expect_continue);
  CHECK(request.host.empty());
}
