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
        "The CPU of webseal sets the rate in every cell. Going from 1 to 2 gateway CPUs brings ×\u202f2.00 (95% interval 2.00).");
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
  CHECK(has(conclusion(run, scenarios(run).front()), "brings nothing that can be told from noise"));
  CHECK(all_of(key_findings(run)) == "The effect of a second gateway CPU cannot be told from noise (scenario 1).\n");
}

TEST_CASE("few repeats are called indicative wherever their ratio stands") {
  const Run run = scaling({1000, 1010, 990}, {2000, 2010, 1990});
  CHECK(has(all_of(observations(run, scenarios(run).front())), "n = 3, indicative"));
  CHECK(has(conclusion(run, scenarios(run).front()), "(range 1.99 to 2.01; indicative: few repeats)"));
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
  CHECK(has(conclusion(run, scenarios(run).front()), "(95% interval 2.00; in 1 of 2 comparisons)"));
}

TEST_CASE("the order of pages is told with its figures, where every step is sure") {
  Run run;
  const auto add = [&run](const char* page, const char* cpus, const std::vector<double>& rates) {
    add_cell(run, "2", {{"page", page}, {"cpus", cpus}, {"clients", "8"}}, rates);
  };
  add("5.8KB", "1", around(1000));
  add("5.8KB", "2", around(2000));
  add("12KB", "1", around(800));
  add("12KB", "2", around(1700));
  const auto order = [](const Run& of) { return all_of(observations(of, scenarios(of).front())); };
  CHECK(has(order(run),
            "Throughput falls as pages grow, 5.8 KB > 12 KB, in each of 2 settings: from 5.8 KB to 12 KB ×\u202f0.80 to "
            "×\u202f0.85 in 2 comparisons (95% intervals within 0.80 to 0.85; n = 6 each).\n"));
  add("2.9MB", "1", around(10));
  add("2.9MB", "2", {1500, 1800, 1900, 1600, 1750, 1650});
  CHECK(has(order(run), "Throughput falls as pages grow, 5.8 KB > 12 KB > 2.9 MB, in 1 of 2 settings: "));
  for (Trial& trial : run.trials) {
    for (Side& side : trial.sides) {
      side.pages_per_s = has(side.cell, "5.8KB") ? 1000 : 1000 + 10 * trial.block;
    }
  }
  CHECK(has(order(run), "That throughput falls as pages grow cannot be told from noise: "));
}

TEST_CASE("that gains grow with the page is said only where no interval of a step reaches the one before") {
  const auto order = [](double software_12k) {
    Run run;
    const auto add = [&run](const char* page, const char* crypto, double rate) {
      add_cell(run, "2", {{"page", page}, {"crypto", crypto}, {"clients", "8"}}, around(rate));
    };
    add("5.8KB", "software", 1000);
    add("5.8KB", "hardware", 1300);
    add("12KB", "software", software_12k);
    add("12KB", "hardware", 1200);
    return all_of(observations(run, scenarios(run).front()));
  };
  CHECK(has(order(750), "The gain from hardware crypto grows with the page, 5.8 KB < 12 KB: +30% (+30% to +30%), +60% (+60% to +60%).\n"));
  CHECK(has(order(1000), "That the gain from hardware crypto grows with the page cannot be told from noise: +30%"));
}

TEST_CASE("odd trials are told: flagged, failed, first after a resumption, far off the others") {
  Run run = scaling(around(1000), {2000, 2010, 1990, 2005, 1400, 1995});
  CHECK(anomalies(run, scenarios(run).front()) ==
        std::vector<std::string>{"Trial 11 is far off the others of 2 CPUs: 1,400 pages/s, where they have 1,990–2,010."});
  CHECK(has(all_of(observations(run, scenarios(run).front())), "Trial 11 is far off"));
  run.results.pairs.push_back({"x", "x", "aa", {1, 0.6, 1.6, 6}, 0.5, {}});
  CHECK(anomalies(run, scenarios(run).front()).empty());
  run.trials[0].flags = {"unsettled", "indicative"};
  run.trials[1].flags = {"unsettled", "noisy-host"};
  run.trials[2].failed = "node webseal is gone";
  run.trials[3].notes = {kResumedNote};
  CHECK(anomalies(run, scenarios(run).front()) ==
        std::vector<std::string>{
            "2 of 12 trials are flagged: noisy-host (1), unsettled (2).",
            "Trial 3 failed, of 1/page=5.8KB/cpus=1/clients=8: node webseal is gone.",
            "Trial 4 is the first after the run was broken off and resumed: what the host was doing may have changed.",
        });
}

TEST_CASE("a trial at the edge of the others is not far off them") {
  const Run run = scaling({9204, 9251, 12366, 13000, 13396, 13773, 13942}, {20000, 20000, 20000, 20000, 20000, 20000, 20000});
  CHECK(anomalies(run, scenarios(run).front()).empty());
}

TEST_CASE("few odd trials are listed, many are counted") {
  Run run = scaling(around(1000), around(2000));
  for (Trial& trial : run.trials) {
    trial.failed = trial.trial > 5 ? "" : "gone";
  }
  const auto all = anomalies(run, scenarios(run).front());
  REQUIRE(all.size() == 4);
  CHECK(all.back() == "2 more trials failed.");
}

TEST_CASE("a cell in which a change does something else than in all others is told, with the interval of both") {
  const auto odd = [](double two_with_30_clients) {
    Run run;
    for (const char* clients : {"10", "20", "30", "40"}) {
      add_cell(run, "1", {{"page", "5.8KB"}, {"cpus", "1"}, {"clients", clients}}, around(1000));
      const bool off = std::string(clients) == "30";
      add_cell(run, "1", {{"page", "5.8KB"}, {"cpus", "2"}, {"clients", clients}}, around(off ? two_with_30_clients : 2000));
    }
    return all_of(anomalies(run, scenarios(run).front()));
  };
  CHECK(has(odd(1100),
            "Going from 1 to 2 gateway CPUs with 30 clients is far off what it is elsewhere: throughput ×\u202f1.10 (95% interval "
            "1.10–1.10, n = 6), against ×\u202f2.00 to ×\u202f2.00 in 3 comparisons (95% intervals within 2.00; n = 6 each).\n"));
  CHECK(odd(1900).empty());
}

TEST_CASE("the advice on the log's disk follows the figures") {
  const auto advice = [](const std::vector<double>& own_disk) {
    Run run;
    add_cell(run, "log", {{"page", "5.8KB"}, {"log", "file"}, {"clients", "8"}}, around(1000));
    add_cell(run, "log", {{"page", "5.8KB"}, {"log", "own-disk"}, {"clients", "8"}}, own_disk);
    return conclusion(run, scenarios(run).front());
  };
  CHECK(has(advice(around(1200)), "A disk of its own for the log brings +20% (95% interval +20%): give it one."));
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
