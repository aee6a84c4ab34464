// Upgrade to WebSocket: raw bytes both ways, but not before both sides have said so.
#include "gateway_fixture.hpp"

#include <catch2/catch.hpp>

using namespace lab;
using namespace lab::gateway;
using namespace lab::gateway::test;

namespace {

const std::string kAsk =
    "GET /chat HTTP/1.1\r\nHost: lab\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Key: eA==\r\n\r\n";
constexpr const char* kSwitch =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n";

}  // namespace

TEST_CASE("after 101 bytes go both ways, whatever they are") {
  ScriptedServer server([](Peer& peer, int) {
    const std::string head = peer.read_until("\r\n\r\n");
    CHECK(header_of(head, "Upgrade") == "websocket");
    CHECK(header_of(head, "Connection") == "Upgrade");
    CHECK(header_of(head, "Sec-WebSocket-Key") == "eA==");
    peer.send(kSwitch);
    for (std::string got = peer.read_some(); !got.empty(); got = peer.read_some()) {
      peer.send("<" + got + ">");
    }
  });
  TestGateway gateway({.junctions = {tcp_junction("/", {server.port()})}});
  Peer client = gateway.connect();
  client.send(kAsk);
  const std::string head = client.read_until("\r\n\r\n");
  CHECK(status_of(head) == "101");
  CHECK(header_of(head, "Upgrade") == "websocket");
  CHECK(header_of(head, "Sec-WebSocket-Accept") == "x");
  client.send("GET /admin HTTP/1.1\r\n\r\n");
  CHECK(client.read_until(">") == "<GET /admin HTTP/1.1\r\n\r\n>");
  client.send(std::string("\x00\xff", 2));
  CHECK(client.read_until(">") == std::string("<\x00\xff>", 4));
  client.finish();
  CHECK(client.ended());
}

TEST_CASE("what the client sends too early waits for the 101, and is a request where there is none") {  // CVE-2026-2833
  ScriptedServer server([](Peer& peer, int) {
    const std::string head = peer.read_until("\r\n\r\n");
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno");
    peer.read_until("\r\n\r\n");
  });
  GatewayConfig config{.junctions = {tcp_junction("/", {server.port()})}};
  config.access = {{"/admin", AccessRule::Who::nobody, {}, {}}};
  const TestGateway gateway(config);
  Peer client = gateway.connect();
  client.send(kAsk + "GET /admin HTTP/1.1\r\nHost: lab\r\n\r\n");
  CHECK(body_of(client.read_response()) == "no");
  CHECK(status_of(client.read_response()) == "403");
}

TEST_CASE("only WebSocket is upgraded to, by GET, and only where it was asked for") {
  ScriptedServer server([](Peer& peer, int) {
    const std::string head = peer.read_request();
    CHECK_FALSE(has_header(head, "Upgrade"));
    peer.send(kSwitch);
    peer.ended();
  });
  const TestGateway gateway({.junctions = {tcp_junction("/", {server.port()})}});
  CHECK(status_of(gateway.ask("GET / HTTP/1.1", "Connection: Upgrade\r\nUpgrade: h2c\r\n")) == "502");
  CHECK(status_of(gateway.ask("GET / HTTP/1.1", "Upgrade: websocket\r\n")) == "502");
  CHECK(status_of(gateway.ask("POST / HTTP/1.1", "Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 0\r\n")) == "502");
}
