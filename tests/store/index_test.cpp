#include "store/index.hpp"

#include "store/run_directory.hpp"
#include "temporary_folder.hpp"

#include <sqlite3.h>
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

namespace {

// The index as it was made by `sql` in an empty database, then closed.
void make_database(const fs::path& reports, const char* sql) {
  fs::remove(reports / "runs.db");
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open((reports / "runs.db").c_str(), &db) == SQLITE_OK);
  REQUIRE(sqlite3_exec(db, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(db);
}

}  // namespace

TEST_CASE("an index that is missing is made from the directories") {
  const TemporaryFolder folder;
  make_run(folder.path(), "2026-11-30T20:00:00Z", true);
  CHECK(listed(folder.path()).size() == 1);
  fs::remove(folder.path() / "runs.db");
  CHECK(listed(folder.path()).size() == 1);
}

TEST_CASE("a damaged index is made again from the directories") {
  const TemporaryFolder folder;
  make_run(folder.path(), "2026-11-30T20:00:00Z", true);
  CHECK(listed(folder.path()).size() == 1);
  SECTION("it is no database") { std::ofstream(folder.path() / "runs.db") << std::string(8192, 'x'); }
  SECTION("its first page is whole, the others are not") {
    std::fstream file(folder.path() / "runs.db", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    file << std::string(4096, 'x');
  }
  SECTION("it was cut") { fs::resize_file(folder.path() / "runs.db", 4096 + 100); }
  SECTION("it is empty") { fs::resize_file(folder.path() / "runs.db", 0); }
  CHECK(listed(folder.path()).size() == 1);
}

TEST_CASE("an index of another schema is made again, whether it is older, newer or somebody else's") {
  const TemporaryFolder folder;
  make_run(folder.path(), "2026-11-30T20:00:00Z", true);
  const char* const others[] = {
      "CREATE TABLE runs (name TEXT PRIMARY KEY, stamp TEXT); INSERT INTO runs VALUES ('old', '')",
      "CREATE TABLE runs (name TEXT PRIMARY KEY); CREATE TABLE cells (run TEXT); PRAGMA user_version = 3",
      "CREATE TABLE other (x)",
  };
  for (const char* sql : others) {
    CAPTURE(sql);
    make_database(folder.path(), sql);
    const auto runs = listed(folder.path());
    REQUIRE(runs.size() == 1);
    CHECK(runs[0].measured == 2);
  }
}

namespace {

void make_measured(const fs::path& reports, const std::string& lab, const std::string& started, std::vector<CellResult> cells) {
  RunRecord record;
  record.lab = lab;
  record.playbook = "p";
  record.profile = "quick";
  record.started = started;
  auto run = RunDirectory::create(reports, record);
  REQUIRE(run);
  Results results;
  results.cells = std::move(cells);
  REQUIRE((*run)->finish(results));
}

CellResult cell(const std::string& id, double rate) {
  CellResult result;
  result.id = id;
  result.trials = 6;
  result.pages_per_s = {rate, rate * 0.9, rate * 1.1, 6};
  return result;
}

}  // namespace

TEST_CASE("a cell's trend is its figure in each run of its lab and playbook, the oldest first") {
  const TemporaryFolder folder;
  CellResult flagged = cell("1/a", 110), failed = cell("1/b", 0);
  flagged.flags = {"noisy-host", "indicative"};
  failed.status = "failed";
  make_measured(folder.path(), "local", "2026-11-30T21:00:00Z", {flagged, failed});
  make_measured(folder.path(), "local", "2026-11-30T20:00:00Z", {cell("1/b", 50), cell("1/a", 100), cell("2/a", 10)});
  make_measured(folder.path(), "other", "2026-11-30T22:00:00Z", {cell("1/a", 7)});
  auto index = Index::open(folder.path());
  REQUIRE(index);
  REQUIRE((*index)->sync());
  const auto trends = (*index)->trends([](const std::string& id) { return id.front() == '1'; });
  REQUIRE(trends);
  REQUIRE(trends->size() == 3);
  const Trend& first = trends->front();
  CHECK(first.lab == "local");
  CHECK(first.playbook == "p");
  CHECK(first.cell == "1/a");
  REQUIRE(first.points.size() == 2);
  CHECK(first.points[0].run == "local-p-20261130T200000Z");
  CHECK(first.points[0].started == "2026-11-30T20:00:00Z");
  CHECK(first.points[0].profile == "quick");
  CHECK(first.points[0].pages_per_s.median == 100);
  CHECK(first.points[1].run == "local-p-20261130T210000Z");
  CHECK(first.points[1].pages_per_s.low == Approx(99));
  CHECK(first.points[1].pages_per_s.high == Approx(121));
  CHECK(first.points[1].pages_per_s.n == 6);
  CHECK(first.points[1].flags == std::vector<std::string>{"noisy-host", "indicative"});
  CHECK((*trends)[1].cell == "1/b");
  CHECK((*trends)[1].points.back().status == "failed");
  CHECK((*trends)[2].lab == "other");
}

TEST_CASE("a run that goes on replaces its cells, and one that is gone takes them with it") {
  const TemporaryFolder folder;
  const auto all = [&] {
    auto index = Index::open(folder.path());
    REQUIRE(index);
    REQUIRE((*index)->sync());
    return *(*index)->trends([](const std::string&) { return true; });
  };
  make_measured(folder.path(), "local", "2026-11-30T20:00:00Z", {cell("1/a", 100), cell("1/b", 50)});
  CHECK(all().size() == 2);
  const fs::path run = folder.path() / "local-p-20261130T200000Z";
  {
    auto again = RunDirectory::reopen(run);
    REQUIRE(again);
    Results results;
    results.cells = {cell("1/a", 120)};
    REQUIRE((*again)->finish(results));
  }
  const auto trends = all();
  REQUIRE(trends.size() == 1);
  CHECK(trends[0].points.size() == 1);
  CHECK(trends[0].points[0].pages_per_s.median == 120);
  fs::remove_all(run);
  CHECK(all().empty());
}
