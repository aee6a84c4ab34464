#include "report/scenario.hpp"

#include "sample.hpp"

#include <set>

using namespace lab;
using namespace lab::report;
using namespace lab::report::test;

namespace {

Run two_by_two() {
  Run run;
  add_cell(run, "2", {{"page", "5.8KB"}, {"crypto", "software"}, {"cpus", "1"}, {"clients", "8"}}, around(1000));
  add_cell(run, "2", {{"page", "5.8KB"}, {"crypto", "software"}, {"cpus", "2"}, {"clients", "8"}}, around(2000));
  add_cell(run, "2", {{"page", "5.8KB"}, {"crypto", "hardware"}, {"cpus", "1"}, {"clients", "8"}}, around(1300));
  add_cell(run, "2", {{"page", "12KB"}, {"crypto", "hardware"}, {"cpus", "1"}, {"clients", "8"}}, around(1100));
  return run;
}

}  // namespace

TEST_CASE("a chart has a panel for each page and a series for each CPUs × crypto") {
  const Run run = two_by_two();
  const auto panels = throughput_panels(scenarios(run).front());
  REQUIRE(panels.size() == 2);
  CHECK(panels[0].title == "5.8 KB");
  REQUIRE(panels[0].series.size() == 3);
  CHECK(panels[0].series[0].label == "software crypto, 1 CPU");
  CHECK(panels[0].series[1].label == "software crypto, 2 CPUs");
  CHECK(panels[0].series[0].hue == panels[0].series[1].hue);
  CHECK(panels[0].series[0].shade < panels[0].series[1].shade);
  CHECK(panels[1].series.front().points.front()->id == "2/page=12KB/crypto=hardware/cpus=1/clients=8");
}

TEST_CASE("no two series of a chart have one colour, whatever is switched") {
  using Values = std::vector<std::string>;
  struct Matrix {
    std::string axis, other;
    Values values, others;
  };
  const Values crypto{"software", "hardware", "adapter"}, gateways{"lab", "nginx", "haproxy"};
  for (const Matrix& each : {Matrix{"crypto", "gateway", crypto, gateways}, Matrix{"crypto", "log", crypto, {"file", "own-disk", "null"}},
                             Matrix{"busy", "cpus", {"0", "1", "2", "3"}, {"1", "2"}}, Matrix{"log", "gateway", {"file", "null"}, gateways},
                             Matrix{"crypto", "cpus", {"software", "hardware"}, {"1", "2", "4", "8"}}}) {
    Run run;
    for (const std::string& value : each.values) {
      for (const std::string& other : each.others) {
        add_cell(run, "2", {{"page", "5.8KB"}, {each.axis, value}, {each.other, other}, {"clients", "8"}}, around(1000));
      }
    }
    INFO(each.axis << " and " << each.other);
    std::set<std::pair<int, int>> colors;
    const auto panels = throughput_panels(scenarios(run).front());
    for (const Series& series : panels.front().series) {
      CHECK(series.hue >= 0);
      CHECK(series.hue < 6);
      CHECK(series.shade >= 0);
      CHECK(series.shade < 3);
      colors.emplace(series.hue, series.shade);
    }
    CHECK(colors.size() == each.values.size() * each.others.size());
  }
}

TEST_CASE("crypto and log keep their colours where nothing else is switched") {
  const auto hue = [](const std::string& axis, const std::string& value) {
    Run run;
    add_cell(run, "2", {{"page", "5.8KB"}, {axis, value}, {"cpus", "1"}, {"clients", "8"}}, around(1000));
    add_cell(run, "2", {{"page", "5.8KB"}, {axis, "other"}, {"cpus", "1"}, {"clients", "8"}}, around(1000));
    return throughput_panels(scenarios(run).front()).front().series.front().hue;
  };
  CHECK(hue("crypto", "software") == 0);
  CHECK(hue("crypto", "hardware") == 1);
  CHECK(hue("log", "null") == 5);
}

TEST_CASE("skipped cells are in no chart") {
  Run run = two_by_two();
  run.results.cells[1].status = "skipped";
  CHECK(throughput_panels(scenarios(run).front()).front().series.size() == 2);
}

TEST_CASE("an effect is taken between cells that differ in nothing else") {
  const Run run = two_by_two();
  const auto effects = effects_between(run, scenarios(run).front(), "crypto", "software", "hardware");
  REQUIRE(effects.size() == 1);
  CHECK(effects[0].a->id == "2/page=5.8KB/crypto=software/cpus=1/clients=8");
  CHECK(effects[0].b->id == "2/page=5.8KB/crypto=hardware/cpus=1/clients=8");
  CHECK(effects[0].ratio.median == Approx(1.3));
  CHECK(effects[0].ratio.n == 6);
  CHECK_FALSE(effects[0].paired);
  CHECK(effects[0].certain());
}

TEST_CASE("pairs come before separate trials, in either direction") {
  Run run = two_by_two();
  const std::string software = run.results.cells[0].id, hardware = run.results.cells[2].id;
  run.results.pairs.push_back({hardware, software, "pair", {0.8, 0.75, 0.85, 10}, 0.02, {"idle-side"}});
  const Effect found = effect(run, run.results.cells[0], run.results.cells[2]);
  CHECK(found.paired);
  CHECK(found.ratio.median == Approx(1.25));
  CHECK(found.ratio.low == Approx(1 / 0.85));
  CHECK(found.ratio.high == Approx(1 / 0.75));
  CHECK(found.noise_floor == 0.02);
  CHECK(found.flags == std::vector<std::string>{"idle-side"});
}

TEST_CASE("no effect is called one that noise could have made") {
  Effect effect;
  effect.ratio = {1.05, 1.02, 1.08, 6};
  CHECK(effect.certain());
  effect.noise_floor = 0.06;
  CHECK_FALSE(effect.certain());
  effect.noise_floor = 0;
  effect.ratio = {1.05, 0.99, 1.10, 6};
  CHECK_FALSE(effect.certain());
  effect.ratio = {1.05, 1.05, 1.05, 1};
  CHECK_FALSE(effect.certain());
}

TEST_CASE("with few repeats an effect must be larger than their spread") {
  Effect effect;
  effect.ratio = {1.05, 1.01, 1.10, 3};
  CHECK_FALSE(effect.certain());
  effect.ratio = {1.9, 1.8, 2.0, 3};
  CHECK(effect.certain());
}

TEST_CASE("nodes that use under 1% of a CPU everywhere are near zero") {
  Run run;
  CellResult& cell = add_cell(run, "1", {{"page", "5.8KB"}}, around(1000));
  cell.cpu_us_per_page = {{"webseal", 400}, {"tam", 0.02}};
  const NodeUse use = node_use({&cell});
  CHECK(use.shown == std::vector<std::string>{"webseal"});
  CHECK(use.near_zero == std::vector<std::string>{"tam"});
  CHECK(host_cpus(cell, "webseal") == Approx(0.4).epsilon(0.01));
}

TEST_CASE("axis values read as words") {
  CHECK(axis_text("page", "5.8KB") == "5.8 KB");
  CHECK(axis_text("cpus", "1") == "1 CPU");
  CHECK(axis_text("cpus", "2") == "2 CPUs");
  CHECK(axis_text("log", "null") == "log to /dev/null");
  CHECK(axis_text("log", "file") == "log to files");
  CHECK(axis_text("crypto", "adapter") == "crypto adapter");
}

TEST_CASE("a cell's trials are the same whether they were looked up before or not") {
  auto stored = read_run(std::filesystem::path(LAB_SOURCE_DIR) / "tests/report/fixture");
  REQUIRE(stored.has_value());
  Run plain = *stored;
  plain.places.clear();
  REQUIRE_FALSE(stored->places.empty());
  const auto numbers = [](const Run& run, const std::string& cell) {
    std::vector<int> trials;
    for (const Trial* trial : trials_of(run, cell)) {
      trials.push_back(trial->trial);
    }
    return trials;
  };
  for (const CellResult& cell : plain.results.cells) {
    CHECK(numbers(plain, cell.id) == numbers(*stored, cell.id));
  }
  CHECK(trials_of(*stored, "no such cell").empty());
}
