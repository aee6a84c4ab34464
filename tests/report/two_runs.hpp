// Two runs in memory for the tests of comparisons, with a value a pass for each cell and pair.
#pragma once

#include "report/comparison.hpp"
#include "sample.hpp"

#include <boost/json.hpp>

namespace lab::report::test {

inline Run named_run(const std::string& name, double noise_floor) {
  Run run;
  run.record.name = name;
  run.record.playbook = "p";
  run.record.profile = "quick";
  run.record.started = "2026-11-30T18:00:00Z";
  Node gateway;
  gateway.name = "webseal";
  gateway.roles = {Role::gateway};
  run.lab.nodes.push_back(gateway);
  run.results.environment["version"] = "0.1.0";
  run.results.environment["kernel"] = "6.1.0-1";
  if (noise_floor > 0) {
    run.results.pairs.push_back({"x", "x", "aa", {1, 0.99, 1.01, 6}, noise_floor, {}});
  }
  return run;
}

// With CPU µs a page of the gateway that go with the rates, and a p99 of eight times the mean service time of eight clients.
inline void add_measured(Run& run, const std::string& scenario, const Axes& axes, const std::vector<double>& rates) {
  const std::size_t before = run.trials.size();
  CellResult& cell = add_cell(run, scenario, axes, rates);
  for (std::size_t i = before; i < run.trials.size(); ++i) {
    Side& side = run.trials[i].sides.front();
    side.cpu_us_per_page["webseal"] = 400'000 / side.pages_per_s;
    side.service_us_p99 = 64e6 / side.pages_per_s;
  }
  cell.cpu_us_per_page["webseal"] = 400'000 / cell.pages_per_s.median;
  cell.service_us_p99 = 64e6 / cell.pages_per_s.median;
}

inline void add_pair(Run& run, const std::string& a, const std::string& b, const std::vector<double>& ratios, double noise_floor) {
  for (std::size_t block = 0; block < ratios.size(); ++block) {
    Trial trial;
    trial.kind = "pair";
    trial.block = static_cast<int>(block);
    trial.sides.resize(2);
    trial.sides[0].cell = a;
    trial.sides[1].cell = b;
    trial.ratio = ratios[block];
    run.trials.push_back(std::move(trial));
  }
  run.results.pairs.push_back(
      {a, b, "pair", {ratios.front(), ratios.front(), ratios.front(), static_cast<int>(ratios.size())}, noise_floor, {}});
}

// Six passes of which one cell became 30% slower, one stayed, one wanders; a fourth is in one run only.
struct TwoRuns {
  Run a, b;
};
inline TwoRuns two_runs() {
  TwoRuns runs{named_run("before", 0.02), named_run("after", 0.02)};
  const Axes one{{"page", "5.8KB"}, {"cpus", "1"}, {"clients", "8"}}, two{{"page", "5.8KB"}, {"cpus", "2"}, {"clients", "8"}};
  add_measured(runs.a, "1", one, around(4000));
  add_measured(runs.b, "1", one, around(2800));
  add_measured(runs.a, "1", two, around(8000));
  add_measured(runs.b, "1", two, around(8020));
  add_measured(runs.a, "2", one, {1700, 2000, 1900, 1500, 1800, 2100});
  add_measured(runs.b, "2", one, {1900, 1600, 2000, 1800, 2200, 1700});
  add_measured(runs.a, "2", two, around(3000));
  CellResult skipped;
  skipped.id = "2/page=5.8KB/cpus=2/clients=8";
  skipped.scenario = "2";
  skipped.status = "failed";
  skipped.reason = "node webseal is gone";
  runs.b.results.cells.push_back(skipped);
  runs.b.results.cells[2].flags = {"noisy-host", "indicative"};
  runs.b.results.environment["kernel"] = "6.1.0-2";
  add_pair(runs.a, "1/page=5.8KB/cpus=1/clients=8", "1/page=5.8KB/cpus=2/clients=8", {2.0, 2.02, 1.99, 2.01, 2.0, 1.98}, 0.02);
  add_pair(runs.b, "1/page=5.8KB/cpus=1/clients=8", "1/page=5.8KB/cpus=2/clients=8", {2.86, 2.9, 2.85, 2.88, 2.87, 2.84}, 0.02);
  return runs;
}

}  // namespace lab::report::test
