#include "run/measure.hpp"

#include "fixtures.hpp"
#include "run/environment.hpp"
#include "run/summary.hpp"
#include "store/raw.hpp"
#include "temporary_folder.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <mutex>

using namespace lab;
using namespace lab::run;
namespace fs = std::filesystem;

namespace {

struct Told final : Progress {
  std::vector<std::string> lines;
  void starting(const TrialPlan& trial, int number, int total, std::chrono::nanoseconds left) override {
    CHECK(left.count() > 0);
    lines.push_back(std::to_string(number) + "/" + std::to_string(total) + " " + trial.sides.front());
  }
  void finished(const Trial& trial, int, int) override { lines.push_back(trial.failed.empty() ? "done" : "failed"); }
  void sampled(const LiveSample& sample) override {
    const std::lock_guard lock(mutex);
    cpus[sample.node].push_back(sample.cpus);
  }
  std::mutex mutex;
  std::map<std::string, std::vector<double>> cpus;  // by node, as it was told
};

struct Fixture {
  TemporaryFolder folder;
  Standing standing = test::standing();
  test::FakeLab lab;
  Bench bench = lab.bench(standing);
  Plan plan;
  std::unique_ptr<store::RunDirectory> directory;
  Told told;

  explicit Fixture(const std::vector<std::string>& only, int repeats = 2) {
    plan = test::plan_of(only, repeats, standing, bench.facts);
    directory = test::run_directory(folder.path());
  }
  Outcome measure(std::vector<Trial> done = {}) { return run::measure(bench, plan, std::move(done), *directory, told); }
  std::vector<Trial> on_disk() const { return *store::read_trials(directory->path()); }
  std::vector<CellResult> cells(const Outcome& outcome) const { return summarise(plan, outcome.trials, standing, bench.facts); }
  bool called(const std::string& what) const { return std::find(lab.calls.begin(), lab.calls.end(), what) != lab.calls.end(); }
};

}  // namespace

TEST_CASE("every trial is measured, reconciled and on disk, in the plan's order") {
  Fixture f({"1/*cpus=1/*", "2/*software*"});
  const Outcome outcome = f.measure();
  CHECK_FALSE(outcome.error.has_value());
  REQUIRE(outcome.trials.size() == 8);
  const auto stored = f.on_disk();
  REQUIRE(stored.size() == 8);
  for (std::size_t i = 0; i < stored.size(); ++i) {
    CHECK(stored[i].trial == static_cast<int>(i) + 1);
    CHECK(stored[i].sides.front().cell == f.plan.trials[i].sides.front());
    CHECK(stored[i].seed == 7);
    CHECK(stored[i].notes == std::vector<std::string>{});
    CHECK(stored[i].sides.front().pages_per_s == Approx(2000));
    CHECK(stored[i].sides.front().counts.gateway == 4600);
  }
  CHECK(f.told.lines.front() == "1/8 " + f.plan.trials.front().sides.front());
}

TEST_CASE("while a trial goes on, each node's use of host CPUs is told") {
  Fixture f({"1/*cpus=1/clients=8"});
  const Outcome outcome = f.measure();
  const Side& side = outcome.trials.back().sides.front();
  for (const StandingNode& node : f.standing.nodes) {
    CAPTURE(node.name);
    REQUIRE_FALSE(f.told.cpus[node.name].empty());
    CHECK(f.told.cpus[node.name].back() > 0);
    CHECK(f.told.cpus[node.name].back() ==
          Approx(static_cast<double>(side.slices.front().cpu_us.at(node.name)) / side.slices.front().s / 1e6).epsilon(0.02));
  }
}

TEST_CASE("a cell's result is the median of its trials, indicative under six, with the node that limits it") {
  Fixture f({"1/*cpus=1/clients=8"}, 3);
  const auto cells = f.cells(f.measure());
  REQUIRE(cells.size() == 1);
  CHECK(cells[0].status == "measured");
  CHECK(cells[0].trials == 3);
  CHECK(cells[0].pages_per_s.median == Approx(2000));
  CHECK(cells[0].cpu.at("webseal") == Approx(1.0));
  CHECK(cells[0].limited_by == "webseal");
  CHECK(cells[0].flags == std::vector<std::string>{"indicative"});
  CHECK(Fixture({"1/*cpus=1/clients=8"}, 6).plan.trials.size() == 6);
}

TEST_CASE("before a trial CPUs are set, the gateway is stopped, its logs emptied, and a fresh one started") {
  Fixture f({"1/*cpus=2/clients=8"}, 1);
  (void)f.measure();
  std::vector<std::string> webseal;
  for (const std::string& call : f.lab.calls) {
    if (call.starts_with("webseal ") && call.find("clock") == std::string::npos && call.find("sample") == std::string::npos &&
        call.find("role.stop") == std::string::npos) {
      webseal.push_back(call.substr(8));
    }
  }
  CHECK(webseal == std::vector<std::string>{"hello", "file.truncate", "role.start gateway", "role.call gateway", "role.call gateway",
                                            "file.count", "role.start gateway"});
  const auto stops =
      std::count_if(f.lab.calls.begin(), f.lab.calls.end(), [](const std::string& call) { return call.starts_with("webseal role.stop"); });
  CHECK(stops == 6);                     // under any name that a trial may have left, before the trial and after the run
  CHECK(f.lab.cpus.at("webseal") == 1);  // and at the end all is as the lab file has it
}

TEST_CASE("drivers start at one instant, each by its own clock") {
  Fixture f({"1/*cpus=1/clients=8"}, 1);
  f.lab.offsets = {{"client1", 5'000'000'000}, {"client2", -3'000'000'000}};
  (void)f.measure();
  const auto start = [&](const std::string& node) { return f.lab.configs.at(node).at("start-at-ns").to_number<std::int64_t>(); };
  CHECK(std::abs(start("client1") - start("client2") - 8'000'000'000) < 1'000'000);
  CHECK(f.bench.clocks.at("client1").error_ns < 1'000'000);
}

TEST_CASE("a driver that is late for its first request is started again, on a fresh gateway") {
  Fixture f({"1/*cpus=1/clients=8"}, 1);
  f.lab.late_starts = 1;
  const Outcome outcome = f.measure();
  REQUIRE(outcome.trials.size() == 1);
  CHECK(outcome.trials[0].failed.empty());
  CHECK(outcome.trials[0].flags.empty());
  CHECK(f.called("client1 role.stop load"));
  CHECK(f.lab.gateway_starts == 3);  // twice, and as it stood at the end
}

TEST_CASE("a log that goes to the null device is reconciled by the gateway's counter") {
  Fixture f({"1-log/*null"}, 1);
  const Outcome outcome = f.measure();
  CHECK(outcome.trials[0].sides[0].counts.gateway_counter);
  CHECK(outcome.trials[0].sides[0].counts.gateway == 4600);
  CHECK(outcome.trials[0].flags.empty());
  CHECK_FALSE(f.called("webseal file.count"));
}

TEST_CASE("counts that differ flag the trial and its cell") {
  Fixture f({"1/*cpus=1/clients=8"}, 1);
  f.lab.extra_lines = 1;
  const Outcome outcome = f.measure();
  CHECK(outcome.trials[0].notes ==
        std::vector<std::string>{"unreconciled: the drivers had 4600 responses, logins included, the gateway logged 4601"});
  CHECK(f.cells(outcome)[0].flags == std::vector<std::string>{"unreconciled", "indicative"});
}

TEST_CASE("a trial that fails is recorded with its log, and the matrix goes on") {
  Fixture f({"1/*cpus=1/*"}, 2);
  f.lab.gateway_fails = [](int start) { return start == 1; };
  const Outcome outcome = f.measure();
  REQUIRE(outcome.trials.size() == 4);
  CHECK(outcome.trials[0].failed ==
        "role gateway ended before it was ready, with exit code 1   at node webseal: role.start error: port in use   its log says why");
  CHECK(outcome.trials[1].failed.empty());
  CHECK(fs::exists(f.directory->path() / "logs/trial-0001-webseal-gateway.log"));
  const auto cells = f.cells(outcome);
  const auto half = std::find_if(cells.begin(), cells.end(), [](const CellResult& cell) { return !cell.reason.empty(); });
  REQUIRE(half != cells.end());
  CHECK(half->status == "measured");
  CHECK(half->trials == 1);
  CHECK(half->reason.starts_with("1 of its trials failed: role gateway ended"));
}

TEST_CASE("a cell whose trials all fail has failed") {
  Fixture f({"1/*cpus=1/clients=8"}, 2);
  f.lab.gateway_fails = [](int) { return true; };
  const auto cells = f.cells(f.measure());
  CHECK(cells[0].status == "failed");
  CHECK(cells[0].trials == 0);
}

TEST_CASE("a crypto switch that does not take fails the trial") {
  Fixture f({"2/*software*clients=8"}, 1);
  f.lab.ignored_environment = "OPENSSL_ia32cap";
  const Outcome outcome = f.measure();
  CHECK(outcome.trials[0].failed.starts_with("the crypto switch did not take: software was asked for"));
}

TEST_CASE("a crypto adapter's cell runs on a node that has one, and fails where its provider is not in the gateway's process") {
  for (const bool ignored : {false, true}) {
    Fixture f({"5/*adapter*clients=8"}, 1);
    f.bench.facts["webseal"].adapter.clear();
    f.plan = test::plan_of({"5/*adapter*clients=8"}, 1, f.standing, f.bench.facts);
    f.lab.adapter_ignored = ignored;
    const Outcome outcome = f.measure();
    REQUIRE_FALSE(outcome.trials.empty());
    CHECK(outcome.trials[0].failed.starts_with(ignored ? "the crypto switch did not take: adapter was asked for" : ""));
    CHECK(outcome.trials[0].failed.empty() != ignored);
  }
}

TEST_CASE("an interrupt keeps what was measured, and a resumed run makes the rest in the same order") {
  Fixture f({"1/*cpus=1/*"}, 4);
  f.lab.on_gateway_start = [&](int start) {
    if (start == 4) {
      f.lab.interrupt.raise();
    }
  };
  const Outcome first = f.measure();
  CHECK(first.interrupted);
  CHECK(first.trials.size() == 3);
  CHECK(f.cells(first).size() == 2);

  test::FakeLab again;
  Bench bench = again.bench(f.standing);
  const Outcome second = run::measure(bench, f.plan, f.on_disk(), *f.directory, f.told);
  CHECK_FALSE(second.interrupted);
  CHECK(second.trials[3].notes == std::vector<std::string>{kResumedNote});
  CHECK(second.trials[4].notes.empty());
  const auto stored = f.on_disk();
  REQUIRE(stored.size() == 8);
  for (std::size_t i = 0; i < stored.size(); ++i) {
    CHECK(stored[i].sides.front().cell == f.plan.trials[i].sides.front());
  }
}

TEST_CASE("samples of every node and edge are kept, and service times in a log that HdrHistogram's tools read") {
  Fixture f({"1/*cpus=1/clients=8"}, 1);
  (void)f.measure();
  std::ifstream in(f.directory->path() / "samples.csv");
  int lines = 0;
  for (std::string line; std::getline(in, line);) {
    ++lines;
  }
  CHECK(lines == 1 + 5 * 3);  // a head; five nodes at 0.3, 1.3 and 2.3 s
  std::ifstream log(f.directory->path() / "histograms/trial-0001.hlog");
  std::string first;
  std::getline(log, first);
  CHECK(first == "#[1/page=5.8KB/cpus=1/clients=8]");
}

TEST_CASE("an open loop's latency has a log of its own beside that of service times; without a rate there is none") {
  const auto logs = [](std::optional<double> rate) {
    Fixture f({"1/*cpus=1/clients=8"}, 1);
    for (Cell& cell : f.plan.cells) {
      cell.scenario.rate = rate;
    }
    (void)f.measure();
    CHECK(fs::exists(f.directory->path() / "histograms/trial-0001.hlog"));
    return store::read_histogram(f.directory->path() / "histograms/trial-0001-latency.hlog");
  };
  const auto latency = logs(500);
  REQUIRE(latency.has_value());
  CHECK(static_cast<double>(latency->percentile(50)) == Approx(5e6).epsilon(0.001));
  CHECK_FALSE(logs(std::nullopt).has_value());
}

TEST_CASE("the environment names the host, the lab, and what crypto was under each setting") {
  const TemporaryFolder root;
  fs::create_directories(root / "proc");
  fs::create_directories(root / "sys/devices/system/cpu/cpu0/cpufreq");
  fs::create_directories(root / "sys/devices/system/cpu/smt");
  fs::create_directories(root / "sys/fs/cgroup/cpu");
  fs::create_directories(root / "sys/fs/cgroup/unified");
  std::ofstream(root / "proc/cpuinfo") << "processor\t: 0\nmodel name\t: AMD EPYC\n\nprocessor\t: 1\nmodel name\t: AMD EPYC\n";
  std::ofstream(root / "proc/meminfo") << "MemTotal:       1024 kB\n";
  std::ofstream(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") << "performance\n";
  std::ofstream(root / "sys/devices/system/cpu/smt/active") << "0\n";
  std::ofstream(root / "sys/fs/cgroup/unified/cgroup.controllers") << "\n";
  auto environment = host_environment(root.path());
  CHECK(environment.at("cpu_model") == "AMD EPYC");
  CHECK(environment.at("cores") == 2);
  CHECK(environment.at("smt") == false);
  CHECK(environment.at("governor") == "performance");
  CHECK(environment.at("memory_bytes") == 1024 * 1024);
  CHECK(environment.at("cgroup") == "1+2");
  CHECK_FALSE(host_environment(root / "nowhere").contains("governor"));

  Fixture f({"2/*clients=8"}, 1);
  const Outcome outcome = f.measure();
  add_lab_environment(environment, f.standing, f.bench.facts, test::playbook());
  add_crypto_environment(environment, f.plan, outcome.trials, f.bench.facts);
  CHECK(environment.at("cpu_unit") == 0.4);
  CHECK(environment.at("cpu_method") == "quota");
  CHECK(environment.at("openssl") == "3.0.17");
  CHECK(environment.at("nodes").at(2).at("name") == "webseal");
  CHECK(environment.at("crypto").at("features").at(0) == "aes");
  CHECK(std::string(environment.at("crypto").at("software").as_string()).find("env:") != std::string::npos);
}
