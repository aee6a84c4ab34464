// The built binary as an agent: started, attached to, replaced and stopped as `lab up` does it, over a real sshd.
#include "agent/daemon.hpp"
#include "agent/client.hpp"
#include "agent/local_client.hpp"
#include "agent/role_files.hpp"
#include "lab/version.hpp"
#include "remote/sshd.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <csignal>
#include <future>
#include <thread>

using namespace std::chrono_literals;
using lab::Clock;
using lab::StandingNode;
using lab::test::Sshd;
namespace agent = lab::agent;
namespace remote = lab::remote;
namespace json = boost::json;
namespace fs = std::filesystem;

namespace {

class InstalledAgent {
 public:
  explicit InstalledAgent(const std::string& build = "build1") {
    node.name = "node1";
    node.directory = (folder_.path() / "it's the node").string();
    install(build);
  }
  InstalledAgent(const InstalledAgent&) = delete;
  InstalledAgent& operator=(const InstalledAgent&) = delete;
  ~InstalledAgent() {
    const auto connection = connect();
    static_cast<void>(agent::stop(*connection, node, Clock::now() + 20s));
  }

  std::unique_ptr<remote::Remote> connect() const {
    auto connection = remote::connect_ssh(sshd.target(), Clock::now() + 20s);
    REQUIRE(connection.has_value());
    return std::move(*connection);
  }
  void install(const std::string& build) const {
    const auto connection = connect();
    const auto done = agent::install(*connection, node, lab::remote::Binaries(LAB_BINARY), build, Clock::now() + 30s);
    INFO((done ? "" : to_string(done.error())));
    REQUIRE(done.has_value());
  }
  void attach(agent::Fleet& fleet) const {
    const auto done = fleet.add(node, connect(), Clock::now() + 20s);
    INFO((done ? "" : to_string(done.error())));
    REQUIRE(done.has_value());
  }
  remote::ProcessIdentity identity() const {
    const auto process = agent::read_identity(fs::path(node.directory) / "agent.pid");
    REQUIRE(process.has_value());
    return *process;
  }
  json::object start_pages(agent::Fleet& fleet) const {
    const auto started = fleet.call("node1", "role.start", {{"name", "pages"}, {"role", "pages"}, {"config", {{"http", {"127.0.0.1:0"}}}}},
                                    Clock::now() + 20s);
    INFO((started ? "" : to_string(started.error())));
    REQUIRE(started.has_value());
    return started->as_object();
  }

  Sshd sshd;
  StandingNode node;

 private:
  lab::test::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("an agent outlives the session that installed it, and installing it again changes nothing") {
  const InstalledAgent installed;
  const auto process = installed.identity();
  CHECK(remote::is_running(process));
  installed.install("build1");
  CHECK(installed.identity() == process);
}

TEST_CASE("an agent of another build is kept, or replaced with its roles where that is asked for") {
  const lab::test::TemporaryFolder folder;
  agent::Options options{folder.path() / "node", "node1", "build1", "/bin/false", {}};
  const auto identity = [&] { return agent::read_identity(options.directory / "agent.pid").value_or(remote::ProcessIdentity{}); };
  REQUIRE(agent::start_in_background(options, Clock::now() + 20s).has_value());
  const auto first = identity();
  CHECK(remote::is_running(first));

  options.build = "build2";
  const auto refused = agent::start_in_background(options, Clock::now() + 20s);
  REQUIRE(refused.has_error());
  CHECK(refused.error().what == "an agent of build build1 runs in " + options.directory.string());
  CHECK(identity() == first);

  options.replace = true;
  REQUIRE(agent::start_in_background(options, Clock::now() + 20s).has_value());
  CHECK_FALSE(remote::is_running(first));
  const auto second = identity();
  CHECK(remote::is_running(second));

  CHECK(agent::stop_in_background(options.directory, Clock::now() + 20s).has_value());
  CHECK_FALSE(remote::is_running(second));
  CHECK_FALSE(fs::exists(options.directory / "agent.sock"));
  CHECK(agent::stop_in_background(options.directory, Clock::now() + 20s).has_value());
  remote::reap(first.pid);
  remote::reap(second.pid);
}

TEST_CASE("an agent that cannot start says why") {
  const lab::test::TemporaryFolder folder;
  const auto done = agent::start_in_background({folder.path(), "node1", "build1", "/bin/false", {4095}}, Clock::now() + 20s);
  REQUIRE(done.has_error());
  CHECK(done.error().what.starts_with("pin to the CPUs given"));
}

TEST_CASE("a real role is started, asked, sampled and stopped over SSH") {
  const InstalledAgent installed;
  agent::Fleet fleet;
  installed.attach(fleet);
  CHECK(fleet.has("node1"));
  const auto started = installed.start_pages(fleet);
  CHECK(started.at("ready").at("listen").as_array().size() == 1);
  const auto stats = fleet.call("node1", "role.call", {{"name", "pages"}, {"method", "stats"}}, Clock::now() + 10s);
  REQUIRE(stats.has_value());
  CHECK(stats->as_object().contains("requests"));
  const auto sample = fleet.call("node1", "sample", {{"at", json::array()}}, Clock::now() + 10s);
  REQUIRE(sample.has_value());
  CHECK(sample->at("samples").at(0).at("roles").as_object().contains("pages"));
  const auto counted = fleet.call("node1", "sample", {{"at", json::array()}, {"stats", {"pages", "nobody"}}}, Clock::now() + 10s);
  REQUIRE(counted.has_value());
  const json::value& one = counted->at("samples").at(0);
  CHECK(one.at("stats").at("pages").at("pages") == 0);
  CHECK_FALSE(one.at("stats").as_object().contains("nobody"));
  CHECK(one.at("stats_known").as_int64() > one.at("taken").as_int64());
  const auto stopped = fleet.call("node1", "role.stop", {{"name", "pages"}}, Clock::now() + 20s);
  REQUIRE(stopped.has_value());
  CHECK(stopped->at("exit") == 0);
}

TEST_CASE("calls from several threads are answered each with its own") {
  const InstalledAgent installed;
  agent::Fleet fleet;
  installed.attach(fleet);
  const auto before = fleet.call("node1", "clock", {}, Clock::now() + 10s);
  REQUIRE(before.has_value());
  const std::int64_t now = before->at("monotonic_ns").as_int64();
  auto slow = std::async(std::launch::async, [&] {
    return fleet.call("node1", "sample", {{"at", {now + 300'000'000}}}, Clock::now() + 10s);
  });
  std::vector<std::future<bool>> quick;
  for (int i = 0; i < 8; ++i) {
    quick.push_back(std::async(std::launch::async, [&fleet, i] {
      const std::string name = "role" + std::to_string(i);
      const auto answer = fleet.call("node1", "role.wait", {{"name", name}}, Clock::now() + 10s);
      return answer.has_error() && answer.error().what == "no role `" + name + "` runs here";
    }));
  }
  for (auto& answer : quick) {
    CHECK(answer.get());
  }
  CHECK(slow.get().has_value());
}

TEST_CASE("errors name the node and the method, also of calls that meet their deadline") {
  const InstalledAgent installed;
  agent::Fleet fleet;
  installed.attach(fleet);
  const auto unknown = fleet.call("node1", "no.such", {}, Clock::now() + 10s);
  REQUIRE(unknown.has_error());
  CHECK(unknown.error().what == "no such method: no.such");
  CHECK(unknown.error().where == "node node1: no.such");

  const auto late = fleet.call("node1", "sample", {{"at", {INT64_MAX / 2}}}, Clock::now() + 100ms);
  REQUIRE(late.has_error());
  CHECK(late.error().what == "no answer in time");

  const auto elsewhere = fleet.call("node2", "clock", {}, Clock::now() + 10s);
  REQUIRE(elsewhere.has_error());
  CHECK(elsewhere.error().where == "node node2: clock");
}

TEST_CASE("an agent that is killed fails the calls that wait for it, and the next start ends its roles") {
  const InstalledAgent installed;
  agent::Fleet fleet;
  installed.attach(fleet);
  const int pages = static_cast<int>(installed.start_pages(fleet).at("pid").as_int64());
  const auto role = remote::identify(pages);
  REQUIRE(role.has_value());
  auto waiting = std::async(std::launch::async, [&] { return fleet.call("node1", "role.wait", {{"name", "pages"}}, Clock::now() + 20s); });
  kill(installed.identity().pid, SIGKILL);
  const auto lost = waiting.get();
  REQUIRE(lost.has_error());
  CHECK(lost.error().what == "the connection to the agent is lost: the agent closed the connection");
  CHECK(lost.error().remedy == "`lab status` shows what still answers");
  installed.install("build1");
  CHECK_FALSE(remote::is_running(*role));
}

TEST_CASE("stopping what is not there is success") {
  const Sshd sshd;
  const auto connection = remote::connect_ssh(sshd.target(), Clock::now() + 20s);
  REQUIRE(connection.has_value());
  StandingNode node;
  node.name = "node1";
  node.directory = (sshd.folder() / "absent").string();
  CHECK(agent::stop(**connection, node, Clock::now() + 20s).has_value());
  CHECK_FALSE(fs::exists(node.directory));
}

TEST_CASE("a folder that cannot be made is an error that names the node") {
  const Sshd sshd;
  const auto connection = remote::connect_ssh(sshd.target(), Clock::now() + 20s);
  REQUIRE(connection.has_value());
  StandingNode node;
  node.name = "node1";
  node.directory = "/proc/no/such";
  const auto done = agent::install(**connection, node, lab::remote::Binaries(LAB_BINARY), "build1", Clock::now() + 20s);
  REQUIRE(done.has_error());
  CHECK(done.error().what == "making the agent's folder fails with exit code 1");
  CHECK(done.error().where.starts_with("node node1: "));
}
