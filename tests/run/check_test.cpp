#include "run/check.hpp"

#include "fixtures.hpp"
#include "stats/histogram.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace lab;
using namespace lab::run;

namespace {

const char* const kSsl = "2/page=5.8KB/crypto=hardware/cpus=1/clients=8";

Edge edge(std::int64_t at_ns, std::uint64_t cpu_us, std::uint64_t user, std::uint64_t idle) {
  Edge e;
  e.at_ns = e.taken_ns = at_ns;
  e.cpu_us = cpu_us;
  e.user = user;
  e.idle = idle;
  e.host_cpus = 2;
  return e;
}

// 1 s, 1000 pages and 8 logins in all of two drivers, 800 of them in the measurement; the gateway at its 0.4 host CPUs.
struct Fixture {
  Standing standing = test::standing();
  Cell cell = test::cell(kSsl);
  Facts facts;
  Setup setup;
  Observation seen;

  Fixture() {
    test::FakeLab lab;
    facts = lab.bench(standing).facts;
    setup = *set_up(cell, standing, facts, {std::chrono::milliseconds(300), std::chrono::seconds(1)});
    for (const std::string node : {"client1", "client2"}) {
      DriverResult driver;
      driver.node = node;
      driver.total.started = driver.total.done = 500;
      driver.total.logins = 4;
      driver.responses = 504;
      driver.done = 400;
      driver.duration_s = 1;
      driver.service_us_mean = 10000;
      driver.busy_clients = 4;
      driver.tls_version = "1.2";
      driver.tls_cipher = "ECDHE-RSA-AES128-GCM-SHA256";
      stats::Histogram histogram;
      histogram.record(node == "client1" ? 1'000'000 : 3'000'000, 100);
      driver.histogram = histogram.encode();
      seen.drivers.push_back(driver);
    }
    seen.gateway_responses = 1008;
    seen.pages_served = 1000;
    cpu("webseal", 399'000);
    cpu("client1", 200'000);
    cpu("client2", 200'000);
    cpu("was", 160'000);
    cpu("tam", 1'000);
  }
  void cpu(const std::string& node, std::uint64_t us) {
    seen.edges[node] = {edge(300'000'000, 1000, 0, 0), edge(1'300'000'000, 1000 + us, 980'000, 1'020'000)};
  }
  HostCpus allotments() const { return allotments_of(standing, facts, setup.gateway, setup.cpus); }
  Side side() const { return conclude(seen, setup, standing, allotments()); }
  std::vector<Finding> counts() const { return reconcile(seen, setup, cell.scenario); }
  std::vector<Finding> noise() const { return find_noise(seen, standing); }
  std::vector<Finding> limits() const { return find_limits(side(), setup, standing, allotments()); }
};

using Findings = std::vector<Finding>;

}  // namespace

TEST_CASE("a side's numbers: throughput, CPU shares of allotments and machines, CPU time a page, service times of both drivers") {
  const Fixture f;
  const Side side = f.side();
  CHECK(side.cell == kSsl);
  CHECK(side.pages_per_s == Approx(800));
  CHECK(side.cpu.at("webseal") == Approx(0.9975));  // of one lab CPU, 0.4 host CPUs
  CHECK(side.cpu.at("client1") == Approx(0.2));     // of the core that it is pinned to
  CHECK(side.cpu_us_per_page.at("webseal") == Approx(498.75));
  CHECK(side.machines.at("host") == Approx((0.399 + 0.4 + 0.001) / 2));
  CHECK(side.machines.at("zos") == Approx(0.16));
  CHECK(side.service_us_p50 == Approx(1000).epsilon(0.002));
  CHECK(side.service_us_p99 == Approx(3000).epsilon(0.002));
  CHECK(side.counts.started == 1000);
  CHECK(side.counts.logins == 8);
  CHECK(side.counts.gateway == 1008);
  REQUIRE(side.slices.size() == 1);
  CHECK(side.slices[0].start_ns == 300'000'000);
  CHECK(side.slices[0].s == 1);
  CHECK(side.slices[0].done == 800);
  CHECK(side.slices[0].cpu_us.at("webseal") == 399'000);
}

TEST_CASE("an LPAR's share is of its CPUs: all that runs on it where a guest may see that, else the lab's guests") {
  Fixture f;
  std::vector<Edge>& edges = f.seen.edges.at("was");
  for (Edge& edge : edges) {
    edge.carrier_cpus = 10;
  }
  CHECK(f.side().machines.at("zos") == Approx(0.016));
  edges.front().carrier_us = 7'000'000;
  edges.back().carrier_us = 9'000'000;
  edges.back().carrier_at_ns = edges.front().carrier_at_ns + 1'000'000'000;
  CHECK(f.side().machines.at("zos") == Approx(0.2));
}

TEST_CASE("what adds up is not flagged") {
  const Fixture f;
  CHECK(f.counts() == Findings{});
  CHECK(f.limits() == Findings{});
  CHECK(f.noise() == Findings{});
}

TEST_CASE("pages that vanish at the driver are unreconciled") {
  Fixture f;
  f.seen.drivers[1].total.started = 501;
  CHECK(f.counts() == Findings{{"unreconciled", "client2: started 501, but done 500 + failed 0 + in flight 0 = 500"}});
}

TEST_CASE("a line too many or too few in the gateway's log is unreconciled") {
  Fixture f;
  f.seen.gateway_responses = 1007;
  CHECK(f.counts() == Findings{{"unreconciled", "the drivers had 1008 responses, logins included, the gateway logged 1007"}});
  f.seen.gateway_responses = 1009;
  f.seen.gateway_counter = true;
  CHECK(f.counts() == Findings{{"unreconciled", "the drivers had 1008 responses, logins included, the gateway counted 1009"}});
}

TEST_CASE("lines that the gateway could not write are unreconciled") {
  Fixture f;
  f.seen.log_errors = 2;
  CHECK(f.counts() == Findings{{"unreconciled", "the gateway could not write 2 log lines"}});
}

TEST_CASE("pages that the back end did not serve, or served unasked, are unreconciled; retries may be among them") {
  Fixture f;
  f.seen.pages_served = 999;
  CHECK(f.counts() ==
        Findings{{"unreconciled", "the drivers had 1000 pages through the junction, retries included, the back end served 999"}});
  f.seen.pages_served = 1002;
  CHECK(f.counts().size() == 1);
  f.seen.retries = 2;
  CHECK(f.counts() == Findings{});
}

TEST_CASE("what the drivers sent again may have been served twice, at the gateway and behind it") {
  Fixture f;
  f.seen.drivers[0].retries = 1;
  f.seen.drivers[1].retries = 1;
  CHECK(f.counts() == Findings{});
  f.seen.gateway_responses = 1010;
  f.seen.pages_served = 1002;
  CHECK(f.counts() == Findings{});
  f.seen.gateway_responses = 1011;
  f.seen.pages_served = 1003;
  CHECK(f.counts().size() == 2);
}

TEST_CASE("a local junction has no back end to reconcile with") {
  Fixture f;
  f.setup.pages.clear();
  f.seen.pages_served = 0;
  CHECK(f.counts() == Findings{});
}

TEST_CASE("TLS other than asked for is unreconciled") {
  Fixture f;
  f.seen.drivers[0].tls_version = "1.3";
  f.seen.drivers[1].tls_cipher = "AES128-SHA";
  CHECK(f.counts() == Findings{{"unreconciled", "client1: TLS 1.2 was asked for, negotiated: 1.3"},
                               {"unreconciled", "client2: cipher ECDHE-RSA-AES128-GCM-SHA256 was asked for, negotiated: AES128-SHA"}});
}

TEST_CASE("throughput times service time that is not the clients is unreconciled, unless connections or logins take the rest") {
  Fixture f;
  f.seen.drivers[0].busy_clients = f.seen.drivers[1].busy_clients = 3.2;
  CHECK(f.counts() == Findings{{"unreconciled", "throughput × mean service time is 6.4 clients, not 8"}});
  f.cell.scenario.tls.handshake = HandshakeMode::full;
  CHECK(f.counts() == Findings{});
  f.seen.drivers[0].busy_clients = f.seen.drivers[1].busy_clients = 4.8;
  CHECK(f.counts() == Findings{{"unreconciled", "throughput × mean service time is 9.6 clients, not 8"}});
}

TEST_CASE("failed requests are errors, and may or may not have reached the gateway") {
  Fixture f;
  f.seen.drivers[0].total.done = 497;
  f.seen.drivers[0].total.failed = 3;
  f.seen.drivers[0].total.errors = {{"timeout", 2}, {"status", 1}, {"body", 0}};
  f.seen.drivers[0].responses = 502;
  const Findings errors{{"errors", "3 of 1000 requests failed: status 1 timeout 2"}};
  CHECK(f.counts() == errors);
  f.seen.gateway_responses = 1006;
  f.seen.pages_served = 997;
  CHECK(f.counts() == errors);
  f.seen.gateway_responses = 1005;
  CHECK(f.counts().size() == 2);
}

TEST_CASE("requests in flight at the end are told") {
  Fixture f;
  f.seen.drivers[0].total.done = 499;
  f.seen.drivers[0].total.in_flight = 1;
  f.seen.drivers[0].responses = 503;
  CHECK(f.counts() == Findings{{"drain", "1 requests were still in flight at the end"}});
}

TEST_CASE("a gateway that is not saturated is flagged, with who held it up") {
  Fixture f;
  f.cpu("webseal", 340'000);
  CHECK(f.limits() == Findings{{"unsaturated", "the gateway used 85.0% of its CPUs"}});

  f.cpu("client1", 390'000);
  f.cpu("client2", 380'000);  // with was, 93% of the core that they share
  auto found = f.limits();
  REQUIRE(found.size() >= 2);
  CHECK(found[1] == Finding{"driver-bound", "client1 used 39.0% of its CPUs, which it may share"});

  f.cpu("was", 600'000);
  found = f.limits();
  CHECK(found[1].flag == "backend-bound");
}

TEST_CASE("a node other than the gateway that its own limit holds up is throttled") {
  Fixture f;
  f.standing.lab.nodes[4].cpus = 1;
  f.cpu("webseal", 200'000);
  f.cpu("was", 398'000);
  const auto found = f.limits();
  REQUIRE(found.size() >= 3);
  CHECK(found[1].flag == "backend-bound");
  CHECK(found[2] == Finding{"throttled", "was is limited to 1.0 CPUs"});
}

TEST_CASE("a host that others use, steal from or stall is noisy") {
  Fixture f;
  for (auto& [node, edges] : f.seen.edges) {
    edges[1] = edge(1'300'000'000, edges[1].cpu_us, 1'200'000, 800'000);
  }
  CHECK(f.noise() == Findings{{"noisy-host", "the host: 12.0% of the CPU time was used by others than the lab's nodes"}});
  for (auto& [node, edges] : f.seen.edges) {
    edges[1] = edge(1'300'000'000, edges[1].cpu_us, 960'000, 840'000);
    edges[1].steal = 200'000;
  }
  CHECK(f.noise() == Findings{{"noisy-host", "the host: 10.0% of the CPU time was neither idle nor used by a process"}});
  for (auto& [node, edges] : f.seen.edges) {
    edges[1] = edge(1'300'000'000, edges[1].cpu_us, 960'000, 900'000);
  }
  CHECK(f.noise() == Findings{{"noisy-host", "the host: 7.0% of the CPU time was neither idle nor used by a process"}});
  for (auto& [node, edges] : f.seen.edges) {  // the exact account knows better than the ticks
    edges[0].accounted = 5'000'000;
    edges[1].accounted = 5'000'000 + 1'060'000;
  }
  CHECK(f.noise().empty());
  for (auto& [node, edges] : f.seen.edges) {
    edges[1].accounted += 150'000;
  }
  CHECK(f.noise() == Findings{{"noisy-host", "the host: 12.5% of the CPU time was used by others than the lab's nodes"}});
}

TEST_CASE("a trial whose second half went otherwise than its first has not settled") {
  Fixture f;
  f.seen.drivers[0].first_half = f.seen.drivers[1].first_half = 200;
  f.seen.drivers[0].second_half = f.seen.drivers[1].second_half = 220;
  CHECK(find_drift(f.seen).empty());
  f.seen.drivers[1].second_half = 280;
  CHECK(find_drift(f.seen) == Findings{{"unsettled", "the measurement's second half had 25.0% more pages than its first"}});
  CHECK(find_drift(std::log(0.75)) == Findings{{"unsettled", "the ratio of the sides was 25.0% lower in the second half of the trial"}});
  CHECK(find_drift(std::log(1.1)).empty());
}

TEST_CASE("an open loop has latencies of all drivers together, and need not saturate the gateway") {
  Fixture f;
  f.setup.open_loop = true;
  f.cell.scenario.rate = 800;
  f.cpu("webseal", 100'000);
  for (DriverResult& driver : f.seen.drivers) {
    stats::Histogram latency;
    latency.record(driver.node == "client1" ? 2'000'000 : 6'000'000, 100);
    driver.latency = latency.encode();
    driver.due = 400;
    driver.busy_clients = 1;
  }
  const Side side = f.side();
  REQUIRE(side.latency_us);
  CHECK(side.latency_us->p50 == Approx(2000).epsilon(0.01));
  CHECK(side.latency_us->p99 == Approx(6000).epsilon(0.01));
  CHECK(f.limits().empty());
  CHECK(f.counts().empty());
}

TEST_CASE("a closed loop has no latency") { CHECK_FALSE(Fixture().side().latency_us); }

TEST_CASE("a rate of which over 1% was not begun is missed") {
  Fixture f;
  f.cell.scenario.rate = 800;
  f.seen.drivers[0].due = f.seen.drivers[1].due = 400;
  f.seen.drivers[1].unstarted = 8;
  CHECK(f.counts().empty());
  f.seen.drivers[1].unstarted = 9;
  CHECK(f.counts() == Findings{{"rate-missed", "9 of 800 requests that were due found no free client; more `clients`, or a lower `rate`"}});
}
