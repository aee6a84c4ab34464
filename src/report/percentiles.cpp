#include "report/percentiles.hpp"

#include "report/report.hpp"
#include "report/scenario.hpp"
#include "store/raw.hpp"

namespace lab::report {

namespace {

constexpr std::array<double, 4> kShares{50, 90, 99, 99.9};
constexpr double kBeyond = 10;

struct Merged {
  stats::Histogram histogram;
  int trials = 0;
};

Merged merged(const std::filesystem::path& run_directory, const Run& run, const std::string& cell, store::Times times) {
  Merged all;
  for (const Trial* trial : trials_of(run, cell)) {
    for (std::size_t i = 0; i < trial->sides.size() && trial->kind != "aa" && trial->failed.empty(); ++i) {
      if (trial->sides[i].cell != cell) {
        continue;
      }
      if (const auto one = store::read_histogram(run_directory / store::histogram_name(trial->trial, i, trial->sides.size(), times))) {
        all.histogram.merge(*one);
        ++all.trials;
      }
    }
  }
  return all;
}

CellTimes percentiles_of(const Merged& all, store::Times times) {
  CellTimes found;
  found.count = all.histogram.count();
  found.trials = all.trials;
  found.latency = times == store::Times::latency;
  for (std::size_t i = 0; i < kShares.size(); ++i) {
    if (static_cast<double>(found.count) * (100 - kShares[i]) / 100 >= kBeyond - 1e-6) {
      found.us[i] = static_cast<double>(all.histogram.percentile(kShares[i])) / 1e3;
    }
  }
  found.us.back() = static_cast<double>(all.histogram.max()) / 1e3;
  return found;
}

}  // namespace

std::map<std::string, CellTimes> read_percentiles(const std::filesystem::path& run_directory, const Run& run) {
  std::map<std::string, CellTimes> found;
  std::error_code ignored;
  if (!std::filesystem::is_directory(run_directory / "histograms", ignored)) {
    return found;
  }
  for (const CellResult& cell : run.results.cells) {
    for (const store::Times times : {store::Times::latency, store::Times::service}) {
      if (const Merged all = merged(run_directory, run, cell.id, times); all.histogram.count() > 0) {
        found[cell.id] = percentiles_of(all, times);
        break;
      }
    }
  }
  return found;
}

}  // namespace lab::report
