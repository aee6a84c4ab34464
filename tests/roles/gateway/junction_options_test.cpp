// What a junction's options do.
#include "gateway_fixture.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>
#include <fstream>
#include <future>

using namespace lab;
using namespace lab::gateway;
using namespace lab::gateway::test;

namespace {

constexpr const char* kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

// Answers every request with its own name.
struct Named {
  explicit Named(const std::string& name)
      : server(answering(raw, "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(name.size()) + "\r\n\r\n" + name)) {}
  std::uint16_t port() const { return server.port(); }

  ScriptedServer* raw = &server;
  ScriptedServer server;
};

std::string cookie_of(const std::string& response) {
  const std::string cookie = header_of(response, "Set-Cookie");
  return cookie.substr(0, cookie.find(';'));
}

std::string error_of(const Junction& junction) {
  GatewayConfig config{.junctions = {junction}};
  config.service.plain = {{"127.0.0.1", 0}};
  const auto service = gateway::Service::start(config);
  return service ? "" : service.error().what;
}

}  // namespace

TEST_CASE("a mount point that is not in its normal form is an error") {
  for (const char* point : {"/a/../b", "/a/./b", "//a", "/a//b", "/a/..", "/a%2Fb", "/a?b", "/%2e%2e"}) {
    CHECK(error_of(local_junction(point)) == "junction " + name_of(local_junction(point)) + ": the mount point is not in its normal form");
  }
  CHECK(error_of(local_junction("app")).ends_with("a mount point begins with /"));
  CHECK(error_of(local_junction("/a/")).empty());
}

TEST_CASE("options that do not go together are errors") {
  Junction junction = tcp_junction("/", {1});
  junction.soft_limit = 5;
  CHECK(error_of(junction) == "junction /: it has one of the limits only");
  junction.hard_limit = 4;
  CHECK(error_of(junction) == "junction /: the soft limit is above the hard one");
  junction = tcp_junction("/", {1});
  junction.server_dn = "CN=x";
  CHECK(error_of(junction) == "junction /: a server's name is expected that nobody verifies");
  junction = tcp_junction("/", {1});
  junction.basic = BasicHeader::gso;
  CHECK(error_of(junction) == "junction /: -b gso and a file of its users go together");
  CHECK(error_of(tcp_junction("/", {1, 1})) == "junction /: server 127.0.0.1:1 is there already");
  junction = local_junction("/x");
  junction.virtual_host = "www";
  CHECK(error_of(junction) == "junction www: a virtual host is mounted at /");
}

TEST_CASE("-s: a cookie pins a client to its server") {
  const Named one("one"), two("two");
  Junction junction = tcp_junction("/", {one.port(), two.port()});
  junction.stateful = true;
  const TestGateway gateway({.junctions = {junction}});
  const std::string first = gateway.ask("GET / HTTP/1.1"), second = gateway.ask("GET / HTTP/1.1");
  CHECK(body_of(first) != body_of(second));
  CHECK(cookie_of(first).starts_with("PD_STATEFUL_"));
  for (int i = 0; i < 4; ++i) {
    const std::string again = gateway.ask("GET / HTTP/1.1", "Cookie: x=y; " + cookie_of(first) + "\r\n");
    CHECK(body_of(again) == body_of(first));
    CHECK_FALSE(has_header(again, "Set-Cookie"));
  }
  const auto name = cookie_of(first).substr(0, cookie_of(first).find('='));
  CHECK(has_header(gateway.ask("GET / HTTP/1.1", "Cookie: " + name + "=unknown\r\n"), "Set-Cookie"));
}

TEST_CASE("-s: where the pinned server is gone another is pinned") {
  const Named one("one");
  std::optional<Named> two("two");
  Junction junction = tcp_junction("/", {one.port(), two->port()});
  junction.stateful = true;
  const TestGateway gateway({.junctions = {junction}});
  std::string response = gateway.ask("GET / HTTP/1.1");
  if (body_of(response) == "one") {
    response = gateway.ask("GET / HTTP/1.1");
  }
  REQUIRE(body_of(response) == "two");
  const std::string pinned = cookie_of(response);
  two.reset();
  const std::string moved = gateway.ask("GET / HTTP/1.1", "Cookie: " + pinned + "\r\n");
  CHECK(body_of(moved) == "one");
  CHECK(has_header(moved, "Set-Cookie"));
}

TEST_CASE("-i: paths are matched and judged whatever their case") {
  const Named app("app");
  Junction junction = tcp_junction("/App", {app.port()});
  junction.case_insensitive = true;
  GatewayConfig config{.junctions = {junction}};
  config.access = {{"/app/Private", AccessRule::Who::nobody, {}, {}}};
  const TestGateway gateway(config);
  CHECK(body_of(gateway.ask("GET /aPP/x HTTP/1.1")) == "app");
  CHECK(app.server.requests()[0].starts_with("GET /x HTTP/1.1\r\n"));
  CHECK(status_of(gateway.ask("GET /APP/pRIVATE HTTP/1.1")) == "403");
  CHECK(status_of(gateway.ask("GET /apple HTTP/1.1")) == "404");
}

TEST_CASE("a virtual host has its own junction, whatever the path, and the server sees its name") {
  const Named www("www"), rest("rest");
  Junction junction = tcp_junction("/", {www.port()});
  junction.virtual_host = "www.example.com";
  const TestGateway gateway({.junctions = {tcp_junction("/", {rest.port()}), junction}});
  const auto ask = [&gateway](const std::string& host) {
    Peer client = gateway.connect();
    client.send("GET /x HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    return body_of(client.read_response());
  };
  CHECK(ask("www.example.com") == "www");
  CHECK(ask("WWW.example.com:8080") == "www");
  CHECK(ask("example.com") == "rest");
  CHECK(ask("www.example.com.evil") == "rest");
  CHECK(header_of(www.server.requests()[0], "Host") == "www.example.com");
}

TEST_CASE("-j: links that lack the mount point are found by the cookie, and judged where they are") {
  const Named app("app"), root("root");
  Junction junction = tcp_junction("/app", {app.port()});
  junction.junction_cookie = true;
  GatewayConfig config{.junctions = {junction, tcp_junction("/", {root.port()}), tcp_junction("/other", {root.port()})}};
  config.access = {{"/app/private", AccessRule::Who::nobody, {}, {}}};
  const TestGateway gateway(config);
  const std::string response = gateway.ask("GET /app/x HTTP/1.1");
  CHECK(header_of(response, "Set-Cookie") == "IV_JCT=/app; Path=/");
  CHECK(body_of(gateway.ask("GET /y?q HTTP/1.1", "Cookie: IV_JCT=%2Fapp\r\n")) == "app");
  CHECK(app.server.requests()[1].starts_with("GET /y?q HTTP/1.1\r\n"));
  CHECK(body_of(gateway.ask("GET /y HTTP/1.1")) == "root");
  CHECK(body_of(gateway.ask("GET /other/y HTTP/1.1", "Cookie: IV_JCT=/app\r\n")) == "root");
  CHECK(body_of(gateway.ask("GET /y HTTP/1.1", "Cookie: IV_JCT=/other\r\n")) == "root");
  CHECK(status_of(gateway.ask("GET /private HTTP/1.1", "Cookie: IV_JCT=/app\r\n")) == "403");
}

TEST_CASE("-l and -L: above the soft limit a warning, above the hard one 503") {
  std::promise<void> answer;
  const auto go = answer.get_future().share();
  ScriptedServer server([&go](Peer& peer, int) {
    peer.read_request();
    go.wait();
    peer.send(kOk);
    peer.ended();
  });
  Junction junction = tcp_junction("/", {server.port()});
  junction.soft_limit = 1;
  junction.hard_limit = 2;
  TestGateway gateway({.junctions = {junction}});
  std::vector<Peer> waiting;
  for (int i = 0; i < 2; ++i) {
    waiting.push_back(gateway.connect());
    waiting.back().send("GET / HTTP/1.1\r\nHost: lab\r\n\r\n");
    while (gateway.call("junction.show", {{"name", "/"}}).at("active").to_number<int>() != i + 1) {
    }
  }
  CHECK(status_of(gateway.ask("GET / HTTP/1.1")) == "503");
  CHECK(gateway.reports() == std::vector<std::string>{"junction / is above its soft limit: 2 requests under way"});
  answer.set_value();
  for (Peer& peer : waiting) {
    CHECK(body_of(peer.read_response()) == "ok");
  }
  CHECK(status_of(gateway.ask("GET / HTTP/1.1")) == "200");
  while (gateway.call("junction.show", {{"name", "/"}}).at("active").to_number<int>() != 0) {  // a client may have its answer before
  }
  CHECK(gateway.call("junction.show", {{"name", "/"}}).at("refused").to_number<int>() == 1);
}

TEST_CASE("a local junction serves the files of its directory, and nothing beside it") {
  const Folder folder;
  std::filesystem::create_directories(folder.path / "www" / "a b");
  std::ofstream(folder.path / "www" / "index.html") << "<p>index";
  std::ofstream(folder.path / "www" / "a b" / "x.txt") << std::string(700'000, 't');
  std::ofstream(folder.path / "secret") << "secret";
  std::filesystem::create_symlink("../secret", folder.path / "www" / "link");
  Junction junction = local_junction("/files");
  junction.directory = folder.path / "www";
  const TestGateway gateway({.junctions = {junction}});
  const std::string index = gateway.ask("GET /files/ HTTP/1.1");
  CHECK(body_of(index) == "<p>index");
  CHECK(header_of(index, "Content-Type") == "text/html; charset=utf-8");
  CHECK(body_of(gateway.ask("GET /files/a%20b/x.txt HTTP/1.1")) == std::string(700'000, 't'));
  CHECK(header_of(gateway.ask("HEAD /files/a%20b/x.txt HTTP/1.1"), "Content-Length") == "700000");
  CHECK(status_of(gateway.ask("GET /files/link HTTP/1.1")) == "404");
  CHECK(status_of(gateway.ask("GET /files/none HTTP/1.1")) == "404");
  CHECK(status_of(gateway.ask("GET /files/a%20b HTTP/1.1")) == "404");
  CHECK(status_of(gateway.ask("GET /files/../../secret HTTP/1.1")) == "400");
  CHECK(status_of(gateway.ask("POST /files/ HTTP/1.1", "Content-Length: 0\r\n")) == "405");
  junction.directory = folder.path / "nothing";
  CHECK(error_of(junction).ends_with("nothing is no directory"));
}

TEST_CASE("-b gso reads each user's login from its file") {
  const Folder folder;
  const std::string file = folder.path / "users";
  std::ofstream(file) << "# user, back-end user, password\nalice al pw1\n\n";
  const Named app("app");
  Junction junction = tcp_junction("/", {app.port()});
  junction.basic = BasicHeader::gso;
  junction.gso = file;
  const TestGateway gateway(with_directory({.junctions = {junction}}));
  gateway.ask("GET / HTTP/1.1", basic("alice", "secret"));
  CHECK("Authorization: " + header_of(app.server.requests()[0], "Authorization") + "\r\n" == basic("al", "pw1"));
  gateway.ask("GET / HTTP/1.1", basic("bob", "secret"));
  CHECK_FALSE(has_header(app.server.requests()[1], "Authorization"));
  std::ofstream(file) << "alice al\n";
  CHECK(error_of(junction) == "junction /: " + file + ":1 has not three words");
}

TEST_CASE("methods are blocked as the list says, and need their permission") {
  const Named app("app");
  GatewayConfig config{.junctions = {tcp_junction("/", {app.port()})}};
  const TestGateway plain(config);
  for (const char* method : {"TRACE", "PUT", "DELETE"}) {
    INFO(method);
    CHECK(status_of(plain.ask(std::string(method) + " /x HTTP/1.1", "Content-Length: 0\r\n")) == "405");
  }
  CHECK(header_of(plain.ask("PUT / HTTP/1.1", "Content-Length: 0\r\n"), "Allow") == "GET, HEAD, POST, OPTIONS, PATCH");
  CHECK(status_of(plain.ask("PATCH / HTTP/1.1", "Content-Length: 0\r\n")) == "403");
  config.blocked_methods = {"POST"};
  config.access = {{"/", AccessRule::Who::everybody, {}, {}, "Trd"}};
  const TestGateway other(config);
  CHECK(status_of(other.ask("POST / HTTP/1.1", "Content-Length: 0\r\n")) == "405");
  CHECK(status_of(other.ask("PUT / HTTP/1.1", "Content-Length: 0\r\n")) == "403");
  CHECK(status_of(other.ask("DELETE / HTTP/1.1")) == "200");
}

TEST_CASE("OPTIONS that may go no further is answered here") {  // RFC 9110 section 7.6.2
  const Named app("app");
  const TestGateway gateway({.junctions = {tcp_junction("/", {app.port()})}});
  const std::string answer = gateway.ask("OPTIONS / HTTP/1.1", "Max-Forwards: 0\r\n");
  CHECK(status_of(answer) == "204");
  CHECK(header_of(answer, "Allow") == "GET, HEAD, POST, OPTIONS, PATCH");
  CHECK(app.server.requests().empty());
  CHECK(status_of(gateway.ask("OPTIONS / HTTP/1.1", "Max-Forwards: 3\r\n")) == "200");
}

TEST_CASE("policies are met or it is 403") {
  const Named app("app");
  GatewayConfig config{.junctions = {tcp_junction("/", {app.port()})}};
  ObjectPolicy tls, near;
  tls.path = "/tls";
  tls.protection = ObjectPolicy::Protection::privacy;
  near.path = "/near";
  near.clients = {"192.0.2.0/24"};
  config.policies = {tls, near};
  config.trusted_proxies = {"127.0.0.0/8"};
  const TestGateway gateway(config);
  CHECK(status_of(gateway.ask("GET /tls/x HTTP/1.1")) == "403");
  CHECK(status_of(gateway.ask("GET /near HTTP/1.1")) == "403");
  CHECK(status_of(gateway.ask("GET /x HTTP/1.1")) == "200");
  CHECK(status_of(gateway.ask("GET /near HTTP/1.1", "X-Forwarded-For: 10.0.0.1, 192.0.2.7\r\n")) == "200");
  CHECK(status_of(gateway.ask("GET /near HTTP/1.1", "X-Forwarded-For: 192.0.2.7, 10.0.0.1\r\n")) == "403");
  CHECK(status_of(gateway.ask("GET /near HTTP/1.1", "X-Forwarded-For: 192.0.2.7, 127.0.0.9\r\n")) == "200");
}

TEST_CASE("an X-Forwarded-For that nobody vouches for is worth nothing") {  // caddy-security 266
  GatewayConfig config{.junctions = {local_junction("/")}};
  ObjectPolicy near;
  near.path = "/";
  near.clients = {"192.0.2.0/24"};
  config.policies = {near};
  const TestGateway gateway(config);
  CHECK(status_of(gateway.ask("GET / HTTP/1.1", "X-Forwarded-For: 192.0.2.7\r\n")) == "403");
}

TEST_CASE("limits have status codes of their own") {
  const Named app("app");
  GatewayConfig config{.junctions = {tcp_junction("/", {app.port()})}};
  config.max_body = 10;
  config.max_head = 2000;
  config.timeouts.fragment = std::chrono::milliseconds(50);
  const TestGateway gateway(config);
  CHECK(status_of(gateway.ask("POST / HTTP/1.1", "Content-Length: 10\r\n", "0123456789")) == "200");
  CHECK(status_of(gateway.ask("POST / HTTP/1.1", "Content-Length: 11\r\n", "0123456789x")) == "413");
  CHECK(status_of(gateway.ask("POST / HTTP/1.1", "Transfer-Encoding: chunked\r\n", "b\r\n0123456789x\r\n0\r\n\r\n")) == "413");
  CHECK(status_of(gateway.ask("GET / HTTP/1.1", "X: " + std::string(2000, 'x') + "\r\n")) == "431");
  Peer stalled = gateway.connect();
  stalled.send("POST / HTTP/1.1\r\nHost: lab\r\nContent-Length: 5\r\n\r\nab");
  CHECK(status_of(stalled.read_response()) == "408");
  CHECK(stalled.ended());
}

TEST_CASE("empty lines before a request are skipped") {  // RFC 9112 section 2.2
  const TestGateway gateway({.junctions = {local_junction("/")}});
  Peer client = gateway.connect();
  client.send("\r\n");
  client.send("\r\nGET / HTTP/1.1\r\nHost: lab\r\n\r\n\r\n");
  CHECK(status_of(client.read_response()) == "200");
  client.send("GET / HTTP/1.1\r\nHost: lab\r\n\r\n");
  CHECK(status_of(client.read_response()) == "200");
}
