#include "fixtures.hpp"
#include "run/measure.hpp"
#include "run/summary.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

using namespace lab;
using namespace lab::run;

namespace {

struct Silent final : Progress {
  void starting(const TrialPlan&, int, int, std::chrono::nanoseconds) override {}
  void finished(const Trial&, int, int) override {}
};

// Pairs of the cells that `only` lets in.
struct Fixture {
  TemporaryFolder folder;
  Standing standing = test::standing();
  test::FakeLab lab;
  Bench bench = lab.bench(standing);
  Plan plan;
  std::unique_ptr<store::RunDirectory> directory;
  Silent silent;

  explicit Fixture(const std::vector<std::string>& only, int repeats = 1) {
    plan = test::plan_of(only, repeats, standing, bench.facts);
    std::erase_if(plan.trials, [](const TrialPlan& trial) { return trial.kind == "aa"; });
    directory = test::run_directory(folder.path());
  }
  std::vector<Trial> measure() { return run::measure(bench, plan, {}, *directory, silent).trials; }
  Trial trial() {
    auto trials = measure();
    REQUIRE(trials.size() == 1);
    return std::move(trials.front());
  }
};

const std::vector<std::string> kCrypto{"2/*clients=8"}, kCpus{"1/*clients=8"};

}  // namespace

TEST_CASE("a pair's ratio is that of its sides, and each side has numbers of its own that reconcile") {
  Fixture f(kCrypto);
  f.lab.b_over_a = 1.5;
  const Trial trial = f.trial();
  CHECK(trial.failed.empty());
  CHECK(trial.kind == "pair");
  CHECK(trial.notes == std::vector<std::string>{});
  REQUIRE(trial.ratio.has_value());
  CHECK(*trial.ratio == Approx(1.5));
  REQUIRE(trial.sides.size() == 2);
  CHECK(trial.sides[0].cell == "2/page=5.8KB/crypto=software/cpus=1/clients=8");
  CHECK(trial.sides[1].pages_per_s == Approx(1.5 * trial.sides[0].pages_per_s));
  CHECK(trial.sides[0].pages_per_s == Approx(2000 / 1.02));  // pages of 100 ms, and 2 ms to drain
  CHECK(trial.sides[0].counts.pages == trial.sides[0].counts.done);
  CHECK(trial.sides[1].counts.gateway == trial.sides[1].counts.done);
  CHECK(trial.sides[0].slices.size() == trial.sides[1].slices.size());
  CHECK(trial.sides[0].openssl_cpu != trial.sides[1].openssl_cpu);
  CHECK(trial.sides[0].cpu_us_per_page.at("webseal") == Approx(1.5 * trial.sides[1].cpu_us_per_page.at("webseal")));
}

TEST_CASE("both gateways stand at once, and are gone after the trial") {
  Fixture f(kCrypto);
  (void)f.trial();
  const auto at = [&](const std::string& call) { return std::find(f.lab.calls.rbegin(), f.lab.calls.rend(), call) - f.lab.calls.rbegin(); };
  CHECK(at("webseal role.stop gateway.a") < at("client1 role.wait load"));
  CHECK(at("webseal role.stop gateway.b") < at("client1 role.wait load"));
  CHECK(at("webseal role.start gateway.a") > at("client1 role.start load"));
  CHECK(at("webseal role.start gateway.b") > at("client1 role.start load"));
}

TEST_CASE("slices and gaps are found out before a pair's first trial, and kept for the next ones") {
  Fixture f(kCrypto, 3);
  f.lab.drain_ns = 40'000'000;
  const auto trials = f.measure();
  REQUIRE(trials.size() == 3);
  const auto loads = std::count(f.lab.calls.begin(), f.lab.calls.end(), "client1 role.start load");
  CHECK(loads == 4);
  const auto& against = f.lab.configs.at("client1").at("against");
  CHECK(against.at("gap") == "64ms");
  CHECK(against.at("slice") == "100ms");
  CHECK(f.lab.gateway_starts == 2 * 4 + 1);
}

TEST_CASE("where the gateway's CPUs differ they are set before every slice, to be alike also where the side stays") {
  Fixture f(kCpus);
  const Trial trial = f.trial();
  CHECK(trial.failed.empty());
  const auto& set = f.lab.cpus_set;
  const auto& last = f.lab.configs.at("client1").at("against");
  CHECK(last.at("slice") == "200ms");
  // started and found out with the fewer CPUs, then started again: A B of the warm-up, A B dropped, and two groups A B B A
  const std::vector<double> expected{1, 1, 1, 2, 1, 2, 1, 2, 2, 1, 1, 2, 2, 1};
  REQUIRE(set.size() > expected.size());
  CHECK(std::vector<double>(set.begin(), set.begin() + static_cast<std::ptrdiff_t>(expected.size())) == expected);
  CHECK(set.back() == 1);  // as the lab file has it
}

TEST_CASE("a slice that does not drain in time is left out with its group, and said") {
  Fixture f(kCrypto);
  f.lab.undrained = 9;
  f.lab.b_over_a = 2;
  const Trial trial = f.trial();
  CHECK(trial.failed.empty());
  CHECK(*trial.ratio == Approx(2));
  CHECK(std::find(trial.flags.begin(), trial.flags.end(), "drain") != trial.flags.end());
}

TEST_CASE("pages that can't be told apart are checked for both sides together") {
  Fixture f(kCrypto);
  f.lab.stats_delay_ns = 5'000'000;  // after the next slice has begun
  const Trial trial = f.trial();
  CHECK(trial.flags.empty());
  REQUIRE(trial.notes.size() == 2);
  CHECK(trial.notes[0] ==
        "side a: the back ends' pages were checked for both sides together: an edge was read late, or a slice not drained");
}

TEST_CASE("pages that came after the last edge are there when both sides are checked together") {
  Fixture f(kCrypto);
  f.lab.undrained = 13;  // the last: A B of the warm-up, A B, and three groups less one slot
  const Trial trial = f.trial();
  CHECK(trial.flags == std::vector<std::string>{"drain"});
}

TEST_CASE("of a local junction no pages are checked, told apart or not") {
  Fixture f({"5/*software*", "5/*hardware*"});
  f.lab.stats_delay_ns = 5'000'000;
  CHECK(f.trial().notes == std::vector<std::string>{});
}

TEST_CASE("lines that one side's log lacks are noticed there") {
  Fixture f(kCrypto);
  f.lab.extra_lines = 1;
  const Trial trial = f.trial();
  CHECK(trial.flags == std::vector<std::string>{"unreconciled"});
  CHECK(trial.notes.size() == 2);
  CHECK(trial.notes[0].starts_with("unreconciled: side a: the drivers had "));
}

TEST_CASE("a gateway that works while the other one is loaded is flagged") {
  Fixture f(kCrypto);
  f.lab.idle_cpus = 0.02;
  const Trial trial = f.trial();
  CHECK(trial.flags == std::vector<std::string>{"idle-side"});
  CHECK(trial.notes == std::vector<std::string>{"idle-side: a gateway that was not loaded used 2.0% of a CPU"});
}

TEST_CASE("nodes' clocks may differ") {
  Fixture f(kCrypto);
  f.lab.offsets = {{"client1", 5'000'000'000}, {"client2", 5'000'000'000}, {"was", -3'000'000'000}};
  f.lab.b_over_a = 1.25;
  const Trial trial = f.trial();
  CHECK(trial.failed.empty());
  CHECK(*trial.ratio == Approx(1.25));
}

TEST_CASE("a pair's result is the median of its trials' ratios, its floor what A/A pairs differ by") {
  Plan plan;
  plan.comparisons = {{"pair", {"a", "b"}, false}, {"aa", {"a", "a"}, false}};
  std::vector<Trial> trials;
  const auto add = [&](const std::string& kind, const std::string& b, double ratio) {
    Trial trial;
    trial.kind = kind;
    trial.block = static_cast<int>(trials.size());
    trial.sides.resize(2);
    trial.sides[0].cell = "a";
    trial.sides[1].cell = b;
    trial.ratio = ratio;
    trials.push_back(trial);
    plan.trials.push_back({kind, trial.block, 0, {"a", b}, false});
  };
  for (const double ratio : {1.3, 1.2, 1.4, 1.25, 1.35, 1.31}) {
    add("pair", "b", ratio);
  }
  for (const double ratio : {1.01, 0.98, 1.02, 1.0, 0.99, 0.96}) {
    add("aa", "a", ratio);
  }
  const auto pairs = summarise_pairs(plan, trials);
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[0].ratio.median == Approx(1.305));
  CHECK(pairs[0].ratio.low == 1.2);
  CHECK(pairs[0].ratio.n == 6);
  CHECK(pairs[0].noise_floor == Approx(-std::log(0.96)));
  CHECK(pairs[0].flags.empty());
  trials.resize(3);
  CHECK(summarise_pairs(plan, trials)[0].flags == std::vector<std::string>{"indicative"});
  CHECK(summarise_pairs(plan, trials)[0].noise_floor == 0);
}

TEST_CASE("repeats go on until the intervals are narrow, those of the wide ones only, and not for ever") {
  Fixture f({"2/*clients=8", "1/*cpus=1/clients=8"}, 6);
  f.plan.until = 0.02;
  CHECK(f.measure().size() == 12);  // the fake's rates do not vary

  Fixture wide(kCrypto, 6);
  wide.plan.until = 0.02;
  wide.lab.on_gateway_start = [&](int start) { wide.lab.b_over_a = start % 4 < 2 ? 1.2 : 1.5; };
  CHECK(wide.measure().size() == 6 + 24 * 2);  // five times the repeats; the A/A pair with it
}
