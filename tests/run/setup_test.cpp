#include "run/setup.hpp"

#include "run/check.hpp"

#include "fixtures.hpp"

#include <catch2/catch.hpp>

using namespace lab;
using namespace lab::run;

namespace {

const Timing kTiming{std::chrono::milliseconds(300), std::chrono::seconds(2)};

Setup setup_of(const std::string& id, const Standing& standing = test::standing()) {
  test::FakeLab lab;
  auto setup = set_up(test::cell(id), standing, lab.bench(standing).facts, kTiming);
  if (!setup) {
    FAIL(to_string(setup.error()));
  }
  return *setup;
}

}  // namespace

TEST_CASE("clients are spread evenly over the load nodes, and start where the page is") {
  const Setup setup = setup_of("1/page=5.8KB/cpus=2/clients=10");
  REQUIRE(setup.drivers.size() == 2);
  CHECK(setup.drivers[0].load.clients == 5);
  CHECK(setup.drivers[1].load.clients == 5);
  CHECK(setup.drivers[0].load.url == "http://127.1.0.3:8080/app/page/5.8KB");
  CHECK(setup.drivers[0].load.expect_pages);
  CHECK(setup.drivers[0].load.threads == 1);
  CHECK(setup.drivers[0].load.warmup == kTiming.warmup);
  CHECK(setup.drivers[0].load.duration == kTiming.measure);
  CHECK(setup.drivers[0].load.login == LoginMode::none);
  CHECK(setup.drivers[0].load.ca.empty());
}

TEST_CASE("a scenario's rate is shared out as its clients are, and the drivers take turns") {
  test::FakeLab lab;
  const Standing standing = test::standing();
  Cell cell = test::cell("1/page=5.8KB/cpus=2/clients=10");
  CHECK_FALSE(setup_of(cell.id).open_loop);
  CHECK_FALSE(setup_of(cell.id).drivers[0].load.rate);
  cell.scenario.rate = 500;
  const auto setup = set_up(cell, standing, lab.bench(standing).facts, kTiming);
  REQUIRE(setup);
  CHECK(setup->open_loop);
  REQUIRE(setup->drivers.size() == 2);
  CHECK(setup->drivers[0].load.rate == 250);
  CHECK(setup->drivers[1].load.rate == 250);
  CHECK(setup->drivers[0].load.first_arrival == std::chrono::nanoseconds(0));
  CHECK(setup->drivers[1].load.first_arrival == std::chrono::milliseconds(2));
}

TEST_CASE("the gateway gets the scenario's junction, as many threads as lab CPUs, and rules as the scenario logs in") {
  const Setup open = setup_of("1/page=5.8KB/cpus=2/clients=8");
  CHECK(open.gateway == "webseal");
  CHECK(open.cpus == 2);
  CHECK(open.config.service.threads == 2);
  REQUIRE(open.config.junctions.size() == 1);
  CHECK(open.config.junctions[0].point == "/app");
  CHECK(open.config.junctions[0].servers == std::vector<Endpoint>{{"127.1.0.5", 9080}});
  REQUIRE(open.config.access.size() == 1);
  CHECK(open.config.access[0].allow == AccessRule::Who::everybody);
  CHECK(open.pages == std::vector<std::string>{"was"});
  CHECK(open.crypto == CryptoSwitch::untouched);

  const Setup closed = setup_of("2/page=5.8KB/crypto=software/cpus=1/clients=8");
  CHECK(closed.config.access[0].allow == AccessRule::Who::authenticated);
  CHECK(closed.crypto == CryptoSwitch::software);
  CHECK(closed.environment.contains("OPENSSL_ia32cap"));
  CHECK(setup_of("2/page=5.8KB/crypto=hardware/cpus=1/clients=8").environment.empty());
}

TEST_CASE("a scenario's junction and rule take the place of standing ones at its point") {
  Standing standing = test::standing();
  standing.lab.nodes[2].gateway.junctions = {{"/app", JunctionType::ssl, {"was"}, {}}, {"/other", JunctionType::tcp, {"was"}, {}}};
  standing.lab.nodes[2].gateway.access = {{"/app", AccessRule::Who::nobody, {}, {}}};
  const Setup setup = setup_of("1/page=5.8KB/cpus=1/clients=8", standing);
  REQUIRE(setup.config.junctions.size() == 2);
  CHECK(setup.config.junctions[0].point == "/other");
  CHECK(setup.config.junctions[1].type == JunctionType::tcp);
  REQUIRE(setup.config.access.size() == 1);
  CHECK(setup.config.access[0].allow == AccessRule::Who::everybody);
}

TEST_CASE("what back ends served is counted once a node, and not at all when some are outside the lab") {
  test::FakeLab lab;
  const Standing standing = test::standing();
  const Facts facts = lab.bench(standing).facts;
  Cell cell = test::cell("1/page=5.8KB/cpus=1/clients=8");
  cell.scenario.junction.servers = {"was", "was"};
  const auto twice = set_up(cell, standing, facts, kTiming);
  REQUIRE(twice);
  CHECK(twice->pages == std::vector<std::string>{"was"});
  CHECK(twice->pages_elsewhere.empty());

  cell.scenario.junction.servers = {"was", "203.0.113.9:80"};
  const auto outside = set_up(cell, standing, facts, kTiming);
  REQUIRE(outside);
  CHECK(outside->pages.empty());
  CHECK(reconcile(Observation{}, *outside, cell.scenario).front() ==
        Finding{"", "the pages that the back ends served are not checked: 203.0.113.9:80 is not a node of the lab"});
}

TEST_CASE("logs go to files, or to the null device") {
  CHECK(setup_of("1-log/page=5.8KB/clients=8/log=file").config.logs.request == "/state/webseal/logs/request.log");
  const GatewayLogs null = setup_of("1-log/page=5.8KB/clients=8/log=null").config.logs;
  CHECK(null.max_size == 0);  // never renamed during a run
  CHECK(null.request == "/dev/null");
  CHECK(null.agent == "/dev/null");
  CHECK(null.referer == "/dev/null");
  Standing standing = test::standing();
  standing.nodes[2].log_dir = "/disk2";
  CHECK(setup_of("1-log/page=5.8KB/clients=8/log=own-disk", standing).config.logs.request == "/disk2/request.log");
}

TEST_CASE("over HTTPS drivers verify the lab's certificates, ask for its TLS, and share no user") {
  const Setup setup = setup_of("5/page=100B/crypto=hardware/clients=8");
  REQUIRE(setup.drivers.size() == 2);
  const LoadConfig& first = setup.drivers[0].load;
  const LoadConfig& second = setup.drivers[1].load;
  CHECK(first.url == "https://127.1.0.3:8443/page/100B");
  CHECK(first.ca == "/state/client1/certs/ca.pem");
  CHECK(second.ca == "/state/client2/certs/ca.pem");
  CHECK(first.handshake == HandshakeMode::full);
  CHECK(first.login == LoginMode::every);
  CHECK(first.tls_min == TlsVersion::tls1_2);
  CHECK(first.tls_max == TlsVersion::tls1_2);
  CHECK(first.ciphers == "ECDHE-RSA-AES128-GCM-SHA256");
  CHECK(first.generated_users == 500U);
  CHECK(first.first_user == 1U);
  CHECK(second.first_user == 501U);
  CHECK(setup.pages.empty());
}

TEST_CASE("a lab that cannot carry a cell says what it lacks") {
  test::FakeLab lab;
  Standing standing = test::standing();
  const Facts facts = lab.bench(standing).facts;
  standing.lab.nodes[3].directory.users = 6;
  const auto few = set_up(test::cell("5/page=100B/crypto=hardware/clients=8"), standing, facts, kTiming);
  REQUIRE_FALSE(few);
  CHECK(few.error().what == "the directory has 6 users for 8 clients");
  standing.lab.nodes.erase(standing.lab.nodes.begin(), standing.lab.nodes.begin() + 2);
  CHECK(set_up(test::cell("1/page=5.8KB/cpus=1/clients=8"), standing, facts, kTiming).error().what == "the lab has no node with role load");
  CHECK(set_up(test::cell("1/page=5.8KB/cpus=1/clients=8"), Standing{}, facts, kTiming).error().what ==
        "the lab has no gateway that stands");
}

TEST_CASE("a cell's gateway is named by node or by kind, and what its program cannot do is skipped with the reason") {
  Standing standing = test::standing();
  Node nginx = standing.lab.nodes[2];
  nginx.name = "other";
  nginx.software = Software::nginx;
  standing.lab.nodes.push_back(nginx);
  Cell cell = test::cell("1/page=5.8KB/cpus=1/clients=8");
  CHECK(gateway_node(cell, standing.lab)->name == "webseal");
  cell.axes.emplace_back("gateway", "nginx");
  CHECK(gateway_node(cell, standing.lab)->name == "other");
  CHECK(why_not_here(cell, standing, {}).empty());
  cell.axes.back().second = "other";
  CHECK(gateway_node(cell, standing.lab)->name == "other");
  cell.axes.back().second = "haproxy";
  CHECK(why_not_here(cell, standing, {}) == "the lab has no gateway named haproxy, or of that kind");

  cell.axes.back().second = "nginx";
  cell.scenario.junction.identity.user = true;
  CHECK(why_not_here(cell, standing, {}) == "nginx sends no identity headers");
  cell.scenario.junction.type = JunctionType::local;
  CHECK(why_not_here(cell, standing, {}) == "nginx has no local junction");
  cell.scenario.login = LoginMode::once;
  CHECK(why_not_here(cell, standing, {}) == "nginx has no logins against an LDAP directory");
  cell.axes.back().second = "lab";
  CHECK(why_not_here(cell, standing, {}).empty());
}

TEST_CASE("of a gateway that is only driven nothing is set, and its counts are said to be unknown") {
  Standing standing = test::standing();
  standing.lab.nodes[2].software = Software::external;
  standing.nodes[2].external = true;
  const Cell cell = test::cell("1/page=5.8KB/cpus=1/clients=8");
  CHECK(why_not_here(cell, standing, {}) == "gateway webseal is external: its cpus cannot be set");
  const Setup setup = setup_of("1/page=5.8KB/cpus=1/clients=8", standing);
  CHECK(setup.external);
  CHECK(reconcile(Observation{}, setup, cell.scenario).front() ==
        Finding{"", "what the gateway answered is not counted there, and its CPU is not known: it is external"});
}

TEST_CASE("own-disk is skipped where there is no log-dir, or one on the same device") {
  Standing standing = test::standing();
  const Cell cell = test::cell("1-log/page=5.8KB/clients=8/log=own-disk");
  CHECK(why_not_here(cell, standing, {}) == "the lab gives node webseal no log-dir on a disk of its own");
  standing.lab.nodes[2].log_dir = "/disk2";
  CHECK(why_not_here(cell, standing, {}).empty());
  Facts facts;
  facts["webseal"].log_disk = "log-dir /disk2 is on the same device as the node's other files, sda";
  CHECK(why_not_here(cell, standing, facts) == "log-dir /disk2 is on the same device as the node's other files, sda");
}

TEST_CASE("as many guests are busy as the axis says, and a lab without them cannot carry the cell") {
  Standing standing = test::standing();
  Cell cell = test::cell("1/page=5.8KB/cpus=1/clients=8");
  cell.axes.emplace_back("busy", "2");
  CHECK(why_not_here(cell, standing, {}) == "the lab has 0 nodes of role guest, and 2 are to be busy");
  for (const char* name : {"guest1", "guest2", "guest3"}) {
    standing.lab.nodes.emplace_back();
    standing.lab.nodes.back().name = name;
    standing.lab.nodes.back().roles = {Role::guest};
  }
  CHECK(why_not_here(cell, standing, {}).empty());
  CHECK(set_up(cell, standing, {}, kTiming)->guests == std::vector<std::string>{"guest1", "guest2"});
  cell.axes.back().second = "0";
  CHECK(set_up(cell, standing, {}, kTiming)->guests.empty());
}
