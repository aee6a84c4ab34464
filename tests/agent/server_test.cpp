#include "agent/rpc.hpp"
#include "agent/unix_socket.hpp"
#include "agent_test.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <catch2/catch.hpp>

using namespace std::chrono_literals;
using lab::Clock;
using lab::test::kServe;
using lab::test::TestAgent;
namespace agent = lab::agent;
namespace json = boost::json;
namespace fs = std::filesystem;

namespace {

std::string exchange(const std::string& socket, const std::string& text) {
  const auto connected = agent::connect_unix(socket);
  REQUIRE(connected.has_value());
  fcntl(connected->get(), F_SETFL, 0);
  REQUIRE(send(connected->get(), text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size()));
  shutdown(connected->get(), SHUT_WR);
  std::string answer;
  char buffer[4096];
  for (ssize_t got; (got = recv(connected->get(), buffer, sizeof buffer, 0)) > 0;) {
    answer.append(buffer, static_cast<std::size_t>(got));
  }
  return answer;
}

}  // namespace

TEST_CASE("hello tells who the agent is and what its machine can do") {
  const TestAgent node;
  const json::object hello = node.connect().hello();
  CHECK(hello.at("protocol") == 1);
  CHECK(hello.at("build") == "build1");
  CHECK(hello.at("node") == "node1");
  for (const char* key : {"pid", "arch", "kernel", "cpus", "openssl", "crypto", "monotonic_ns"}) {
    CAPTURE(key);
    CHECK(hello.contains(key));
  }
}

TEST_CASE("the first call is hello, of the same protocol") {
  const TestAgent node;
  CHECK(exchange(node.socket(), "{\"id\": 1, \"method\": \"clock\"}\n").find("the first call is hello") != std::string::npos);
  CHECK(
      exchange(node.socket(), "{\"id\": 1, \"method\": \"hello\", \"params\": {\"protocol\": 2}}\n").find("the agent speaks protocol 1") !=
      std::string::npos);
}

TEST_CASE("what is no message gets an error, and the agent goes on") {
  const TestAgent node;
  CHECK(exchange(node.socket(), "hello\n").find("not a JSON object") != std::string::npos);
  CHECK(exchange(node.socket(), "[1]\n").find("not a JSON object") != std::string::npos);
  CHECK(exchange(node.socket(), "\n").find("not a JSON object") != std::string::npos);
  CHECK(node.error("no.such").what == "no such method: no.such");
  CHECK(node.result("clock").contains("monotonic_ns"));
}

TEST_CASE("a message longer than 1 MiB ends its connection only") {
  const TestAgent node;
  CHECK(exchange(node.socket(), std::string(agent::kLineLimit, 'x')).find("a message is longer than 1 MiB") != std::string::npos);
  CHECK(node.result("clock").contains("monotonic_ns"));
}

TEST_CASE("a folder whose path is longer than a socket's may be") {
  const TestAgent node(true);
  CHECK(node.result("clock").contains("monotonic_ns"));
}

TEST_CASE("there is one agent a folder") {
  const TestAgent node;
  const auto second = agent::serve({node.folder(), "node1", "build1", "/bin/true", {}}, [] {});
  REQUIRE(second.has_error());
  CHECK(second.error().what == "another agent runs in " + node.folder().string());
}

TEST_CASE("several controllers are served at once, each while another waits") {
  const TestAgent node;
  node.start("role", kServe);
  auto waiting = std::async(std::launch::async, [&] { return node.call("role.wait", {{"name", "role"}, {"timeout_ns", 300'000'000}}); });
  auto first = node.connect();
  auto second = node.connect();
  CHECK(first.call("clock", {}, Clock::now() + 10s).has_value());
  CHECK(second.call("clock", {}, Clock::now() + 10s).has_value());
  const auto waited = waiting.get();
  REQUIRE(waited.has_error());
  CHECK(waited.error().what == "role role still runs");
}

TEST_CASE("shutdown ends the roles and removes the socket") {
  const TestAgent node;
  const auto role = node.start("role", kServe);
  CHECK(node.result("shutdown").empty());
  CHECK_FALSE(lab::remote::identify(static_cast<int>(role.at("pid").as_int64())).has_value());
}

TEST_CASE("a node without orders for long stops its roles and goes on") {
  const TestAgent node(false, 300ms);
  node.start("role", kServe);
  auto client = node.connect();
  const auto end = client.call("role.wait", {{"name", "role"}, {"timeout_ns", 20'000'000'000}}, Clock::now() + 30s);
  REQUIRE(end.has_value());
  CHECK(end->at("exit") == 0);
  CHECK(node.result("role.list").at("roles").at(0).at("state") == "exited");
}

TEST_CASE("samples are taken at the instants given, and never run backwards") {
  const TestAgent node;
  node.start("role", "echo '{}' >&3; exec 3>&-; while :; do :; done");
  const std::int64_t now = node.result("clock").at("monotonic_ns").as_int64();
  const auto samples = node.result("sample", {{"at", {now + 50'000'000, now + 100'000'000, now + 200'000'000}}}).at("samples").as_array();
  REQUIRE(samples.size() == 3);
  std::int64_t last_cpu = -1;
  for (const json::value& sample : samples) {
    CHECK(sample.at("taken").as_int64() >= sample.at("at").as_int64());
    const std::int64_t cpu = sample.at("roles").at("role").to_number<std::int64_t>();
    CHECK(cpu >= last_cpu);
    CHECK(sample.at("node").to_number<std::int64_t>() == cpu + sample.at("agent").to_number<std::int64_t>());
    for (const char* key : {"user", "system", "idle", "iowait", "steal", "irq", "cpus"}) {
      CHECK(sample.at("host").as_object().contains(key));
    }
    last_cpu = cpu;
  }
  CHECK(last_cpu > 0);
  node.result("role.stop", {{"name", "role"}, {"timeout_ns", 0}});
  const auto after = node.result("sample", {{"at", json::array()}}).at("samples").at(0);
  CHECK(after.at("roles").at("role").to_number<std::int64_t>() >= last_cpu);
  CHECK(node.error("sample", {{"at", {"soon"}}}).what == "an instant is a number of nanoseconds");
}

TEST_CASE("files are emptied and counted inside the folder only") {
  const TestAgent node;
  const fs::path inside = node.folder() / "logs/request.log";
  const fs::path outside = node.folder().parent_path() / "outside";
  fs::create_directory(node.folder() / "logs");
  lab::test::write_file(inside, "one\ntwo\nthree");
  lab::test::write_file(outside, "kept\n");
  fs::create_symlink(outside, node.folder() / "link");
  fs::create_directory_symlink(node.folder().parent_path(), node.folder() / "up");

  const auto counted = node.result("file.count", {{"path", inside.string()}});
  CHECK(counted.at("lines") == 2);
  CHECK(counted.at("bytes") == 13);
  CHECK(node.result("file.count", {{"path", "logs/absent"}}).at("lines") == 0);
  node.result("file.truncate", {{"paths", {"logs/request.log", "logs/absent"}}});
  CHECK(fs::file_size(inside) == 0);

  for (const std::string& path :
       {outside.string(), std::string("../outside"), std::string("link"), std::string("up/outside"), std::string(".")}) {
    CAPTURE(path);
    CHECK(node.error("file.truncate", {{"paths", {path}}}).what.find("is outside the agent's folder") != std::string::npos);
    CHECK(node.error("file.count", {{"path", path}}).what.find("is outside the agent's folder") != std::string::npos);
  }
  CHECK(lab::test::read_file(outside) == "kept\n");
}

TEST_CASE("files in the folder for logs are emptied and counted too, and no others beside it") {
  const TestAgent node;
  const std::string log = (node.logs() / "request.log").string();
  CHECK(node.error("file.count", {{"path", log}}).what.find("is outside") != std::string::npos);  // the disk is not mounted

  fs::create_directory(node.logs());
  CHECK(node.result("file.count", {{"path", log}}).at("lines") == 0);
  lab::test::write_file(log, "one\ntwo\n");
  CHECK(node.result("file.count", {{"path", log}}).at("lines") == 2);
  node.result("file.truncate", {{"paths", {log}}});
  CHECK(fs::file_size(log) == 0);

  const fs::path outside = node.logs().parent_path() / "outside";
  lab::test::write_file(outside, "kept\n");
  fs::create_symlink(outside, node.logs() / "link");
  for (const fs::path& path : {outside, node.logs(), node.logs() / "../outside", node.logs() / "link"}) {
    CAPTURE(path);
    CHECK(node.error("file.truncate", {{"paths", {path.string()}}}).what.find("is outside") != std::string::npos);
  }
  CHECK(lab::test::read_file(outside) == "kept\n");
}

TEST_CASE("an answer longer than a message may be is an error with its id") {
  const TestAgent node;
  CHECK(node.error("sample", {{"at", json::array(10'000, 0)}}).what == "the answer is longer than 1 MiB");
}
