#include "report/percentiles.hpp"

#include "sample.hpp"
#include "stats/histogram.hpp"
#include "store/raw.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch.hpp>
#include <fstream>

using namespace lab;
using namespace lab::report;
using namespace lab::report::test;

namespace {

struct OnDisk {
  TemporaryFolder folder;
  Run run;

  OnDisk() { std::filesystem::create_directory(folder / "histograms"); }

  // `count` times `us`, as the histogram of one side.
  void save(int trial, std::size_t side, std::size_t sides, store::Times times, double us, std::uint64_t count) const {
    stats::Histogram histogram;
    histogram.record(static_cast<std::uint64_t>(us * 1e3), count);
    std::ofstream(folder.path() / store::histogram_name(trial, side, sides, times)) << stats::hdr_log("cell", 0, 1, histogram);
  }
};

}  // namespace

TEST_CASE("percentiles are those of one histogram over a cell's trials, not means of theirs") {
  OnDisk disk;
  const std::string cell = add_cell(disk.run, "1", {{"page", "5.8KB"}}, {1000, 1000}).id;
  disk.save(1, 0, 1, store::Times::service, 1000, 9000);
  disk.save(2, 0, 1, store::Times::service, 9000, 1000);
  const auto found = read_percentiles(disk.folder.path(), disk.run);
  REQUIRE(found.contains(cell));
  const CellTimes& times = found.at(cell);
  CHECK(times.count == 10'000);
  CHECK(times.trials == 2);
  CHECK_FALSE(times.latency);
  CHECK(times.us[0].value() == Approx(1000).epsilon(0.001));
  CHECK(times.us[1].value() == Approx(1000).epsilon(0.001));  // the mean of both p90 would be 5,000
  CHECK(times.us[2].value() == Approx(9000).epsilon(0.001));
  CHECK(times.us[3].value() == Approx(9000).epsilon(0.001));
  CHECK(times.us[4].value() == Approx(9000).epsilon(0.001));
}

TEST_CASE("a percentile with fewer than ten exchanges beyond it is none") {
  OnDisk disk;
  const std::string cell = add_cell(disk.run, "1", {{"page", "2.9MB"}}, {10}).id;
  disk.save(1, 0, 1, store::Times::service, 1000, 999);
  const CellTimes few = read_percentiles(disk.folder.path(), disk.run).at(cell);
  CHECK(few.us[1].has_value());
  CHECK_FALSE(few.us[2].has_value());
  CHECK_FALSE(few.us[3].has_value());
  CHECK(few.us[4].has_value());
  disk.save(1, 0, 1, store::Times::service, 1000, 10'000);
  CHECK(read_percentiles(disk.folder.path(), disk.run).at(cell).us[3].has_value());
}

TEST_CASE("A/A pairs, failed trials and the other side are in no cell's percentiles") {
  OnDisk disk;
  const std::string cell = add_cell(disk.run, "1", {{"page", "5.8KB"}}, {1000, 1000, 1000, 1000}).id;
  disk.run.trials[0].kind = "aa";
  disk.run.trials[1].failed = "gone";
  Trial& pair = disk.run.trials[2];
  pair.kind = "pair";
  pair.sides.insert(pair.sides.begin(), Side{});
  pair.sides.front().cell = "another";
  disk.save(1, 0, 1, store::Times::service, 1, 100);
  disk.save(2, 0, 1, store::Times::service, 1, 100);
  disk.save(3, 0, 2, store::Times::service, 1, 100);
  disk.save(3, 1, 2, store::Times::service, 50, 100);
  const auto found = read_percentiles(disk.folder.path(), disk.run);
  CHECK(found.size() == 1);
  CHECK(found.at(cell).count == 100);
  CHECK(found.at(cell).us[4].value() == Approx(50).epsilon(0.001));
}

TEST_CASE("where latency was measured it is what is shown") {
  OnDisk disk;
  const std::string cell = add_cell(disk.run, "1", {{"page", "5.8KB"}}, {1000}).id;
  disk.save(1, 0, 1, store::Times::service, 1000, 100);
  disk.save(1, 0, 1, store::Times::latency, 7000, 100);
  const CellTimes times = read_percentiles(disk.folder.path(), disk.run).at(cell);
  CHECK(times.latency);
  CHECK(times.us[0].value() == Approx(7000).epsilon(0.001));
}

TEST_CASE("a run without histograms has no percentiles") {
  const TemporaryFolder empty;
  Run run;
  add_cell(run, "1", {{"page", "5.8KB"}}, {1000});
  CHECK(read_percentiles(empty.path(), run).empty());
}
