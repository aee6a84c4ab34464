// A gateway changed while it runs: junctions made, changed and taken away, settings read again, servers looked at.
#include "gateway_fixture.hpp"

#include <atomic>
#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <thread>

using namespace lab;
using namespace lab::gateway;
using namespace lab::gateway::test;
namespace json = boost::json;

namespace {

struct Named {
  explicit Named(const std::string& name)
      : server(answering(raw, "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(name.size()) + "\r\n\r\n" + name)) {}
  std::string address() const { return "127.0.0.1:" + std::to_string(server.port()); }

  ScriptedServer* raw = &server;
  ScriptedServer server;
};

std::string what(TestGateway& gateway, std::string_view method, const json::object& params) {
  const auto answer = gateway.service().control(method, params);
  return answer ? "" : answer.error().what;
}

std::string uuid_of(TestGateway& gateway, const std::string& name, std::size_t server) {
  return json::value_to<std::string>(gateway.call("junction.show", {{"name", name}}).at("servers").at(server).at("uuid"));
}

std::string state_of(TestGateway& gateway, const std::string& name, std::size_t server) {
  return json::value_to<std::string>(gateway.call("junction.show", {{"name", name}}).at("servers").at(server).at("state"));
}

json::object app(const Named& server) {
  return {{"junction", json::object{{"point", "/app"}, {"servers", json::array{server.address()}}}}};
}

}  // namespace

TEST_CASE("junctions are made, listed, replaced and taken away while the gateway runs") {
  const Named one("one"), two("two");
  GatewayConfig config{.junctions = {local_junction("/")}};
  config.service.threads = 2;
  TestGateway gateway(config);
  CHECK(status_of(gateway.ask("GET /app/x HTTP/1.1")) == "404");
  CHECK(gateway.call("junction.create", app(one)).at("name") == "/app");
  CHECK(body_of(gateway.ask("GET /app/x HTTP/1.1")) == "one");
  CHECK(gateway.call("junction.list").at("junctions") == json::array{"/app", "/"});
  CHECK(what(gateway, "junction.create", app(two)) == "there is a junction /app already");
  json::object replacing = app(two);
  replacing["replace"] = true;
  gateway.call("junction.create", replacing);
  CHECK(body_of(gateway.ask("GET /app/x HTTP/1.1")) == "two");
  gateway.call("junction.delete", {{"name", "/app/"}});
  CHECK(status_of(gateway.ask("GET /app/x HTTP/1.1")) == "404");
  CHECK(what(gateway, "junction.delete", {{"name", "/app"}}) == "there is no junction /app");
  CHECK(what(gateway, "junction.create", {{"junction", json::object{{"point", "/x/../y"}, {"type", "local"}}}}) != "");
  CHECK(what(gateway, "junction.nonsense", {}) == "no such method");
}

TEST_CASE("servers are added and taken out by their UUIDs, which stay the same") {
  const Named one("one"), two("two");
  TestGateway gateway({.junctions = {tcp_junction("/", {one.server.port()})}});
  const std::string uuid = uuid_of(gateway, "/", 0);
  CHECK(uuid.size() == 36);
  gateway.call("junction.add", {{"name", "/"}, {"server", two.address()}});
  CHECK(uuid_of(gateway, "/", 0) == uuid);
  CHECK(body_of(gateway.ask("GET / HTTP/1.1")) != body_of(gateway.ask("GET / HTTP/1.1")));
  CHECK(what(gateway, "junction.add", {{"name", "/"}, {"server", two.address()}}) ==
        "junction /: server " + two.address() + " is there already");
  CHECK(what(gateway, "junction.remove", {{"name", "/"}, {"uuid", "none"}}) == "junction / has no server none");
  gateway.call("junction.remove", {{"name", "/"}, {"uuid", uuid}});
  for (int i = 0; i < 3; ++i) {
    CHECK(body_of(gateway.ask("GET / HTTP/1.1")) == "two");
  }
  CHECK(what(gateway, "junction.remove", {{"name", "/"}, {"uuid", uuid_of(gateway, "/", 0)}}) == "it is the junction's last server");
}

TEST_CASE("offline servers get nothing, throttled ones those who are pinned to them") {
  const Named one("one"), two("two");
  Junction junction = tcp_junction("/", {one.server.port(), two.server.port()});
  junction.stateful = true;
  TestGateway gateway({.junctions = {junction}});
  std::string first = gateway.ask("GET / HTTP/1.1");
  while (body_of(first) != "one") {
    first = gateway.ask("GET / HTTP/1.1");
  }
  const std::string cookie = header_of(first, "Set-Cookie");
  const std::string pinned = "Cookie: " + cookie.substr(0, cookie.find(';')) + "\r\n";
  const std::string uuid = uuid_of(gateway, "/", 0);
  gateway.call("junction.throttle", {{"name", "/"}, {"uuid", uuid}});
  CHECK(state_of(gateway, "/", 0) == "throttled");
  CHECK(state_of(gateway, "/", 1) == "running");
  for (int i = 0; i < 3; ++i) {
    CHECK(body_of(gateway.ask("GET / HTTP/1.1")) == "two");
    CHECK(body_of(gateway.ask("GET / HTTP/1.1", pinned)) == "one");
  }
  gateway.call("junction.offline", {{"name", "/"}, {"uuid", uuid}});
  CHECK(body_of(gateway.ask("GET / HTTP/1.1", pinned)) == "two");
  gateway.call("junction.offline", {{"name", "/"}});
  CHECK(status_of(gateway.ask("GET / HTTP/1.1")) == "503");
  gateway.call("junction.online", {{"name", "/"}});
  CHECK(status_of(gateway.ask("GET / HTTP/1.1")) == "200");
  CHECK(state_of(gateway, "/", 0) == "running");
}

TEST_CASE("what is shown has counts, and no passwords") {
  const Named one("one");
  Junction junction = tcp_junction("/", {one.server.port()});
  junction.login = Credentials{"gw", "topsecret"};
  TestGateway gateway({.junctions = {junction}});
  gateway.ask("GET / HTTP/1.1");
  const json::object shown = gateway.call("junction.show", {{"name", "/"}});
  CHECK(shown.at("servers").at(0).at("requests").to_number<int>() == 1);
  CHECK(json::serialize(shown).find("topsecret") == std::string::npos);
  const std::string metrics = gateway.service().metrics().value();
  CHECK(metrics.find("lab_gateway_responses_total{status=\"200\"} 1\n") != std::string::npos);
  CHECK(metrics.find("lab_gateway_server_requests_total{junction=\"/\",server=\"" + one.address() + "\"} 1\n") != std::string::npos);
  CHECK(metrics.find("lab_gateway_junction_active{junction=\"/\"} 0\n") != std::string::npos);
  CHECK(metrics.ends_with("# EOF\n"));
}

TEST_CASE("a reload changes junctions, rules and pages; a bad one changes nothing") {
  const Named one("one"), two("two");
  GatewayConfig config{.junctions = {tcp_junction("/", {one.server.port()})}};
  config.service.plain = {{"127.0.0.1", 0}};
  TestGateway gateway(config);
  Peer kept = gateway.connect();
  const auto ask = [&kept](const std::string& path) {
    kept.send("GET " + path + " HTTP/1.1\r\nHost: lab\r\n\r\n");
    return kept.read_response();
  };
  CHECK(body_of(ask("/")) == "one");
  GatewayConfig next = config;
  next.junctions = {tcp_junction("/", {two.server.port()})};
  next.access = {{"/gone", AccessRule::Who::nobody, {}, {}}};
  CHECK(gateway.service().reload(next));
  CHECK(body_of(ask("/")) == "two");
  CHECK(status_of(ask("/gone")) == "403");
  next.junctions = {tcp_junction("/", {})};
  next.access = {};
  CHECK(gateway.service().reload(next).has_error());
  CHECK(body_of(ask("/")) == "two");
  CHECK(status_of(ask("/gone")) == "403");
}

TEST_CASE("no request is lost while junctions change") {
  const Named one("one"), two("two");
  GatewayConfig config{.junctions = {tcp_junction("/", {one.server.port(), two.server.port()})}};
  config.service.plain = {{"127.0.0.1", 0}};
  config.service.threads = 2;
  TestGateway gateway(config);
  std::atomic<bool> stop{false};
  std::atomic<int> good{0}, bad{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([&] {
      Peer client = gateway.connect();
      while (!stop) {
        client.send("GET / HTTP/1.1\r\nHost: lab\r\n\r\n");
        ++(status_of(client.read_response()) == "200" ? good : bad);
      }
    });
  }
  GatewayConfig other = config;
  other.junctions = {tcp_junction("/", {two.server.port()})};
  for (int i = 0; i < 60; ++i) {
    CHECK(gateway.service().reload(i % 2 == 0 ? other : config));
  }
  stop = true;
  for (std::thread& client : clients) {
    client.join();
  }
  CHECK(bad == 0);
  CHECK(good > 0);
}

TEST_CASE("a server that answers pings with 503 is marked down, and well again when it does not") {
  std::atomic<bool> well{false};
  std::atomic<int> pings{0};
  ScriptedServer server([&](Peer& peer, int) {
    for (std::string request = peer.read_until("\r\n\r\n"); request.ends_with("\r\n\r\n"); request = peer.read_until("\r\n\r\n")) {
      pings += request.starts_with("HEAD / HTTP/1.1\r\n") ? 1 : 0;
      const bool fails = request.starts_with("HEAD") && !well;
      peer.send(fails ? "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n" : "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    }
  });
  Timeouts timeouts;
  timeouts.ping = std::chrono::milliseconds(20);
  TestGateway gateway({.junctions = {tcp_junction("/", {server.port()})}}, timeouts);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  const auto wait_for = [&](const std::string& state) {
    while (state_of(gateway, "/", 0) != state && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
    return state_of(gateway, "/", 0);
  };
  CHECK(wait_for("not running") == "not running");
  CHECK(status_of(gateway.ask("GET / HTTP/1.1")) == "200");  // where no other is left it is tried all the same
  well = true;
  CHECK(wait_for("running") == "running");
  CHECK(pings > 1);
  const std::string name = "server 127.0.0.1:" + std::to_string(server.port()) + " of junction /";
  CHECK(gateway.reports() == std::vector<std::string>{name + " is marked down: it answers 503", name + " is well again"});
}
