#include "store/run_directory.hpp"

#include "store/files.hpp"
#include "store/json.hpp"
#include "temporary_folder.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace lab;
using namespace lab::store;
namespace fs = std::filesystem;

namespace {

std::string text_in(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void write(const fs::path& file, const std::string& text, std::ios::openmode mode = std::ios::out) { std::ofstream(file, mode) << text; }

RunRecord record() {
  RunRecord r;
  r.lab = "local";
  r.playbook = "webseal-2007";
  r.started = "2026-11-30T20:25:14Z";
  r.command = {"lab", "run", "--seed", "7"};
  r.seed = 7;
  r.profile = "quick";
  r.warmup = std::chrono::milliseconds(300);
  r.measure = std::chrono::seconds(1);
  r.repeats = 3;
  r.trials = 12;
  r.until = 0.5;
  r.only = {"1/*"};
  r.cells = {{"1/clients=8", ""}, {"1-log/log=own-disk", "no log-dir"}};
  r.lab_text = "lab: local\n";
  r.playbook_text = "playbook: webseal-2007\n";
  r.environment = {{"cores", 2}};
  return r;
}

Trial trial(int number) {
  Trial t;
  t.trial = number;
  t.block = 0;
  t.order = number - 1;
  t.seed = 7;
  Side side;
  side.cell = "1/clients=8";
  side.counts = {1000, 998, 1, 1, 8, 1007, false, 1000, 1, {{"timeout", 1}}};
  side.pages_per_s = 768.5;
  side.cpu = {{"webseal", 0.875}};
  side.cpu_us_per_page = {{"webseal", 512}};
  side.machines = {{"host", 0.5}};
  side.service_us_p50 = 250;
  side.service_us_p99 = 1500;
  side.latency_us = Percentiles{300, 2500};
  side.tls_version = "1.2";
  side.tls_cipher = "ECDHE-RSA-AES128-GCM-SHA256";
  side.openssl_cpu = "OPENSSL_ia32cap=0x1";
  side.slices = {{300000000, 1.0, 768, {{"webseal", 400000}}}};
  t.sides = {side};
  t.flags = {"unreconciled"};
  t.notes = {"unreconciled: one line too few"};
  t.clocks = {{"client1", {-1500, 40000}}};
  return t;
}

Results results() {
  Results r;
  CellResult cell;
  cell.id = "1/clients=8";
  cell.scenario = "1";
  cell.axes = {{"clients", "8"}};
  cell.trials = 3;
  cell.pages_per_s = {768.5, 700, 800, 3};
  cell.service_us_p50 = 250;
  cell.service_us_p99 = 1500;
  cell.latency_us = Latency{{300, 250, 350, 3}, {2500, 2000, 3000, 3}};
  cell.cpu = {{"webseal", 0.875}};
  cell.cpu_us_per_page = {{"webseal", 512}};
  cell.machines = {{"host", 0.5}};
  cell.errors = 1;
  cell.limited_by = "webseal";
  cell.flags = {"indicative"};
  CellResult skipped;
  skipped.id = "1-log/log=own-disk";
  skipped.scenario = "1-log";
  skipped.axes = {{"log", "own-disk"}};
  skipped.status = "skipped";
  skipped.reason = "no log-dir";
  r.cells = {cell, skipped};
  r.pairs = {{"1/clients=8", "1/clients=8", "aa", {1, 0.5, 2, 6}, 0.25, {}}};
  r.claims = {{"ssl-cost", "SSL costs 35%", "ratio", "0.65", {0.65, 0.625, 0.75, 6}, "agrees", "it lies within", "clients=8", 0.05}};
  r.environment = {{"cores", 2}};
  return r;
}

// The kernel refuses what would make a file of this process larger.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::size_t bytes) : handler_(signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  sighandler_t handler_;
};

std::unique_ptr<RunDirectory> make(const fs::path& reports) {
  auto run = RunDirectory::create(reports, record());
  REQUIRE(run);
  return std::move(*run);
}

// Compares with a file under tests/store/golden; LAB_RENEW_GOLDEN=1 rewrites it, and the diff is to be reviewed.
void check_golden(const std::string& name, const std::string& text) {
  const fs::path file = fs::path(LAB_SOURCE_DIR) / "tests/store/golden" / name;
  if (std::getenv("LAB_RENEW_GOLDEN") != nullptr) {
    write(file, text);
  }
  CHECK(text == text_in(file));
}

}  // namespace

TEST_CASE("the files of a run have the keys of the design") {
  check_golden("trial.json", boost::json::serialize(to_json(trial(1))) + "\n");
  check_golden("results.json", boost::json::serialize(to_json(results())) + "\n");
  check_golden("run.json", boost::json::serialize(to_json(record())) + "\n");
}

TEST_CASE("what is written is read back the same") {
  CHECK(boost::json::serialize(to_json(trial_from_json(to_json(trial(3))))) == boost::json::serialize(to_json(trial(3))));
  CHECK(boost::json::serialize(to_json(results_from_json(to_json(results())))) == boost::json::serialize(to_json(results())));
  CHECK(record_from_json(to_json(record())) == record());
}

TEST_CASE("an object without keys is read as one without values") {
  CHECK(trial_from_json({}).sides.empty());
  CHECK(results_from_json({{"cells", "none"}}).cells.empty());
  CHECK(record_from_json({{"seed", "x"}}).seed == 0);
}

TEST_CASE("a run's directory is named after lab, playbook and time, and a second one of that second has another name") {
  const TemporaryFolder folder;
  const auto first = make(folder.path() / "reports");
  const auto second = make(folder.path() / "reports");
  CHECK(first->path().filename() == "local-webseal-2007-20261130T202514Z");
  CHECK(second->path().filename() == "local-webseal-2007-20261130T202514Z-2");
  const auto read = read_record(second->path());
  REQUIRE(read);
  CHECK(read->name == "local-webseal-2007-20261130T202514Z-2");
}

TEST_CASE("a run that was cut off can be read, and goes on after its last whole trial") {
  const TemporaryFolder folder;
  const fs::path path = make(folder.path())->path();
  {
    auto run = RunDirectory::reopen(path);
    REQUIRE(run);
    REQUIRE((*run)->append(trial(1)));
    REQUIRE((*run)->append(trial(2)));
  }
  write(path / "trials.jsonl", R"({"trial": 3, "kind": "sin)", std::ios::app);

  auto trials = read_trials(path);
  REQUIRE(trials);
  CHECK(trials->size() == 2);

  auto run = RunDirectory::reopen(path);
  REQUIRE(run);
  REQUIRE((*run)->append(trial(3)));
  trials = read_trials(path);
  REQUIRE(trials);
  REQUIRE(trials->size() == 3);
  CHECK(trials->back().trial == 3);
  const auto stored = read_run(path);
  REQUIRE(stored);
  CHECK_FALSE(stored->results.has_value());
}

TEST_CASE("a damaged line that is not the last is an error with its place") {
  const TemporaryFolder folder;
  const auto run = make(folder.path());
  write(run->path() / "trials.jsonl", "{\"trial\": 1}\nrubbish\n{\"trial\": 3}\n");
  const auto trials = read_trials(run->path());
  REQUIRE_FALSE(trials);
  CHECK(trials.error().what == "not a trial: rubbish");
  CHECK(trials.error().where == (run->path() / "trials.jsonl:2").string());
}

TEST_CASE("a full disk is named with its remedy") {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  REQUIRE(full >= 0);
  const auto written = write_all(full, "x", "reports/trials.jsonl");
  close(full);
  REQUIRE_FALSE(written);
  CHECK(to_string(written.error()) ==
        "write reports/trials.jsonl: No space left on device\n  free space there, or choose a folder on another disk");
}

TEST_CASE("a trial that could be written in part only leaves the file as it was") {
  const TemporaryFolder folder;
  const auto run = make(folder.path());
  REQUIRE(run->append(trial(1)));
  const std::string before = text_in(run->path() / "trials.jsonl");
  {
    const FileSizeLimit limit(before.size() + 10);
    CHECK_FALSE(run->append(trial(2)));
  }
  CHECK(text_in(run->path() / "trials.jsonl") == before);
  CHECK(run->append(trial(2)));
}

TEST_CASE("samples are rows under one head, also when a run goes on") {
  const TemporaryFolder folder;
  const fs::path path = make(folder.path())->path();
  for (int part = 1; part <= 2; ++part) {
    auto run = RunDirectory::reopen(path);
    REQUIRE(run);
    REQUIRE((*run)->append(std::vector<NodeSample>{{part, "webseal", 300, 301, 5, 1, 2, 3, 4, 5, 6, 7}}));
    REQUIRE((*run)->append(trial(part)));
  }
  CHECK(text_in(path / "samples.csv") ==
        "trial,node,at_ns,taken_ns,cpu_us,host_user_us,host_system_us,host_idle_us,host_iowait_us,host_steal_us,host_irq_us,host_accounted_"
        "us\n"
        "1,webseal,300,301,5,1,2,3,4,5,6,7\n2,webseal,300,301,5,1,2,3,4,5,6,7\n");
}

TEST_CASE("a run that goes on has no samples of a trial that it will measure again") {
  const TemporaryFolder folder;
  const fs::path path = make(folder.path())->path();
  std::string recorded;
  {
    auto run = RunDirectory::reopen(path);
    REQUIRE(run);
    REQUIRE((*run)->append(std::vector<NodeSample>{{1, "webseal", 300, 301, 5, 1, 2, 3, 4, 5, 6, 7}}));
    REQUIRE((*run)->append(trial(1)));
    recorded = text_in(path / "samples.csv");
    REQUIRE((*run)->append(std::vector<NodeSample>{{2, "webseal", 300, 301, 5, 1, 2, 3, 4, 5, 6, 7}}));
  }
  write(path / "samples.csv", "2,web", std::ios::app);
  REQUIRE(RunDirectory::reopen(path));
  CHECK(text_in(path / "samples.csv") == recorded);
}

TEST_CASE("the latest link follows the run that began or ended last") {
  const TemporaryFolder folder;
  const auto first = make(folder.path());
  CHECK(*find_run(folder.path(), "") == fs::canonical(first->path()));
  const auto second = make(folder.path());
  CHECK(*find_run(folder.path(), "") == fs::canonical(second->path()));
  REQUIRE(second->finish(results()));
  REQUIRE(first->finish(results()));
  const auto latest = find_run(folder.path(), "");
  REQUIRE(latest);
  CHECK(*latest == fs::canonical(first->path()));
  CHECK(*find_run(folder.path(), second->path().filename().string()) == fs::canonical(second->path()));
  CHECK(*find_run(folder.path(), second->path().string()) == fs::canonical(second->path()));
}

TEST_CASE("a run that is not there is an error of usage that names the remedy") {
  const TemporaryFolder folder;
  const auto none = find_run(folder.path(), "");
  REQUIRE_FALSE(none);
  CHECK(to_string(none.error()) == "there is no run in " + folder.path().string() + "\n  measure one with: lab run");
  CHECK(none.error().failure == Failure::usage);
  CHECK(find_run(folder.path(), "x").error().what == "no such run: x");
}

TEST_CASE("a file is replaced whole or not at all") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "a";
  REQUIRE(write_atomically(file, "one"));
  REQUIRE(write_atomically(file, "two"));
  CHECK(text_in(file) == "two");
  CHECK_FALSE(write_atomically(folder.path() / "missing/a", "three"));
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator{}) == 1);
}
