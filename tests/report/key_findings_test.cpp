#include "report/key_findings.hpp"

#include "sample.hpp"

using namespace lab;
using namespace lab::report;
using namespace lab::report::test;

namespace {

Scenario& plan(Run& run, const std::string& id, bool https, JunctionType junction = JunctionType::tcp) {
  Scenario scenario;
  scenario.id = id;
  scenario.https = https;
  scenario.junction = {"/" + id, junction, {"web"}, {}};
  return run.playbook.scenarios.emplace_back(std::move(scenario));
}

Run plain_and_tls(const std::string& plain, const std::string& tls) {
  Run run;
  plan(run, plain, false);
  plan(run, tls, true);
  add_cell(run, plain, {{"page", "5.8KB"}}, around(1000));
  add_cell(run, tls, {{"page", "5.8KB"}, {"crypto", "software"}}, around(500));
  add_cell(run, tls, {{"page", "5.8KB"}, {"crypto", "hardware"}}, around(800));
  return run;
}

}  // namespace

TEST_CASE("what TLS costs is found between the scenarios that differ in it, whatever they are called") {
  CHECK(has(all_of(key_findings(plain_and_tls("plain", "tls"))),
            "TLS towards the clients lowers throughput by 50% with software crypto and 20% with hardware crypto "
            "(scenario tls against plain)."));
}

TEST_CASE("scenarios with the study's ids that differ in something else give no finding of TLS or of junctions") {
  Run run = plain_and_tls("1", "2");
  plan(run, "4", true).junction.servers = {"web"};
  add_cell(run, "4", {{"page", "5.8KB"}, {"crypto", "software"}}, around(300));
  add_cell(run, "4", {{"page", "5.8KB"}, {"crypto", "hardware"}}, around(300));
  CHECK_FALSE(has(all_of(key_findings(run)), "junction"));
  run.playbook.scenarios[0].https = true;
  CHECK_FALSE(has(all_of(key_findings(run)), "TLS"));
  run.playbook.scenarios.clear();
  CHECK_FALSE(has(all_of(key_findings(run)), "against"));
}

TEST_CASE("TLS is not held responsible for logins, identity headers or another back end") {
  for (const auto& differ : std::vector<void (*)(Scenario&)>{
           [](Scenario& tls) { tls.login = LoginMode::every; },
           [](Scenario& tls) { tls.junction.identity.user = true; },
           [](Scenario& tls) { tls.junction.servers = {"another"}; },
           [](Scenario& tls) { tls.junction.type = JunctionType::ssl; },
       }) {
    Run run = plain_and_tls("a", "b");
    differ(run.playbook.scenarios[1]);
    CHECK_FALSE(has(all_of(key_findings(run)), "TLS"));
  }
}

TEST_CASE("what an SSL junction costs is found between junctions over the same pages") {
  Run run = plain_and_tls("plain", "front");
  plan(run, "both", true, JunctionType::ssl).junction.servers = {"tls-web"};
  CellResult& cell = add_cell(run, "both", {{"page", "5.8KB"}, {"crypto", "software"}}, around(400));
  CHECK(has(all_of(key_findings(run)),
            "An SSL junction lowers throughput by 20% with software crypto (95% interval −20% to −20%; scenario both against front)."));
  cell.axes.front().second = "12KB";
  CHECK_FALSE(has(all_of(key_findings(run)), "junction"));
}

TEST_CASE("a sentence gives the numbers of one setting and names it") {
  Run run;
  for (const char* cpus : {"1", "2"}) {
    for (const char* page : {"5.8KB", "12KB"}) {
      const bool small = std::string(page) == "5.8KB";
      add_cell(run, "s", {{"page", page}, {"crypto", "software"}, {"cpus", cpus}}, around(1000));
      add_cell(run, "s", {{"page", page}, {"crypto", "hardware"}, {"cpus", cpus}}, around(small ? 1300 : 2000));
    }
  }
  const std::string all = all_of(key_findings(run));
  CHECK(has(all, "The effect of a second gateway CPU cannot be told from noise (scenario s)."));
  CHECK(has(all, "Hardware crypto multiplies throughput by 1.30 at 5.8 KB and 2.00 at 12 KB (1 gateway CPU; scenario s)."));
}

TEST_CASE("what cannot be told from noise is said beside what can, and counted") {
  Run run;
  add_cell(run, "s", {{"page", "5.8KB"}, {"crypto", "software"}}, around(1000));
  add_cell(run, "s", {{"page", "5.8KB"}, {"crypto", "hardware"}}, around(2000));
  add_cell(run, "s", {{"page", "12KB"}, {"crypto", "software"}}, {1000, 1100, 950, 1020, 1080, 990});
  add_cell(run, "s", {{"page", "12KB"}, {"crypto", "hardware"}}, {1050, 1000, 1010, 990, 1100, 1030});
  CHECK(has(all_of(key_findings(run)),
            "Hardware crypto multiplies throughput by 2.00 at 5.8 KB (95% interval 2.00 to 2.00; scenario s; not to be told from noise at "
            "12 KB; told from noise in 1 of 2 comparisons)."));
}
