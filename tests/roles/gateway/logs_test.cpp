#include "gateway_fixture.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>
#include <regex>
#include <thread>

using namespace lab;
using namespace lab::gateway;
using namespace lab::gateway::test;

namespace {

GatewayConfig logging_to(const Folder& folder) {
  GatewayConfig config;
  config.junctions = {local_junction("/")};
  config.logs.request = folder.path / "request.log";
  config.logs.agent = folder.path / "agent.log";
  config.logs.referer = folder.path / "referer.log";
  return config;
}

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::vector<std::string> lines;
  std::istringstream text(text_of(file));
  for (std::string line; std::getline(text, line);) {
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

TEST_CASE("each request is a line in common log format, whatever became of it") {
  const Folder folder;
  GatewayConfig config = with_directory(logging_to(folder));
  config.access = {{"/gone", AccessRule::Who::nobody, {}, {}}};
  TestGateway gateway(config);
  gateway.ask("GET /page/5.8KB?q=\"1\" HTTP/1.1", basic("alice", "secret") + "User-Agent: test \"1\"\r\nReferer: http://lab/\r\n");
  gateway.ask("GET / HTTP/1.1");
  gateway.ask("HEAD /gone HTTP/1.1");
  Peer client = gateway.connect();
  client.send("nonsense\x01\r\n\r\n");
  client.read_response();
  CHECK(gateway.call("logs.flush").at("lines").to_number<int>() == 4);
  const auto lines = lines_of(folder.path / "request.log");
  REQUIRE(lines.size() == 4);
  const std::string time = R"(\[\d\d/\w\w\w/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}\])";
  CHECK(std::regex_match(lines[0],
                         std::regex(R"(127\.0\.0\.1 - alice )" + time + R"( "GET /page/5\.8KB\?q=\\x221\\x22 HTTP/1\.1" 200 5939)")));
  CHECK(std::regex_match(lines[1], std::regex(R"(127\.0\.0\.1 - - )" + time + R"( "GET / HTTP/1\.1" 401 \d+)")));
  CHECK(std::regex_match(lines[2], std::regex(R"(127\.0\.0\.1 - - )" + time + R"( "HEAD /gone HTTP/1\.1" 403 0)")));
  CHECK(std::regex_match(lines[3], std::regex(R"(127\.0\.0\.1 - - )" + time + R"( "nonsense\\x01" 400 \d+)")));
  CHECK(lines_of(folder.path / "agent.log") == std::vector<std::string>{"test \\x221\\x22", "-", "-", "-"});
  CHECK(lines_of(folder.path / "referer.log")[0] == "http://lab/");
  const auto stats = gateway.call("stats");
  CHECK(stats.at("requests").to_number<int>() == 4);
  CHECK(stats.at("log_lines").to_number<int>() == 4);
  CHECK(stats.at("log_errors").to_number<int>() == 0);
  CHECK(stats.at("responses").at("401").to_number<int>() == 1);
}

TEST_CASE("lines are whole and none is missing, whatever thread wrote them") {
  const Folder folder;
  GatewayConfig config = logging_to(folder);
  config.service.threads = 3;
  TestGateway gateway(config);
  std::vector<std::thread> clients;
  for (int i = 0; i < 6; ++i) {
    clients.emplace_back([&gateway] {
      Peer client = gateway.connect();
      for (int k = 0; k < 500; ++k) {
        client.send("GET / HTTP/1.1\r\nHost: lab\r\n\r\n");
        client.read_response();
      }
    });
  }
  for (std::thread& client : clients) {
    client.join();
  }
  CHECK(gateway.call("logs.flush").at("lines").to_number<int>() == 3000);
  const auto lines = lines_of(folder.path / "request.log");
  CHECK(lines.size() == 3000);
  CHECK(std::all_of(lines.begin(), lines.end(), [](const std::string& line) { return line.ends_with("\" 200 100"); }));
  CHECK(gateway.call("stats").at("connections").to_number<int>() == 6);
}

TEST_CASE("a log emptied while the gateway runs goes on from its start") {
  const Folder folder;
  TestGateway gateway(logging_to(folder));
  gateway.ask("GET / HTTP/1.1");
  gateway.call("logs.flush");
  std::filesystem::resize_file(folder.path / "request.log", 0);
  gateway.ask("GET / HTTP/1.1");
  gateway.call("logs.flush");
  CHECK(lines_of(folder.path / "request.log").size() == 1);
}

TEST_CASE("a full disk is told once and does not stop the serving") {
  GatewayConfig config;
  config.junctions = {local_junction("/")};
  config.logs.request = "/dev/full";
  config.service.plain = {{"127.0.0.1", 0}};
  std::atomic<int> told{0};
  std::string what;
  ServiceOptions options;
  options.report = [&](const Error& error) {
    what = to_string(error);
    ++told;
  };
  auto service = gateway::Service::start(config, options).value();
  const std::string url = service->listening().front();
  Peer client = Peer::connect(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
  for (int i = 0; i < 3; ++i) {
    client.send("GET / HTTP/1.1\r\nHost: lab\r\n\r\n");
    CHECK(status_of(client.read_response()) == "200");
    CHECK(service->control("logs.flush", {}));
  }
  CHECK(told == 1);
  CHECK(what == "cannot write the log /dev/full: No space left on device\n  make room; lines are lost until then, requests are served");
  const auto stats = service->control("stats", {}).value().as_object();
  CHECK(stats.at("log_lines").to_number<int>() == 3);
  CHECK(stats.at("log_errors").to_number<int>() == 3);
}

TEST_CASE("/dev/null is written to like a file") {
  GatewayConfig config;
  config.junctions = {local_junction("/")};
  config.logs.request = "/dev/null";
  TestGateway gateway(config);
  gateway.ask("GET / HTTP/1.1");
  CHECK(gateway.call("logs.flush").at("lines").to_number<int>() == 1);
}

TEST_CASE("control answers ping and knows what it does not know") {
  const TestGateway gateway({.junctions = {local_junction("/")}});
  TestGateway other({.junctions = {local_junction("/")}});
  CHECK(other.call("ping").empty());
  CHECK(to_string(other.service().control("nonsense", {}).error()) ==
        "no such method\n  at nonsense\n  the gateway answers stats, ping, logs.flush and junction.…");
}

TEST_CASE("a configuration that cannot work is told before anything runs") {
  const auto told = [](GatewayConfig config) {
    if (config.service.plain.empty()) {
      config.service.plain = {{"127.0.0.1", 0}};
    }
    const auto service = gateway::Service::start(config);
    return service ? "started" : to_string(service.error());
  };
  const TestGateway running({.junctions = {local_junction("/")}});
  GatewayConfig taken{.junctions = {local_junction("/")}};
  taken.service.plain = {{"127.0.0.1", running.port()}};
  taken.service.threads = 2;
  CHECK(told(taken).starts_with("cannot listen on 127.0.0.1:" + std::to_string(running.port()) + ": Address already in use\n"));
  CHECK(told({.junctions = {local_junction("/a"), local_junction("/a/")}}) ==
        "junction /a: the mount point is taken twice\n  give each junction a point of its own");
  CHECK(told({.junctions = {tcp_junction("/", {})}}) == "junction /: it has no server\n  give servers to tcp and ssl junctions only");
  GatewayConfig no_log{.junctions = {local_junction("/")}};
  no_log.logs.request = "/nonexistent/request.log";
  CHECK(
      told(no_log) ==
      "cannot open the log /nonexistent/request.log: No such file or directory\n  name a file in a folder that exists and can be written");
  GatewayConfig no_certificate{.junctions = {local_junction("/")}};
  no_certificate.service.tls = {{"127.0.0.1", 0}};
  CHECK(told(no_certificate) == "HTTPS needs a certificate and its key\n  give --cert FILE and --key FILE");
}

TEST_CASE("a log that has reached its size is renamed with the time, and no line is lost") {
  const Folder folder;
  GatewayConfig config = logging_to(folder);
  config.logs.max_size = 200;
  TestGateway gateway(config);
  constexpr int kRequests = 12;
  for (int i = 0; i < kRequests; ++i) {
    gateway.ask("GET / HTTP/1.1");
    gateway.call("logs.flush");
  }
  std::size_t files = 0, lines = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("request.log")) {
      ++files;
      lines += lines_of(entry.path()).size();
      CHECK(std::regex_match(name, std::regex(R"(request\.log(\.\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d(-\d+)?)?)")));
    }
  }
  CHECK(files > 3);
  CHECK(lines == kRequests);
}

TEST_CASE("with size 0 a log is never renamed") {
  const Folder folder;
  GatewayConfig config = logging_to(folder);
  config.logs.max_size = 0;
  TestGateway gateway(config);
  for (int i = 0; i < 5; ++i) {
    gateway.ask("GET / HTTP/1.1");
    gateway.call("logs.flush");
  }
  CHECK(lines_of(folder.path / "request.log").size() == 5);
}

TEST_CASE("the log may have columns of times and the junction") {
  const Folder folder;
  ScriptedServer server([](Peer& peer, int) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    peer.ended();
  });
  GatewayConfig config = logging_to(folder);
  config.junctions.push_back(tcp_junction("/app", {server.port()}));
  config.logs.total_time = config.logs.backend_time = config.logs.junction = true;
  TestGateway gateway(config);
  gateway.ask("GET /app/x HTTP/1.1");
  gateway.ask("GET / HTTP/1.1");
  gateway.call("logs.flush");
  const auto lines = lines_of(folder.path / "request.log");
  REQUIRE(lines.size() == 2);
  std::smatch found;
  REQUIRE(std::regex_search(lines[0], found, std::regex(R"(" 200 2 (\d+) (\d+) /app$)")));
  CHECK(std::stoi(found[2]) > 0);
  CHECK(std::stoi(found[1]) >= std::stoi(found[2]));
  CHECK(std::regex_search(lines[1], std::regex(R"(" 200 100 \d+ 0 /$)")));
}

TEST_CASE("a line is written once the flush time has passed, without being asked for") {
  const Folder folder;
  TestGateway gateway(logging_to(folder));
  gateway.ask("GET / HTTP/1.1");
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (lines_of(folder.path / "request.log").empty() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  CHECK(lines_of(folder.path / "request.log").size() == 1);
}
