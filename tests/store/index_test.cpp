#include "store/index.hpp"

#include "store/run_directory.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch.hpp>
#include <fstream>

using namespace lab;
using namespace lab::store;
namespace fs = std::filesystem;

namespace {

fs::path make_run(const fs::path& reports, const std::string& started, bool finished) {
  RunRecord record;
  record.lab = "local";
  record.playbook = "p";
  record.profile = "quick";
  record.started = started;
  auto run = RunDirectory::create(reports, record);
  REQUIRE(run);
  REQUIRE((*run)->append(Trial{}));
  if (finished) {
    Results results;
    results.cells.resize(4);
    results.cells[1].status = "skipped";
    results.cells[2].status = "failed";
    results.cells[3].flags = {"errors"};
    results.claims.resize(3);
    results.claims[0].verdict = "agrees";
    results.claims[1].verdict = "differs";
    REQUIRE((*run)->finish(results));
  }
  return (*run)->path();
}

std::vector<RunSummary> listed(const fs::path& reports) {
  auto index = Index::open(reports);
  REQUIRE(index);
  REQUIRE((*index)->sync());
  auto runs = (*index)->list();
  REQUIRE(runs);
  return *runs;
}

}  // namespace

TEST_CASE("the index lists the runs that there are, the latest first") {
  const TemporaryFolder folder;
  make_run(folder.path(), "2026-11-30T20:00:00Z", true);
  make_run(folder.path(), "2026-11-30T21:00:00Z", false);
  const auto runs = listed(folder.path());
  REQUIRE(runs.size() == 2);
  CHECK(runs[0] == RunSummary{"local-p-20261130T210000Z", "local", "p", "quick", "2026-11-30T21:00:00Z", "unfinished", 1});
  CHECK(runs[1] ==
        RunSummary{"local-p-20261130T200000Z", "local", "p", "quick", "2026-11-30T20:00:00Z", "finished", 1, 2, 1, 1, 1, 1, 1, 1});
}

TEST_CASE("the index notices runs that went on, are gone, or cannot be read") {
  const TemporaryFolder folder;
  const fs::path first = make_run(folder.path(), "2026-11-30T20:00:00Z", false);
  const fs::path second = make_run(folder.path(), "2026-11-30T21:00:00Z", true);
  CHECK(listed(folder.path()).size() == 2);
  {
    auto run = RunDirectory::reopen(first);
    REQUIRE(run);
    REQUIRE((*run)->append(Trial{}));
  }
  fs::remove_all(second);
  fs::create_directory(folder.path() / "other");
  std::ofstream(folder.path() / "other/run.json") << "rubbish";
  const auto runs = listed(folder.path());
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].trials == 2);
}

TEST_CASE("a run that was interrupted has results, and is not finished") {
  const TemporaryFolder folder;
  RunRecord record;
  record.lab = "local";
  record.playbook = "p";
  record.started = "2026-11-30T20:00:00Z";
  record.repeats = 2;
  record.trials = 2;
  record.cells = {{"1/a", ""}, {"1/b", "cannot run here"}};
  auto run = RunDirectory::create(folder.path(), record);
  REQUIRE(run);
  REQUIRE((*run)->append(Trial{}));
  REQUIRE((*run)->finish(Results{}));
  CHECK(summarise((*run)->path())->state == "unfinished");
  REQUIRE((*run)->append(Trial{}));
  CHECK(summarise((*run)->path())->state == "finished");
}

TEST_CASE("a damaged index is made again from the directories") {
  const TemporaryFolder folder;
  make_run(folder.path(), "2026-11-30T20:00:00Z", true);
  CHECK(listed(folder.path()).size() == 1);
  std::ofstream(folder.path() / "runs.db") << std::string(8192, 'x');
  CHECK(listed(folder.path()).size() == 1);
  fs::remove(folder.path() / "runs.db");
  CHECK(listed(folder.path()).size() == 1);
}
