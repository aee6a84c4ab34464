// reports/runs.db: what `lab runs` lists. Only an index: sync() makes it from the directories, whatever it held.
#pragma once

#include "lab/error.hpp"
#include "lab/results.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lab::store {

struct RunSummary {
  std::string name, lab, playbook, profile, started;
  std::string state;  // finished | unfinished
  int trials = 0;
  int measured = 0, skipped = 0, failed = 0, flagged = 0;  // cells
  int agrees = 0, differs = 0, cannot_tell = 0;            // claims
  bool operator==(const RunSummary&) const = default;
};

struct TrendPoint {  // a cell in one run
  std::string run, started, profile;
  std::string status;  // measured | skipped | failed
  Interval pages_per_s;
  std::vector<std::string> flags;
};

struct Trend {  // a cell over all runs of a playbook in a lab of that name, the oldest first
  std::string lab, playbook, cell;
  std::vector<TrendPoint> points;
};

class Index {
 public:
  // Opens or makes reports/runs.db. A file that is damaged, no database, or of another version's schema is replaced.
  static Result<std::unique_ptr<Index>> open(const std::filesystem::path& reports);
  ~Index();
  Index(const Index&) = delete;
  Index& operator=(const Index&) = delete;

  // Reads the directories that are new or changed, forgets those that are gone. Unreadable ones are left out.
  Result<void> sync();
  Result<std::vector<RunSummary>> list() const;  // the latest first
  // By lab and playbook, cells in the order of the latest run that has them. `wanted` is asked for each cell's id.
  Result<std::vector<Trend>> trends(const std::function<bool(const std::string&)>& wanted) const;

 private:
  struct Impl;
  explicit Index(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// What the index holds of one directory, but for its cells.
Result<RunSummary> summarise(const std::filesystem::path& directory);

}  // namespace lab::store
