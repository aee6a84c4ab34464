// What back ends may do, and what clients get for it.
#include "gateway_fixture.hpp"

#include <poll.h>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>
#include <future>

using namespace lab;
using namespace lab::gateway;
using namespace lab::gateway::test;

namespace {

// The answer to a request when the back end sends this text, then closes if told to.
std::string answer_to(const std::string& sent, const std::string& request_line = "GET / HTTP/1.1", bool then_close = true) {
  ScriptedServer server([&](Peer& peer, int) {
    peer.read_request();
    peer.send(sent);
    if (!then_close) {
      peer.ended();
    }
  });
  const TestGateway gateway({.junctions = {tcp_junction("/", {server.port()})}});
  Peer client = gateway.connect();
  client.send(request_line + "\r\nHost: lab\r\n\r\n");
  client.finish();
  return client.read_to_end();
}

std::uint16_t dead_port() {
  const net::Fd fd = net::listen_tcp(net::Address::resolve("127.0.0.1", 0).value(), false).value();
  return net::Address::local_of(fd.get()).port();
}

}  // namespace

TEST_CASE("interim responses: 100 stays here, 103 goes on, neither has a body") {  // nginx 1427
  const std::string early = "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n";
  const std::string response =
      answer_to("HTTP/1.1 100 Continue\r\nContent-Length: 100\r\n\r\n" + early + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  REQUIRE(response.starts_with(early));
  CHECK(body_of(response.substr(early.size())) == "ok");
  const std::string old = answer_to(early + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "GET / HTTP/1.0");
  CHECK(old.starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST_CASE("a 101 that nobody asked for is a bad gateway") {
  CHECK(status_of(answer_to("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")) == "502");
}

TEST_CASE("chunked responses go on in chunks, without their trailers") {  // nginx 1115
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4;x\r\ndefg\r\n0\r\nT: trailer\r\n\r\n";
  const std::string response = answer_to(chunked);
  CHECK(header_of(response, "Transfer-Encoding") == "chunked");
  CHECK(body_of(response) == "7\r\nabcdefg\r\n0\r\n\r\n");
  const std::string old = answer_to(chunked, "GET / HTTP/1.0");
  CHECK_FALSE(has_header(old, "Transfer-Encoding"));
  CHECK(body_of(old) == "abcdefg");
}

TEST_CASE("a response that ends with its connection is complete") {  // wrk 118
  const std::string response = answer_to("HTTP/1.1 200 OK\r\n\r\nhello");
  CHECK(header_of(response, "Transfer-Encoding") == "chunked");
  CHECK(body_of(response) == "5\r\nhello\r\n0\r\n\r\n");
  CHECK(body_of(answer_to("HTTP/1.0 200 OK\r\n\r\nhello", "GET / HTTP/1.0")) == "hello");
}

TEST_CASE("a HEAD answered as if with a body has headers only, and nobody waits") {  // haproxy 2836
  const std::string chunked = answer_to("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "HEAD / HTTP/1.1", false);
  CHECK(status_of(chunked) == "200");
  CHECK(body_of(chunked).empty());
  const std::string sized = answer_to("HTTP/1.1 200 OK\r\nContent-Length: 5939\r\n\r\n", "HEAD / HTTP/1.1", false);
  CHECK(header_of(sized, "Content-Length") == "5939");
  CHECK(body_of(sized).empty());
}

TEST_CASE("204 and 304 have no body") {
  CHECK(body_of(answer_to("HTTP/1.1 204 No Content\r\n\r\n", "GET / HTTP/1.1", false)).empty());
  const std::string unchanged = answer_to("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", "GET / HTTP/1.1", false);
  CHECK(header_of(unchanged, "Content-Length") == "5");
  CHECK(body_of(unchanged).empty());
}

TEST_CASE("broken responses are a bad gateway") {
  CHECK(status_of(answer_to("")) == "502");
  CHECK(status_of(answer_to("HTTP/1.1 200 OK\r\nContent-Le")) == "502");
  CHECK(status_of(answer_to("garbage\r\n\r\n")) == "502");
  CHECK(status_of(answer_to("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n")) == "502");
  CHECK(status_of(answer_to("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n")) == "502");
  CHECK(status_of(answer_to("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n")) == "502");
}

TEST_CASE("a response cut short ends its connection and is not passed for whole") {
  const std::string sized = answer_to("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello");
  CHECK(header_of(sized, "Content-Length") == "10");
  CHECK(body_of(sized) == "hello");
  const std::string chunked = answer_to("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
  CHECK(body_of(chunked) == "5\r\nhello\r\n");
}

TEST_CASE("a server that says more than its response loses its connection, the client keeps its own") {
  ScriptedServer server([&](Peer& peer, int) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
    peer.ended();
  });
  const TestGateway gateway({.junctions = {tcp_junction("/", {server.port()})}});
  Peer client = gateway.connect();
  for (int i = 0; i < 2; ++i) {
    client.send("GET / HTTP/1.1\r\nHost: lab\r\n\r\n");
    CHECK(body_of(client.read_response()) == "ok");
  }
  CHECK(server.connections() == 2);
}

TEST_CASE("a stale pooled connection is retried once on a fresh one") {  // caddy 6452, h2o 281
  ScriptedServer server([](Peer& peer, int) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    peer.read_request();  // the second request on a kept connection finds nobody
    peer.reset();
  });
  TestGateway gateway({.junctions = {tcp_junction("/", {server.port()})}});
  for (int i = 0; i < 2; ++i) {
    CHECK(body_of(gateway.ask("GET / HTTP/1.1")) == "ok");
  }
  const auto stats = gateway.call("stats");
  CHECK(stats.at("retries").to_number<int>() == 1);
  CHECK(stats.at("backend_requests").to_number<int>() == 3);
  CHECK(stats.at("requests").to_number<int>() == 2);
}

TEST_CASE("a fresh connection that breaks is not tried again") {
  ScriptedServer server([](Peer& peer, int) { peer.read_request(); });
  TestGateway gateway({.junctions = {tcp_junction("/", {server.port()})}});
  CHECK(status_of(gateway.ask("GET / HTTP/1.1")) == "502");
  CHECK(server.connections() == 1);
}

TEST_CASE("a POST that may have been processed is not sent again") {  // openresty 200
  ScriptedServer server([](Peer& peer, int) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    peer.read_request();
  });
  TestGateway gateway({.junctions = {tcp_junction("/", {server.port()})}});
  CHECK(status_of(gateway.ask("POST / HTTP/1.1", "Content-Length: 0\r\n")) == "200");
  CHECK(status_of(gateway.ask("POST / HTTP/1.1", "Content-Length: 0\r\n")) == "502");
  CHECK(server.connections() == 1);
  CHECK(gateway.call("stats").at("retries").to_number<int>() == 0);
}

TEST_CASE("a retry is not made once any of a response was seen") {
  ScriptedServer server([](Peer& peer, int) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    peer.read_request();
    peer.send("HTTP/1.1 2");
  });
  TestGateway gateway({.junctions = {tcp_junction("/", {server.port()})}});
  CHECK(status_of(gateway.ask("GET / HTTP/1.1")) == "200");
  CHECK(status_of(gateway.ask("GET / HTTP/1.1")) == "502");
  CHECK(server.connections() == 1);
}

TEST_CASE("a server that refuses is skipped, with none left it is 503") {
  ScriptedServer* raw = nullptr;
  ScriptedServer server(answering(raw, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  raw = &server;
  const TestGateway gateway(
      {.junctions = {tcp_junction("/", {dead_port(), server.port(), dead_port()}), tcp_junction("/dead", {dead_port(), dead_port()})}});
  for (int i = 0; i < 5; ++i) {
    CHECK(body_of(gateway.ask("POST / HTTP/1.1", "Content-Length: 3\r\n", "abc")) == "ok");
  }
  CHECK(status_of(gateway.ask("GET /dead/x HTTP/1.1")) == "503");
  CHECK(status_of(gateway.ask("GET /dead/x HTTP/1.1")) == "503");
}

TEST_CASE("requests go to the least busy server, in turn among equals") {
  ScriptedServer* raw[2] = {};
  ScriptedServer one(answering(raw[0], "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
  ScriptedServer two(answering(raw[1], "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
  raw[0] = &one;
  raw[1] = &two;
  const TestGateway gateway({.junctions = {tcp_junction("/", {one.port(), two.port()})}});
  for (int i = 0; i < 10; ++i) {
    gateway.ask("GET / HTTP/1.1");
  }
  CHECK(one.requests().size() == 5);
  CHECK(two.requests().size() == 5);
}

TEST_CASE("a busy server gets no further request while another is free") {
  std::promise<void> answer;
  std::atomic<int> asked{0};
  ScriptedServer slow([&](Peer& peer, int) {
    peer.read_request();
    ++asked;
    answer.get_future().wait();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nslow");
    peer.ended();
  });
  ScriptedServer* raw = nullptr;
  ScriptedServer quick(answering(raw, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nquick"));
  raw = &quick;
  const TestGateway gateway({.junctions = {tcp_junction("/", {slow.port(), quick.port()})}});
  Peer waiting = gateway.connect();
  waiting.send("GET / HTTP/1.1\r\nHost: lab\r\n\r\n");
  while (asked.load() == 0) {
    std::this_thread::yield();
  }
  for (int i = 0; i < 5; ++i) {
    CHECK(body_of(gateway.ask("GET / HTTP/1.1")) == "quick");
  }
  answer.set_value();
  CHECK(body_of(waiting.read_response()) == "slow");
}

TEST_CASE("a server that does not answer in time is a gateway timeout") {
  Timeouts timeouts;
  timeouts.backend = std::chrono::milliseconds(50);
  ScriptedServer server([](Peer& peer, int) {
    peer.read_request();
    peer.ended();
  });
  const TestGateway gateway({.junctions = {tcp_junction("/", {server.port()})}}, timeouts);
  CHECK(status_of(gateway.ask("GET / HTTP/1.1")) == "504");
}

TEST_CASE("a client that trickles pipelined bytes does not put its timeout off") {
  Timeouts timeouts;
  timeouts.backend = std::chrono::milliseconds(300);
  ScriptedServer server([](Peer& peer, int) {
    peer.read_request();
    peer.ended();
  });
  const TestGateway gateway({.junctions = {tcp_junction("/", {server.port()})}}, timeouts);
  Peer client = gateway.connect();
  client.send("GET / HTTP/1.1\r\nHost: lab\r\n\r\n");
  pollfd answer{client.fd(), POLLIN, 0};
  int sent = 0;
  constexpr int kMost = 500;
  while (sent < kMost && poll(&answer, 1, 20) == 0) {
    client.send("G");
    ++sent;
  }
  CHECK(sent < kMost);
  CHECK(status_of(client.read_response()) == "504");
}

TEST_CASE("a request with a body whose kept connection is lost is not repeated") {
  ScriptedServer server([](Peer& peer, int) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    peer.read_request();
    peer.reset();
  });
  GatewayConfig config{.junctions = {tcp_junction("/", {server.port()})}};
  config.blocked_methods = {};
  config.access = {{"/", AccessRule::Who::everybody, {}, {}, "Trmd"}};
  TestGateway gateway(config);
  CHECK(body_of(gateway.ask("GET / HTTP/1.1")) == "ok");
  CHECK(status_of(gateway.ask("PUT / HTTP/1.1", "Content-Length: 3\r\n", "abc")) == "502");
  CHECK(gateway.call("stats").at("retries").to_number<int>() == 0);
}

TEST_CASE("an early answer reaches a client that is still sending") {
  ScriptedServer server([](Peer& peer, int) {
    peer.read_until("\r\n\r\n");
    peer.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig");
  });
  const TestGateway gateway({.junctions = {tcp_junction("/", {server.port()})}});
  Peer client = gateway.connect();
  client.send("POST / HTTP/1.1\r\nHost: lab\r\nContent-Length: 100000000\r\n\r\n");
  const std::string response = client.read_response();
  CHECK(status_of(response) == "413");
  CHECK(body_of(response) == "big");
  CHECK(client.ended());
}

TEST_CASE("large bodies are streamed both ways") {
  const std::string body(5'000'000, 'b');
  ScriptedServer server([&](Peer& peer, int) {
    const std::string request = peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body_of(request).size()) + "\r\n\r\n" + body_of(request));
    peer.ended();
  });
  const TestGateway gateway({.junctions = {tcp_junction("/", {server.port()})}});
  Peer client = gateway.connect();
  client.send("POST / HTTP/1.1\r\nHost: lab\r\nContent-Length: 5000000\r\n\r\n" + body);
  CHECK(body_of(client.read_response()) == body);
}

TEST_CASE("a client that does not read holds its server back instead of filling memory") {
  constexpr std::size_t kPage = 300'000'000;
  std::promise<std::size_t> sent;
  ScriptedServer server([&](Peer& peer, int) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kPage) + "\r\n\r\n");
    const timeval short_wait{0, 200'000};
    setsockopt(peer.fd(), SOL_SOCKET, SO_SNDTIMEO, &short_wait, sizeof short_wait);
    const std::string block(100'000, 'x');
    std::size_t total = 0;
    for (ssize_t took = 1; took > 0 && total < kPage;) {
      took = ::send(peer.fd(), block.data(), block.size(), MSG_NOSIGNAL);
      total += took > 0 ? static_cast<std::size_t>(took) : 0;
    }
    sent.set_value(total);
    peer.ended();
  });
  const TestGateway gateway({.junctions = {tcp_junction("/", {server.port()})}});
  Peer client = gateway.connect();
  client.send("GET / HTTP/1.1\r\nHost: lab\r\n\r\n");
  CHECK(sent.get_future().get() < kPage / 4);  // the sockets' buffers and 256 KB
  CHECK(client.read_exactly(1'000'000).size() == 1'000'000);
}
