#include "stats/claims.hpp"

#include <catch2/catch.hpp>

using namespace lab;
using namespace lab::stats;

namespace {

// A run of scenarios 1 (plain) and 2 (SSL), 2 with crypto, both with clients 8 and 10; values by cell and block.
struct Fixture {
  std::vector<CellResult> cells;
  std::vector<PairResult> pairs;
  std::vector<Trial> trials;

  void cell(const std::string& id, const std::string& scenario, std::vector<std::pair<std::string, std::string>> axes,
            const std::vector<double>& pages_per_s, double gateway_cpu = 0.99) {
    CellResult result;
    result.id = id;
    result.scenario = scenario;
    result.axes = std::move(axes);
    cells.push_back(result);
    for (std::size_t block = 0; block < pages_per_s.size(); ++block) {
      Trial trial;
      trial.block = static_cast<int>(block);
      trial.sides.emplace_back();
      trial.sides.back().cell = id;
      trial.sides.back().pages_per_s = pages_per_s[block];
      trial.sides.back().cpu = {{"webseal", gateway_cpu}, {"tam", 0.01}, {"db2", 0.02}};
      trial.sides.back().machines = {{"host", 0.5}};
      trials.push_back(trial);
    }
  }
  void pair(const std::string& a, const std::string& b, const std::vector<double>& ratios, double floor = 0) {
    for (std::size_t block = 0; block < ratios.size(); ++block) {
      Trial trial;
      trial.kind = "pair";
      trial.block = static_cast<int>(block);
      trial.sides.resize(2);
      trial.sides[0].cell = a;
      trial.sides[1].cell = b;
      trial.ratio = ratios[block];
      trials.push_back(trial);
    }
    pairs.push_back({a, b, "pair", {}, floor, {}});
  }
  ClaimResult judge_one(const Claim& claim) const {
    const auto results = judge({claim}, cells, pairs, trials, 2);
    REQUIRE(results.size() == 1);
    return results.front();
  }
};

Claim ratio(Selector of, Selector to, double published) {
  Claim claim;
  claim.id = "c";
  claim.says = "says";
  claim.of = std::move(of);
  claim.to = std::move(to);
  claim.published = published;
  return claim;
}

std::vector<double> times(double factor, std::vector<double> values) {
  for (double& value : values) {
    value *= factor;
  }
  return values;
}

const std::vector<double> kSix{100, 140, 90, 120, 110, 130};  // the host's speed wanders; a ratio within a block does not

}  // namespace

TEST_CASE("a ratio is taken block by block, so that a wandering host does not widen it") {
  Fixture f;
  f.cell("1", "1", {{"clients", "8"}}, kSix);
  f.cell("2", "2", {{"clients", "8"}}, times(0.65, kSix));
  const ClaimResult result = f.judge_one(ratio({{"scenario", "2"}}, {{"scenario", "1"}}, 0.65));
  CHECK(result.measured.median == Approx(0.65));
  CHECK(result.measured.low == Approx(0.65));
  CHECK(result.measured.high == Approx(0.65));
  CHECK(result.measured.n == 6);
  CHECK(result.verdict == "agrees");
  CHECK(result.reason == "the interval 0.65 to 0.65 lies within 0.585 to 0.715");
  CHECK(result.of == "clients=8");
  CHECK(result.published == "0.65");
  CHECK(result.tolerance == 0.1);
  CHECK(result.kind == "ratio");
}

TEST_CASE("what was published keeps all its digits") {
  Fixture f;
  f.cell("1", "1", {{"clients", "8"}}, kSix);
  f.cell("2", "2", {{"clients", "8"}}, kSix);
  CHECK(f.judge_one(ratio({{"scenario", "2"}}, {{"scenario", "1"}}, 1.043)).published == "1.043");
}

TEST_CASE("an interval outside published ± tolerance differs, one across its edge cannot be told") {
  Fixture f;
  f.cell("1", "1", {{"clients", "8"}}, {100, 100, 100, 100, 100, 100});
  f.cell("2", "2", {{"clients", "8"}}, {50, 51, 52, 53, 54, 55});
  CHECK(f.judge_one(ratio({{"scenario", "2"}}, {{"scenario", "1"}}, 0.65)).verdict == "differs");
  const ClaimResult edge = f.judge_one(ratio({{"scenario", "2"}}, {{"scenario", "1"}}, 0.58));  // 0.522 to 0.638
  CHECK(edge.verdict == "cannot-tell");
  CHECK(edge.reason == "the interval 0.5 to 0.55 overlaps the edge of 0.522 to 0.638");
}

TEST_CASE("axes that neither side names are matched value by value, a verdict each") {
  Fixture f;
  for (const std::string clients : {"8", "10"}) {
    f.cell("1/clients=" + clients, "1", {{"clients", clients}}, kSix);
    f.cell("2/hw/clients=" + clients, "2", {{"crypto", "hardware"}, {"clients", clients}}, times(clients == "8" ? 0.9 : 0.8, kSix));
    f.cell("2/sw/clients=" + clients, "2", {{"crypto", "software"}, {"clients", clients}}, times(0.5, kSix));
  }
  const auto results = judge({ratio({{"scenario", "2"}, {"crypto", "hardware"}}, {{"scenario", "1"}}, 0.9)}, f.cells, f.pairs, f.trials, 2);
  REQUIRE(results.size() == 2);
  CHECK(results[0].of == "clients=8");
  CHECK(results[0].measured.median == Approx(0.9));
  CHECK(results[1].of == "clients=10");
  CHECK(results[1].measured.median == Approx(0.8));
}

TEST_CASE("under six blocks nothing is called an agreement or a difference, and the range's coverage is told") {
  Fixture f;
  f.cell("1", "1", {}, {100, 100, 100});
  f.cell("2", "2", {}, {64, 65, 66});
  const ClaimResult result = f.judge_one(ratio({{"scenario", "2"}}, {{"scenario", "1"}}, 0.65));
  CHECK(result.verdict == "cannot-tell");
  CHECK(result.reason == "indicative only: the range of 3 blocks, 0.64 to 0.66 (all within 0.585 to 0.715), covers 75%, and 95% takes 6");
}

TEST_CASE("what the gateway did not limit says nothing about the gateway") {
  Fixture f;
  f.cell("1/cpus=1", "1", {{"cpus", "1"}}, kSix);
  f.cell("1/cpus=2", "1", {{"cpus", "2"}}, times(1.9, kSix));
  for (Trial& trial : f.trials) {
    if (trial.sides.front().cell == "1/cpus=2" && trial.block < 4) {
      trial.flags = {"unsaturated"};
    }
  }
  const ClaimResult result = f.judge_one(ratio({{"scenario", "1"}, {"cpus", "2"}}, {{"scenario", "1"}, {"cpus", "1"}}, 1.9));
  CHECK(result.verdict == "cannot-tell");
  CHECK(result.reason == "the gateway was not what limited it: unsaturated (4 of 6 trials of 1/cpus=2)");
}

TEST_CASE("other flags are named beside the verdict") {
  Fixture f;
  f.cell("1", "1", {}, kSix);
  f.cell("2", "2", {}, times(0.65, kSix));
  f.trials[7].flags = {"noisy-host"};
  const ClaimResult result = f.judge_one(ratio({{"scenario", "2"}}, {{"scenario", "1"}}, 0.65));
  CHECK(result.verdict == "agrees");
  CHECK(result.reason == "the interval 0.65 to 0.65 lies within 0.585 to 0.715; flagged: noisy-host (1 of 6 trials of 2)");
}

TEST_CASE("per client, throughput is divided by the cell's clients") {
  Fixture f;
  f.cell("a", "2", {{"clients", "10"}}, times(2, kSix));
  f.cell("b", "1", {{"clients", "8"}}, kSix);
  Claim claim = ratio({{"scenario", "2"}, {"clients", "10"}}, {{"scenario", "1"}, {"clients", "8"}}, 1.6);
  claim.metric = Claim::Metric::pages_per_s_per_client;
  CHECK(f.judge_one(claim).measured.median == Approx(1.6));
}

TEST_CASE("an order holds when every step surely rises") {
  Fixture f;
  f.cell("a", "1", {{"page", "2.9MB"}}, times(0.1, kSix));
  f.cell("b", "1", {{"page", "12KB"}}, times(0.7, kSix));
  f.cell("c", "1", {{"page", "5.8KB"}}, kSix);
  Claim claim;
  claim.kind = Claim::Kind::order;
  claim.rising = {{{{"page", "2.9MB"}}, {}, {}}, {{{"page", "12KB"}}, {}, {}}, {{{"page", "5.8KB"}}, {}, {}}};
  const ClaimResult rises = f.judge_one(claim);
  CHECK(rises.verdict == "agrees");
  CHECK(rises.published == "order");
  CHECK(rises.measured.median == Approx(1 / 0.7));  // the smallest step
  std::swap(claim.rising[1], claim.rising[2]);
  CHECK(f.judge_one(claim).verdict == "differs");
}

TEST_CASE("an order may compare quotients") {
  Fixture f;
  for (const std::string page : {"5.8KB", "2.9MB"}) {
    f.cell("hw" + page, "2", {{"page", page}, {"crypto", "hardware"}}, times(page == "5.8KB" ? 1.3 : 2.4, kSix));
    f.cell("sw" + page, "2", {{"page", page}, {"crypto", "software"}}, kSix);
  }
  Claim claim;
  claim.kind = Claim::Kind::order;
  for (const std::string page : {"5.8KB", "2.9MB"}) {
    claim.rising.push_back({{{"page", page}, {"crypto", "hardware"}}, {{"page", page}, {"crypto", "software"}}, {}});
  }
  const ClaimResult result = f.judge_one(claim);
  CHECK(result.verdict == "agrees");
  CHECK(result.measured.median == Approx(2.4 / 1.3));
}

TEST_CASE("a share is held against what is published, a limit against the busiest of its nodes") {
  Fixture f;
  f.cell("1", "1", {}, kSix, 0.85);
  Claim share;
  share.kind = Claim::Kind::share;
  share.metric = Claim::Metric::cpu;
  share.node = "webseal";
  share.published = 0.85;
  CHECK(f.judge_one(share).verdict == "agrees");
  share.metric = Claim::Metric::machine_cpu;
  share.node = "host";
  CHECK(f.judge_one(share).verdict == "differs");

  Claim below;
  below.kind = Claim::Kind::below;
  below.metric = Claim::Metric::cpu;
  below.nodes = {"tam", "db2"};
  below.limit = 0.05;
  const ClaimResult idle = f.judge_one(below);
  CHECK(idle.verdict == "agrees");
  CHECK(idle.measured.median == Approx(0.02));
  CHECK(idle.published == "below 0.05");

  below.nodes = {"tam", "firewall1", "db2", "firewall2"};
  const ClaimResult partly = f.judge_one(below);
  CHECK(partly.verdict == "cannot-tell");
  CHECK(partly.measured.median == Approx(0.02));
  CHECK(partly.reason.starts_with("not measured: firewall1, firewall2; "));
  below.nodes = {"webseal", "firewall1"};
  CHECK(f.judge_one(below).verdict == "differs");  // one that is too busy is enough
}

TEST_CASE("what was not measured, is only stated, or takes a larger host cannot be told, and the note says why") {
  Fixture f;
  f.cell("1", "1", {}, kSix);
  Claim missing = ratio({{"scenario", "9"}}, {{"scenario", "1"}}, 1);
  CHECK(f.judge_one(missing).reason == "the cells that it compares were not all measured in this run");
  CHECK(f.judge_one(missing).measured.n == 0);

  Claim stated;
  stated.kind = Claim::Kind::stated;
  stated.note = "nothing here varies it";
  CHECK(f.judge_one(stated).verdict == "cannot-tell");
  CHECK(f.judge_one(stated).reason == "nothing here varies it");

  Claim large = ratio({{"scenario", "1"}}, {{"scenario", "1"}}, 1);
  large.needs_cpus = 4;
  large.note = "two cores cannot show it";
  CHECK(f.judge_one(large).verdict == "cannot-tell");
  CHECK(f.judge_one(large).reason == "it takes a host of 4 CPUs or more; two cores cannot show it");
}

TEST_CASE("a failed trial's numbers are in no claim") {
  Fixture f;
  f.cell("1", "1", {}, kSix);
  f.cell("2", "2", {}, times(0.65, kSix));
  f.trials[8].failed = "the gateway did not start";
  CHECK(f.judge_one(ratio({{"scenario", "2"}}, {{"scenario", "1"}}, 0.65)).measured.n == 5);
}

TEST_CASE("a ratio comes from the pair of its cells, whichever way round it was loaded, not from separate trials") {
  Fixture f;
  f.cell("1", "1", {}, {100, 100, 100, 100, 100, 100});
  f.cell("2", "2", {}, {50, 50, 50, 50, 50, 50});
  f.pair("1", "2", {0.64, 0.65, 0.66, 0.65, 0.65, 0.64});
  const ClaimResult result = f.judge_one(ratio({{"scenario", "2"}}, {{"scenario", "1"}}, 0.65));
  CHECK(result.measured.median == Approx(0.65));
  CHECK(result.verdict == "agrees");
  CHECK(result.reason.find("by pairs") != std::string::npos);
  const ClaimResult inverse = f.judge_one(ratio({{"scenario", "1"}}, {{"scenario", "2"}}, 1 / 0.65));
  CHECK(inverse.measured.median == Approx(1 / 0.65));
}

TEST_CASE("an order is no effect within the pair's noise floor, on either side of it") {
  const auto verdict = [](const std::vector<double>& ratios) {
    Fixture f;
    f.cell("4", "4", {}, {});
    f.cell("2", "2", {}, {});
    f.pair("4", "2", ratios, 0.04);
    Claim claim;
    claim.id = "c";
    claim.kind = Claim::Kind::order;
    claim.rising = {{{{"scenario", "4"}}, {}, ""}, {{{"scenario", "2"}}, {}, ""}};
    return f.judge_one(claim);
  };
  CHECK(verdict({1.10, 1.12, 1.11, 1.10, 1.12, 1.11}).verdict == "agrees");
  CHECK(verdict({1.01, 1.02, 1.03, 1.01, 1.02, 1.03}).verdict == "cannot-tell");
  CHECK(verdict({1.01, 1.02, 1.03, 1.01, 1.02, 1.03}).reason.find("noise floor of 4%") != std::string::npos);
  CHECK(verdict({0.98, 0.99, 0.98, 0.99, 0.98, 0.99}).verdict == "cannot-tell");
  CHECK(verdict({0.90, 0.91, 0.92, 0.90, 0.91, 0.92}).verdict == "differs");
}

TEST_CASE("a verdict by pairs is doubted for the flags of their trials alone") {
  Fixture f;
  f.cell("1", "1", {}, {100, 100, 100, 100, 100, 100});
  f.cell("2", "2", {}, {50, 50, 50, 50, 50, 50});
  for (Trial& trial : f.trials) {
    trial.flags = {"unsaturated"};
  }
  f.pair("1", "2", {0.64, 0.65, 0.66, 0.65, 0.65, 0.64});
  CHECK(f.judge_one(ratio({{"scenario", "2"}}, {{"scenario", "1"}}, 0.65)).verdict == "agrees");
  for (Trial& trial : f.trials) {
    trial.flags = {"unsaturated"};
  }
  CHECK(f.judge_one(ratio({{"scenario", "2"}}, {{"scenario", "1"}}, 0.65)).verdict == "cannot-tell");
}
