// reports/runs.db: what `lab runs` lists. Only an index: sync() makes it from the directories, whatever it held.
#pragma once

#include "lab/error.hpp"

#include <filesystem>
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

class Index {
 public:
  // Opens or makes reports/runs.db; a file that is not a database is replaced.
  static Result<std::unique_ptr<Index>> open(const std::filesystem::path& reports);
  ~Index();
  Index(const Index&) = delete;
  Index& operator=(const Index&) = delete;

  // Reads the directories that are new or changed, forgets those that are gone. Unreadable ones are left out.
  Result<void> sync();
  Result<std::vector<RunSummary>> list() const;  // the latest first

 private:
  struct Impl;
  explicit Index(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// What the index holds of one directory.
Result<RunSummary> summarise(const std::filesystem::path& directory);

}  // namespace lab::store
