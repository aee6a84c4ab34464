#include "agent/role_files.hpp"
#include "agent_test.hpp"

#include <unistd.h>
#include <catch2/catch.hpp>
#include <csignal>

using namespace std::chrono_literals;
using lab::Clock;
using lab::test::kServe;
using lab::test::TestAgent;
namespace agent = lab::agent;
namespace json = boost::json;
namespace fs = std::filesystem;

namespace {

int pid_of(const json::object& started) { return static_cast<int>(started.at("pid").as_int64()); }

}  // namespace

TEST_CASE("a role is started in a group and folder of its own and answers when it is ready") {
  const TestAgent node;
  const auto started = node.start("web.a", std::string("echo $ADDED >&2; pwd >&2; ") + kServe);
  CHECK(started.at("ready").as_object().contains("listen"));
  CHECK(getpgid(pid_of(started)) == pid_of(started));
  const auto log = node.result("role.log", {{"name", "web.a"}, {"lines", 10}}).at("text").as_string();
  CHECK(log == "by the order\n" + (node.folder() / "roles/web.a").string() + "\n");

  const auto config = json::parse(lab::test::read_file(node.folder() / "roles/web.a/config.json"));
  CHECK(config.at("control").as_string() == (node.folder() / "roles/web.a/control.sock").string());

  const auto listed = node.result("role.list").at("roles").as_array();
  REQUIRE(listed.size() == 1);
  CHECK(listed[0].at("name") == "web.a");
  CHECK(listed[0].at("state") == "running");

  const auto ended = node.result("role.stop", {{"name", "web.a"}, {"timeout_ns", 5'000'000'000}});
  CHECK(ended.at("exit") == 0);
  CHECK(node.result("role.list").at("roles").as_array().empty());
  CHECK_FALSE(lab::remote::identify(pid_of(started)).has_value());
}

TEST_CASE("the same order again is the role that runs; another one is refused") {
  const TestAgent node;
  const auto first = node.result("role.start", node.order("web", kServe));
  const auto again = node.result("role.start", node.order("web", kServe));
  CHECK(again.at("already") == true);
  CHECK(again.at("pid") == first.at("pid"));
  CHECK(node.error("role.start", node.order("web", std::string(kServe) + " ")).what == "role web runs with another configuration");
}

TEST_CASE("a role that ends before it is ready is an error with the end of its log") {
  const TestAgent node;
  const auto error = node.error("role.start", node.order("web", "echo no luck >&2; exit 3"));
  CHECK(error.what == "role web ended before it was ready, with exit code 3");
  CHECK(error.detail == "no luck\n");
}

TEST_CASE("a role that is not ready in time is killed") {
  const TestAgent node;
  auto order = node.order("web", "echo waiting >&2; exec sleep 100");
  order["timeout_ns"] = 300'000'000;
  const auto error = node.error("role.start", order);
  CHECK(error.what == "role web was not ready in time");
  CHECK(node.result("role.list").at("roles").at(0).at("exit") == 128 + SIGKILL);
  CHECK(node.result("role.start", node.order("web", kServe)).contains("pid"));  // and may be tried again
}

TEST_CASE("names and roles that are none are refused") {
  const TestAgent node;
  for (const char* name : {"../up", ".hidden", "a/b", "a b"}) {
    CAPTURE(name);
    CHECK(node.error("role.start", node.order(name, kServe)).what.starts_with("no role pages can be started as"));
    CHECK(node.error("role.log", {{"name", name}}).what.find("is no name of a role") != std::string::npos);
  }
  auto other = node.order("web", kServe);
  other["role"] = "rm";
  CHECK(node.error("role.start", other).what == "no role rm can be started as `web`");
  CHECK(node.error("role.start", {{"role", "pages"}}).what == "parameter name is missing, or no text");
  CHECK(node.error("role.wait", {{"name", "web"}}).what == "no role `web` runs here");
  CHECK(node.result("role.stop", {{"name", "web"}}).empty());
}

TEST_CASE("a role that ignores SIGTERM is killed at the deadline") {
  const TestAgent node;
  node.start("web", "trap '' TERM; echo {} >&3; while :; do sleep 0.05; done");
  CHECK(node.result("role.stop", {{"name", "web"}, {"timeout_ns", 100'000'000}}).at("exit") == 128 + SIGKILL);
}

TEST_CASE("what a role leaves in its process group ends with it") {
  const TestAgent node;
  const auto started =
      node.start("web", R"(sleep 100 & echo "{\"child\": $!}" >&3; exec 3>&-; trap 'exit 0' TERM; while :; do sleep 0.05; done)");
  const int child = static_cast<int>(started.at("ready").at("child").as_int64());
  const auto identity = lab::remote::identify(child);
  REQUIRE(identity.has_value());
  node.result("role.stop", {{"name", "web"}});
  CHECK(lab::remote::end_process_group(*identity, 0ns, Clock::now() + 5s).has_value());  // is gone, or going
  CHECK_FALSE(lab::remote::is_running(*identity));
}

TEST_CASE("a role that ends by itself is waited for, and its last line is its result") {
  const TestAgent node;
  node.start("driver", "echo {} >&3; echo progress; echo '{\"done\": 7}'; exit 4", "load");
  const auto ended = node.result("role.wait", {{"name", "driver"}, {"timeout_ns", 10'000'000'000}});
  CHECK(ended.at("exit") == 4);
  CHECK(ended.at("result").at("done") == 7);
  CHECK(node.result("role.wait", {{"name", "driver"}}).at("exit") == 4);
  CHECK(node.result("role.list").at("roles").at(0).at("exit") == 4);
  node.start("driver", "echo {} >&3; echo '{\"done\": 8}'", "load");  // another run of the same name
  CHECK(node.result("role.wait", {{"name", "driver"}, {"timeout_ns", 10'000'000'000}}).at("result").at("done") == 8);
}

TEST_CASE("a load whose controller is gone stops after its lease") {
  const TestAgent node;
  node.start("driver", kServe, "load");
  node.start("web", kServe);
  const auto begin = Clock::now();
  CHECK(node.result("role.wait", {{"name", "driver"}, {"timeout_ns", 20'000'000'000}}).at("exit") == 0);
  CHECK(Clock::now() - begin > 4s);
  CHECK(node.error("role.wait", {{"name", "web"}, {"timeout_ns", 0}}).what == "role web still runs");
}

TEST_CASE("whatever the roles of a node are called, its limit holds them") {
  const TestAgent node;
  node.result("cpu.limit", {{"cpus", 0.01}});
  const int pid = pid_of(node.start("driver", "echo '{}' >&3; exec 3>&-; while :; do :; done", "load"));
  const auto stopped = [pid] { return lab::test::read_file("/proc/" + std::to_string(pid) + "/stat").find(") T ") != std::string::npos; };
  const auto patience = Clock::now() + 10s;
  while (!stopped() && Clock::now() < patience) {
    node.result("lease");
  }
  CHECK(Clock::now() < patience);
}

TEST_CASE("a log that grows too long is begun anew") {
  const lab::test::TemporaryFolder folder;
  const agent::RoleFiles files(folder.path() / "web");
  REQUIRE(files.prepare({}).has_value());
  const auto log = files.open_log();
  REQUIRE(log.has_value());
  const std::string much(agent::kLogLimit, 'x');
  REQUIRE(write(log->get(), much.data(), much.size()) == static_cast<ssize_t>(much.size()));
  files.bound();
  CHECK(fs::file_size(files.log()) == agent::kLogLimit);
  REQUIRE(write(log->get(), "\nlast\n", 6) == 6);
  files.bound();
  CHECK(fs::file_size(files.log()) == 0);
  REQUIRE(write(log->get(), "next\n", 5) == 5);
  CHECK(lab::test::read_file(files.log()) == "next\n");
  CHECK(lab::test::read_file(files.log() + ".1").ends_with("last\n"));
}

TEST_CASE("the last lines of a log") {
  const lab::test::TemporaryFolder folder;
  const agent::RoleFiles files(folder.path());
  CHECK(files.last_log_lines(5).empty());
  lab::test::write_file(files.log(), "one\ntwo\nthree\n");
  CHECK(files.last_log_lines(2) == "two\nthree\n");
  CHECK(files.last_log_lines(1) == "three\n");
  CHECK(files.last_log_lines(3) == "one\ntwo\nthree\n");
  CHECK(files.last_log_lines(9) == "one\ntwo\nthree\n");
  CHECK(files.last_log_lines(0).empty());
}

TEST_CASE("a role's control socket is reached through the agent") {
  const TestAgent node(true);  // through a path that no socket address can hold
  if (!lab::remote::find_program("python3")) {
    WARN("no python3: a role with a control socket is not tried");
    return;
  }
  node.start("web", R"sh(exec python3 -c '
import socket, os, json
s = socket.socket(socket.AF_UNIX)
s.bind("control.sock")
s.listen()
os.write(3, b"{}\n")
os.close(3)
while True:
    c, _ = s.accept()
    f = c.makefile("rw")
    r = json.loads(f.readline())
    f.write(json.dumps({"id": r["id"], "result": {"asked": r["method"]}}) + "\n")
    f.flush()
')sh");
  CHECK(node.result("role.call", {{"name", "web"}, {"method", "stats"}}).at("asked") == "stats");
}
