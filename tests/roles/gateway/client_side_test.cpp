// What clients may send, and what they get, with a back end that does as it should.
#include "gateway_fixture.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>
#include <future>

using namespace lab;
using namespace lab::gateway;
using namespace lab::gateway::test;

namespace {

constexpr const char* kHello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

// A gateway with one junction at the root to a server that answers every request alike.
struct Hello {
  explicit Hello(const std::string& response = kHello, GatewayConfig config = {})
      : server(answering(raw, response)), gateway(at_root(std::move(config))) {}

  GatewayConfig at_root(GatewayConfig config) {
    config.junctions.push_back(tcp_junction("/", {server.port()}));
    return config;
  }

  ScriptedServer* raw = &server;
  ScriptedServer server;
  TestGateway gateway;
};

std::string malformed(const Hello& hello, const std::string& text) {
  Peer client = hello.gateway.connect();
  client.send(text);
  const std::string response = client.read_response();
  INFO(text);
  CHECK(client.ended());
  CHECK(header_of(response, "Connection") == "close");
  return status_of(response);
}

}  // namespace

TEST_CASE("a request is forwarded and its response comes back") {
  Hello hello;
  const std::string response = hello.gateway.ask("GET /x HTTP/1.1");
  CHECK(status_of(response) == "200");
  CHECK(body_of(response) == "hello");
  REQUIRE(hello.server.requests().size() == 1);
  const std::string request = hello.server.requests()[0];
  CHECK(request.starts_with("GET /x HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(hello.server.port()) + "\r\n"));
  CHECK(header_of(request, "X-Forwarded-For") == "127.0.0.1");
  CHECK(header_of(request, "Via") == "1.1 lab-gateway");
  CHECK(header_of(request, "X-Forwarded-Host") == "lab");
}

TEST_CASE("requests whose framing is ambiguous get 400 and the end, and no back end sees them") {
  const Hello hello;
  const std::string start = "POST / HTTP/1.1\r\nHost: lab\r\n";
  CHECK(malformed(hello, start + "Content-Length:\r\nContent-Length: 59\r\n\r\n") == "400");
  CHECK(malformed(hello, start + ":x\r\nContent-Length: 5\r\n\r\nhello") == "400");
  CHECK(malformed(hello, start + "Content-Length : 34\r\n\r\n") == "400");
  CHECK(malformed(hello, start + "Content-Length: -48\r\n\r\n") == "400");
  CHECK(malformed(hello, start + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n") == "400");
  CHECK(malformed(hello, start + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n") == "400");
  CHECK(malformed(hello, start + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n") == "501");
  CHECK(malformed(hello, start + "Host: lab\r\n\r\n") == "400");
  CHECK(malformed(hello, start + "X: a\r\n folded\r\n\r\n") == "400");
  CHECK(malformed(hello, "GET / HTTP/1.1\r\n\r\n") == "400");
  CHECK(malformed(hello, "GET / HTTP/2.0\r\n\r\n") == "505");
  CHECK(malformed(hello, "GET / HTTP/1.1\nHost: lab\n\n") == "400");
  CHECK(malformed(hello, std::string("\x16\x03\x01\x00\xff", 5)) == "400");
  CHECK(malformed(hello, "GET /" + std::string(17'000, 'x') + " HTTP/1.1\r\nHost: lab\r\n\r\n") == "414");
  CHECK(malformed(hello, "GET / HTTP/1.1\r\nHost: lab\r\nCookie: " + std::string(40'000, 'x') + "\r\n\r\n") == "431");
  CHECK(hello.server.requests().empty());
}

TEST_CASE("large cookies pass up to the limit") {  // haproxy 64
  const Hello hello;
  CHECK(status_of(hello.gateway.ask("GET / HTTP/1.1", "Cookie: a=" + std::string(30'000, 'x') + "\r\n")) == "200");
  CHECK(header_of(hello.server.requests()[0], "Cookie").size() == 30'002);
}

TEST_CASE("chunked request bodies that are broken get 400 and the end") {
  const Hello hello;
  const std::string start = "POST / HTTP/1.1\r\nHost: lab\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const char* body : {"0_2e\r\n", "+5\r\nhello\r\n", "0x5\r\nhello\r\n", "5\r\nhelloXX"}) {
    CHECK(malformed(hello, start + body) == "400");
  }
}

TEST_CASE("what looks like a request in the trailers is a trailer") {  // CVE-2023-40175
  const Hello hello;
  Peer client = hello.gateway.connect();
  client.send(
      "POST /a HTTP/1.1\r\nHost: lab\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX:POST / HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\nHost: "
      "lab\r\n\r\n");
  CHECK(status_of(client.read_response()) == "200");
  CHECK(status_of(client.read_response()) == "200");
  REQUIRE(hello.server.requests().size() == 2);
  CHECK(hello.server.requests()[1].starts_with("GET /b "));
}

TEST_CASE("an Upgrade is not passed on, and what is pipelined behind it is judged as a request") {  // CVE-2026-2833
  GatewayConfig config;
  config.access = {{"/admin", AccessRule::Who::nobody, {}, {}}};
  const Hello hello(kHello, config);
  Peer client = hello.gateway.connect();
  client.send("GET / HTTP/1.1\r\nHost: lab\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nGET /admin HTTP/1.1\r\nHost: lab\r\n\r\n");
  CHECK(status_of(client.read_response()) == "200");
  CHECK(status_of(client.read_response()) == "403");
  REQUIRE(hello.server.requests().size() == 1);
  CHECK_FALSE(has_header(hello.server.requests()[0], "Upgrade"));
}

TEST_CASE("connections are kept, pipelined requests are answered in order") {
  const Hello hello;
  Peer client = hello.gateway.connect();
  std::string requests;
  for (int i = 0; i < 50; ++i) {
    requests += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: lab\r\n\r\n";
  }
  client.send(requests);
  for (int i = 0; i < 50; ++i) {
    CHECK(body_of(client.read_response()) == "hello");
  }
  REQUIRE(hello.server.requests().size() == 50);
  CHECK(hello.server.requests()[49].starts_with("GET /49 "));
  CHECK(hello.server.connections() == 1);
}

TEST_CASE("connections end as the client wants it") {
  const Hello hello;
  for (const char* request : {"GET / HTTP/1.1\r\nHost: lab\r\nConnection: close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n"}) {
    Peer client = hello.gateway.connect();
    client.send(request);
    const std::string response = client.read_response();
    CHECK(header_of(response, "Connection") == "close");
    CHECK(client.ended());
  }
  Peer client = hello.gateway.connect();
  for (int i = 0; i < 2; ++i) {
    client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    CHECK(header_of(client.read_response(), "Connection") == "keep-alive");
  }
}

TEST_CASE("a client that has said all it has to say still gets its response") {
  const Hello hello;
  Peer client = hello.gateway.connect();
  client.send("GET / HTTP/1.1\r\nHost: lab\r\n\r\n");
  client.finish();
  CHECK(body_of(client.read_to_end()) == "hello");
}

TEST_CASE("a request may come a byte at a time") {
  const Hello hello;
  Peer client = hello.gateway.connect();
  for (const char c : std::string("POST / HTTP/1.1\r\nHost: lab\r\nContent-Length: 3\r\n\r\nabc")) {
    client.send({&c, 1});
  }
  CHECK(body_of(client.read_response()) == "hello");
  CHECK(body_of(hello.server.requests()[0]) == "abc");
}

TEST_CASE("a body that looks like another request changes nothing about its own") {
  const Hello hello;
  Peer client = hello.gateway.connect();
  const std::string body = "HEAD / HTTP/1.1\r\nHost: lab\r\n\r\n";
  client.send("POST / HTTP/1.1\r\nHost: lab\r\nContent-Length: " + std::to_string(body.size()) + "\r\nExpect: 100-continue\r\n\r\n");
  client.read_until("\r\n\r\n");
  client.send(body);
  CHECK(body_of(client.read_response()) == "hello");
  CHECK(body_of(hello.server.requests()[0]) == body);
}

TEST_CASE("chunked requests go on in chunks, identical to the byte") {
  const Hello hello;
  Peer client = hello.gateway.connect();
  client.send("POST / HTTP/1.1\r\nHost: lab\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nT: trailer\r\n\r\n");
  CHECK(status_of(client.read_response()) == "200");
  const std::string request = hello.server.requests()[0];
  CHECK(header_of(request, "Transfer-Encoding") == "chunked");
  CHECK(body_of(request) == "7\r\nabcdefg\r\n0\r\n\r\n");
}

TEST_CASE("100-continue: one interim response, one final one") {  // traefik 2899
  ScriptedServer server([](Peer& peer, int) {
    peer.read_until("\r\n\r\n");
    peer.send("HTTP/1.1 100 Continue\r\n\r\n");
    peer.read_exactly(5);
    peer.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  TestGateway gateway({.junctions = {tcp_junction("/", {server.port()})}});
  Peer client = gateway.connect();
  client.send("POST / HTTP/1.1\r\nHost: lab\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  CHECK(client.read_until("\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("hello");
  const std::string final = client.read_response();
  CHECK(status_of(final) == "200");
  CHECK(body_of(final) == "ok");
}

TEST_CASE("100-continue: a refusal comes without an interim response") {
  const Hello hello(kHello, {.access = {{"/", AccessRule::Who::nobody, {}, {}}}});
  Peer client = hello.gateway.connect();
  client.send("POST / HTTP/1.1\r\nHost: lab\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  const std::string response = client.read_response();
  CHECK(status_of(response) == "403");
  CHECK(header_of(response, "Connection") == "close");
  CHECK(client.ended());
}

TEST_CASE("TRACE and CONNECT are not allowed, OPTIONS * is answered here") {
  const Hello hello;
  CHECK(status_of(hello.gateway.ask("TRACE / HTTP/1.1")) == "405");
  CHECK(status_of(hello.gateway.ask("CONNECT lab:443 HTTP/1.1")) == "405");
  const std::string options = hello.gateway.ask("OPTIONS * HTTP/1.1");
  CHECK(status_of(options) == "204");
  CHECK_FALSE(has_header(options, "Content-Length"));
  CHECK(hello.server.requests().empty());
}

TEST_CASE("ways around a rule are judged in their normal form") {
  const Hello hello(kHello, {.access = {{"/private", AccessRule::Who::nobody, {}, {}}}});
  for (const char* path :
       {"/private", "/info/../private", "/info/%2e%2e/private", "//private", "/%70rivate/x", "/private;x=1", "http://lab/private"}) {
    INFO(path);
    CHECK(status_of(hello.gateway.ask(std::string("GET ") + path + " HTTP/1.1")) == "403");
  }
  for (const char* path : {"/info%2F..%2Fprivate", "/info\\..\\private", "/private%00", "/info/..;/private"}) {
    INFO(path);
    CHECK(status_of(hello.gateway.ask(std::string("GET ") + path + " HTTP/1.1")) == "400");
  }
  CHECK(hello.server.requests().empty());
  CHECK(status_of(hello.gateway.ask("GET /public/../x HTTP/1.1")) == "200");
  CHECK(hello.server.requests()[0].starts_with("GET /x HTTP/1.1\r\n"));
}

TEST_CASE("the longest mount point on a segment's boundary wins") {
  Hello hello;
  ScriptedServer* raw = nullptr;
  ScriptedServer app(answering(raw, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\napp"));
  raw = &app;
  TestGateway gateway(
      {.junctions = {tcp_junction("/", {hello.server.port()}), tcp_junction("/app", {app.port()}), local_junction("/app/local")}});
  CHECK(body_of(gateway.ask("GET /app/x HTTP/1.1")) == "app");
  CHECK(body_of(gateway.ask("GET /apple HTTP/1.1")) == "hello");
  CHECK(body_of(gateway.ask("GET /app/local HTTP/1.1")).size() == 100);
  CHECK(app.requests()[0].starts_with("GET /x HTTP/1.1\r\n"));
}

TEST_CASE("a path without a junction is not found") {
  const TestGateway gateway({.junctions = {local_junction("/local")}});
  CHECK(status_of(gateway.ask("GET / HTTP/1.1")) == "404");
}

TEST_CASE("local pages have exactly the size asked for") {
  const TestGateway gateway({.junctions = {local_junction("/")}});
  CHECK(body_of(gateway.ask("GET / HTTP/1.1")).size() == 100);
  CHECK(body_of(gateway.ask("GET /page/100B HTTP/1.1")).size() == 100);
  CHECK(body_of(gateway.ask("GET /page/2.9MB HTTP/1.1")).size() == 3'040'870);
  CHECK(body_of(gateway.ask("GET /page/0 HTTP/1.1")).empty());
  const std::string head = gateway.ask("HEAD /page/5.8KB HTTP/1.1");
  CHECK(header_of(head, "Content-Length") == "5939");
  CHECK(body_of(head).empty());
  CHECK(status_of(gateway.ask("GET /nothing HTTP/1.1")) == "404");
  CHECK(status_of(gateway.ask("POST / HTTP/1.1", "Content-Length: 3\r\n", "abc")) == "405");
}

TEST_CASE("a request head that does not come in time gets 408, an idle connection just ends") {
  Timeouts timeouts;
  timeouts.fragment = std::chrono::milliseconds(30);
  timeouts.idle = std::chrono::milliseconds(30);
  const TestGateway gateway({.junctions = {local_junction("/")}}, timeouts);
  Peer slow = gateway.connect();
  slow.send("GET / HTT");
  CHECK(status_of(slow.read_response()) == "408");
  CHECK(slow.ended());
  Peer idle = gateway.connect();
  idle.send("GET / HTTP/1.1\r\nHost: lab\r\n\r\n");
  CHECK(status_of(idle.read_response()) == "200");
  CHECK(idle.ended());
}

TEST_CASE("a drain ends what is under way and closes the rest") {
  ScriptedServer* raw = nullptr;
  std::promise<void> asked;
  std::promise<void> answer;
  ScriptedServer server([&](Peer& peer, int) {
    peer.read_request();
    asked.set_value();
    answer.get_future().wait();
    peer.send(kHello);
  });
  raw = &server;
  TestGateway gateway({.junctions = {tcp_junction("/", {raw->port()})}});
  Peer idle = gateway.connect();
  Peer busy = gateway.connect();
  busy.send("GET / HTTP/1.1\r\nHost: lab\r\n\r\n");
  asked.get_future().wait();
  std::thread drain([&gateway] { gateway.service().drain(); });
  CHECK(idle.ended());
  answer.set_value();
  const std::string response = busy.read_response();
  CHECK(body_of(response) == "hello");
  CHECK(header_of(response, "Connection") == "close");
  CHECK(busy.ended());
  drain.join();
}
