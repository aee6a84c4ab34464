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
  config.logs = {folder.path / "request.log", folder.path / "agent.log", folder.path / "referer.log"};
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
    CHECK(service->control("logs.flush"));
  }
  CHECK(told == 1);
  CHECK(what == "cannot write the log /dev/full: No space left on device\n  make room; lines are lost until then, requests are served");
  const auto stats = service->control("stats").value().as_object();
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
  CHECK(to_string(other.service().control("nonsense").error()) ==
        "no such method\n  at nonsense\n  the gateway answers stats, ping and logs.flush");
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
        "junction /a/: the mount point is taken twice\n  give each junction a point of its own");
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
