#include "report/observations.hpp"

#include "sample.hpp"

#include "report/host.hpp"
#include "report/key_findings.hpp"

#include <algorithm>

using namespace lab;
using namespace lab::report;
using namespace lab::report::test;

namespace {

Run scaling(const std::vector<double>& one, const std::vector<double>& two) {
  Run run;
  add_cell(run, "1", {{"page", "5.8KB"}, {"cpus", "1"}, {"clients", "8"}}, one);
  add_cell(run, "1", {{"page", "5.8KB"}, {"cpus", "2"}, {"clients", "8"}}, two);
  return run;
}

}  // namespace

TEST_CASE("observations say how much, how surely, and what limits") {
  const Run run = scaling(around(1000), around(2000));
  const auto all = observations(run, scenarios(run).front());
  REQUIRE(all.size() == 3);
  CHECK(all[0] == "Throughput runs from 1,000 pages/s (990–1,010) with 1 CPU to 2,000 pages/s (1,980–2,020) with 2 CPUs.");
  CHECK(all[1] == "Going from 1 to 2 gateway CPUs: throughput ×\u202f2.00 (95% interval 2.00–2.00, n = 6).");
  CHECK(all[2] == "webseal limits 2 of 2 cells; it uses 99% of the CPU allotted to it.");
  CHECK(conclusion(run, scenarios(run).front()) ==
        "The CPU of webseal sets the rate in every cell. Gateway CPUs from 1 to 2 bring ×\u202f2.00.");
}

TEST_CASE("the latency of an open loop is told with its interval, the least and the greatest") {
  Run run = scaling(around(500), around(500));
  Scenario& scenario = run.playbook.scenarios.emplace_back();
  scenario.id = "1";
  scenario.rate = 500;
  run.results.cells[0].latency_us = Latency{{1500, 1400, 1600, 6}, {9000, 8000, 9900, 6}};
  run.results.cells[1].latency_us = Latency{{800, 700, 900, 6}, {2000, 1900, 2100, 6}};
  const auto all = observations(run, scenarios(run).front());
  REQUIRE(all.size() > 1);
  CHECK(all[1] ==
        "At 500 requests/s, latency from the instant at which a request was due: p99 2.00 ms (1.90–2.10, n = 6), p50 0.80 ms (0.70–0.90, "
        "n = 6) with 2 CPUs; p99 9.00 ms (8.00–9.90, n = 6), p50 1.50 ms (1.40–1.60, n = 6) with 1 CPU.");
}

TEST_CASE("an effect below the noise is not claimed, in no sentence") {
  const Run run = scaling({1000, 1100, 950, 1020, 1080, 990}, {1050, 1000, 1010, 990, 1100, 1030});
  CHECK(has(all_of(observations(run, scenarios(run).front())), "no effect that can be told from noise"));
  CHECK(has(conclusion(run, scenarios(run).front()), "bring nothing that can be told from noise"));
  CHECK(all_of(key_findings(run)) == "The effect of a second gateway CPU cannot be told from noise (scenario 1).\n");
}

TEST_CASE("few repeats are called indicative wherever their ratio stands") {
  const Run run = scaling({1000, 1010, 990}, {2000, 2010, 1990});
  CHECK(has(all_of(observations(run, scenarios(run).front())), "n = 3, indicative"));
  CHECK(has(conclusion(run, scenarios(run).front()), "(indicative: few repeats)"));
  CHECK(has(all_of(key_findings(run)), "indicative: 3 repeats"));
  CHECK(has(all_of(limitations(run)), "3 repeats a cell: indicative."));
}

TEST_CASE("a flag stands wherever the flagged number is used") {
  Run run = scaling(around(1000), around(2000));
  run.results.cells[1].flags = {"noisy-host"};
  const auto all = observations(run, scenarios(run).front());
  CHECK(has(all[0], "Flagged: noisy-host."));
  CHECK(has(all[1], "Flagged: noisy-host."));
  CHECK(has(conclusion(run, scenarios(run).front()), "flagged: noisy-host"));
  CHECK(has(all_of(key_findings(run)), "flagged: noisy-host"));
}

TEST_CASE("skipped cells are named with their reason, and nothing follows from none") {
  Run run = scaling(around(1000), around(2000));
  for (CellResult& cell : run.results.cells) {
    cell.status = "skipped";
    cell.reason = "no crypto adapter on this host";
  }
  const auto all = observations(run, scenarios(run).front());
  REQUIRE(all.size() == 1);
  CHECK(all[0] == "2 cells skipped: no crypto adapter on this host.");
  CHECK(conclusion(run, scenarios(run).front()) == "No cell of this scenario was measured, so nothing follows.");
}

TEST_CASE("an effect that is sure in some comparisons only is counted so") {
  Run run = scaling(around(1000), around(2000));
  add_cell(run, "1", {{"page", "5.8KB"}, {"cpus", "1"}, {"clients", "10"}}, {1000, 1100, 950, 1020, 1080, 990});
  add_cell(run, "1", {{"page", "5.8KB"}, {"cpus", "2"}, {"clients", "10"}}, {1050, 1000, 1010, 990, 1100, 1030});
  CHECK(has(conclusion(run, scenarios(run).front()), "(in 1 of 2 comparisons)"));
}

TEST_CASE("the advice on the log's disk follows the figures") {
  const auto advice = [](const std::vector<double>& own_disk) {
    Run run;
    add_cell(run, "log", {{"page", "5.8KB"}, {"log", "file"}, {"clients", "8"}}, around(1000));
    add_cell(run, "log", {{"page", "5.8KB"}, {"log", "own-disk"}, {"clients", "8"}}, own_disk);
    return conclusion(run, scenarios(run).front());
  };
  CHECK(has(advice(around(1200)), "A disk of its own for the log brings +20%: give it one."));
  CHECK(has(advice(around(800)), "nothing here speaks for one."));
  CHECK(has(advice({1000, 1100, 950, 1020, 1080, 990}), "Whether a disk of its own relieves the log cannot be told from noise here"));
}

TEST_CASE("what a two-core host cannot decide is said") {
  Run run = scaling(around(1000), around(2000));
  run.results.environment = {{"cores", 2}, {"cpu_unit", 0.4}, {"cpu_method", "quota"}, {"provider", "local"}};
  Claim claim;
  claim.says = "A second gateway CPU gives × 1.9";
  claim.needs_cpus = 4;
  run.playbook.claims = {claim, Claim{}};
  const std::string all = all_of(limitations(run));
  CHECK(has(all, "Not decided here, for want of CPUs: A second gateway CPU gives × 1.9.\n"));
  CHECK(has(all, "A gateway CPU is 0.4 of a host CPU here."));
  CHECK(has(all, "no claim is made on latency"));
  CHECK(has(all, "over loopback"));
  CHECK(has(all, "separate trials"));
}

TEST_CASE("how far the clocks of load nodes are apart is told, of the worst pass") {
  Run run = scaling(around(1000), around(2000));
  run.trials[0].clocks = {{"client1", {-1500, 40'000}}, {"client2", {900, 25'000}}};
  run.trials[1].clocks = {{"client1", {-1400, 62'000}}};
  const Facts facts = host_facts(run);
  const auto clocks = std::ranges::find(facts, std::string("Clocks of the load nodes"), &Facts::value_type::first);
  REQUIRE(clocks != facts.end());
  CHECK(clocks->second == "at most 1.50 µs from the controller's, known to ± 62.0 µs in the worst pass");
}

TEST_CASE("the study is spoken of for its own playbook only; notes of scenarios stand for every one") {
  Run run = scaling(around(1000), around(2000));
  run.results.environment = {{"cores", 2}, {"provider", "local"}};
  run.lab.nodes.resize(1);
  run.lab.nodes.front().roles = {Role::gateway};
  Scenario scenario;
  scenario.id = "1";
  scenario.notes = "the pages come from a cache";
  run.playbook.scenarios = {scenario};
  run.playbook.name = "starter";
  CHECK(substitutions(run) == Facts{{"Scenario 1", "the pages come from a cache"}});
  CHECK_FALSE(has(all_of(limitations(run)), "study"));
  run.playbook.name = "webseal-2007";
  CHECK(substitutions(run).front().first == "WebSEAL, the gateway under test");
}
