// Basic authentication, sessions, and what back ends are told of it.
#include "gateway_fixture.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>

using namespace lab;
using namespace lab::gateway;
using namespace lab::gateway::test;

namespace {

struct Protected {
  explicit Protected(GatewayConfig config = {})
      : server(answering(raw, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")), gateway(complete(std::move(config))) {}

  GatewayConfig complete(GatewayConfig config) {
    Junction junction = tcp_junction("/", {server.port()});
    junction.identity = {true, true, true};
    config.junctions.push_back(junction);
    return with_directory(std::move(config));
  }
  std::string last() const { return server.requests().back(); }

  ScriptedServer* raw = &server;
  ScriptedServer server;
  TestGateway gateway;
};

std::string session_of(const std::string& response) {
  const std::string cookie = header_of(response, "Set-Cookie");
  return cookie.substr(0, cookie.find(';'));
}

}  // namespace

TEST_CASE("an anonymous request is asked to log in, with credentials it passes") {
  Protected site;
  const std::string asked = site.gateway.ask("GET / HTTP/1.1");
  CHECK(status_of(asked) == "401");
  CHECK(header_of(asked, "WWW-Authenticate") == "Basic realm=\"lab\"");
  CHECK(site.server.requests().empty());
  const std::string granted = site.gateway.ask("GET / HTTP/1.1", basic("alice", "secret"));
  CHECK(status_of(granted) == "200");
  CHECK(session_of(granted).starts_with("PD-H-SESSION-ID="));
  CHECK(header_of(granted, "Set-Cookie").find("HttpOnly") != std::string::npos);
  CHECK(header_of(site.last(), "iv-user") == "alice");
  CHECK(header_of(site.last(), "iv-groups") == "\"odd \\\"group\\\"\",\"staff\"");
  CHECK(header_of(site.last(), "iv-creds").starts_with("Version=1, "));
  CHECK_FALSE(has_header(site.last(), "Authorization"));
  CHECK(site.gateway.call("stats").at("logins").to_number<int>() == 1);
}

TEST_CASE("wrong, empty and malformed credentials are refused") {
  const Protected site;
  CHECK(status_of(site.gateway.ask("GET / HTTP/1.1", basic("alice", "wrong"))) == "401");
  CHECK(status_of(site.gateway.ask("GET / HTTP/1.1", basic("alice", ""))) == "401");
  CHECK(status_of(site.gateway.ask("GET / HTTP/1.1", basic("", ""))) == "401");
  CHECK(status_of(site.gateway.ask("GET / HTTP/1.1", "Authorization: Basic !!\r\n")) == "401");
  CHECK(status_of(site.gateway.ask("GET / HTTP/1.1", "Authorization: Bearer x\r\n")) == "401");
  CHECK(site.server.requests().empty());
}

TEST_CASE("a directory that is down is not a wrong password") {
  const Protected site;
  CHECK(status_of(site.gateway.ask("GET / HTTP/1.1", basic("down", "secret"))) == "503");
}

TEST_CASE("a session stands for its login, also on another connection, and its cookie stays here") {
  Protected site;
  const std::string session = session_of(site.gateway.ask("GET / HTTP/1.1", basic("alice", "secret")));
  const std::string response = site.gateway.ask("GET / HTTP/1.1", "Cookie: a=b; " + session + "\r\n");
  CHECK(status_of(response) == "200");
  CHECK_FALSE(has_header(response, "Set-Cookie"));
  CHECK(header_of(site.last(), "iv-user") == "alice");
  CHECK(header_of(site.last(), "Cookie") == "a=b");
  CHECK(site.gateway.call("stats").at("sessions").to_number<int>() == 1);
}

TEST_CASE("a login makes a new session id, the old one is worth nothing after it") {  // meshmonitor 4672
  const Protected site;
  const std::string first = session_of(site.gateway.ask("GET / HTTP/1.1", basic("alice", "secret")));
  const std::string second = session_of(site.gateway.ask("GET / HTTP/1.1", "Cookie: " + first + "\r\n" + basic("bob", "secret")));
  CHECK(second.starts_with("PD-H-SESSION-ID="));
  CHECK(second != first);
  CHECK(header_of(site.last(), "iv-user") == "bob");
  CHECK(status_of(site.gateway.ask("GET / HTTP/1.1", "Cookie: " + first + "\r\n")) == "401");
  CHECK(status_of(site.gateway.ask("GET / HTTP/1.1", "Cookie: " + second + "\r\n")) == "200");
  const std::string planted = "PD-H-SESSION-ID=" + std::string(43, 'x');
  CHECK(session_of(site.gateway.ask("GET / HTTP/1.1", "Cookie: " + planted + "\r\n" + basic("bob", "secret"))) != planted);
}

TEST_CASE("a full session table forgets the one used longest ago") {
  GatewayConfig config;
  config.session_entries = 1;
  const Protected site(config);
  const std::string first = session_of(site.gateway.ask("GET / HTTP/1.1", basic("alice", "secret")));
  const std::string second = session_of(site.gateway.ask("GET / HTTP/1.1", basic("bob", "secret")));
  CHECK(status_of(site.gateway.ask("GET / HTTP/1.1", "Cookie: " + first + "\r\n")) == "401");
  CHECK(status_of(site.gateway.ask("GET / HTTP/1.1", "Cookie: " + second + "\r\n")) == "200");
}

TEST_CASE("public paths are open, and back ends are told that nobody is known") {
  GatewayConfig config;
  config.access = {{"/open", AccessRule::Who::everybody, {}, {}}, {"/staff", AccessRule::Who::listed, {}, {"staff"}}};
  const Protected site(config);
  CHECK(status_of(site.gateway.ask("GET /open/x HTTP/1.1", "iv-user: admin\r\nIv_User: admin\r\n")) == "200");
  CHECK(header_of(site.last(), "iv-user") == "Unauthenticated");
  CHECK(site.last().find("admin") == std::string::npos);
  CHECK(status_of(site.gateway.ask("GET /staff HTTP/1.1")) == "401");
  CHECK(status_of(site.gateway.ask("GET /staff HTTP/1.1", basic("alice", "secret"))) == "200");
  CHECK(status_of(site.gateway.ask("GET /staff HTTP/1.1", basic("bob", "secret"))) == "403");
}

TEST_CASE("a client cannot nominate away who it is") {  // CVE-2024-45410
  const Protected site;
  site.gateway.ask("GET / HTTP/1.1", "Connection: keep-alive, iv-user, X-Forwarded-For\r\n" + basic("alice", "secret"));
  CHECK(header_of(site.last(), "iv-user") == "alice");
  CHECK(header_of(site.last(), "X-Forwarded-For") == "127.0.0.1");
}

TEST_CASE("where basic login is not offered there is no asking for it") {
  GatewayConfig config;
  config.basic = BasicAuthentication::https;
  const Protected site(config);
  CHECK(status_of(site.gateway.ask("GET / HTTP/1.1")) == "403");
  CHECK(status_of(site.gateway.ask("GET / HTTP/1.1", basic("alice", "secret"))) == "403");
}

TEST_CASE("a client may leave while the directory is asked") {
  const Protected site;
  for (int i = 0; i < 20; ++i) {
    Peer client = site.gateway.connect();
    client.send("GET / HTTP/1.1\r\nHost: lab\r\n" + basic("alice", "secret") + "\r\n");
    client.reset();
  }
  CHECK(status_of(site.gateway.ask("GET / HTTP/1.1", basic("alice", "secret"))) == "200");
}
