// A run's directory, reports/<lab>-<playbook>-<UTC time>/: run.json, trials.jsonl, samples.csv, histograms/, logs/, results.json.
#pragma once

#include "lab/error.hpp"
#include "lab/playbook.hpp"
#include "lab/results.hpp"

#include <boost/json/object.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lab::store {

struct PlannedCell {
  std::string id;
  std::string skipped;  // why it cannot run here; empty: it can
  bool operator==(const PlannedCell&) const = default;
};

struct RunRecord {   // run.json: with it a run can be repeated
  std::string name;  // of the directory; given by create()
  std::string lab, playbook;
  std::string started;               // "2026-11-30T20:25:14Z"
  std::vector<std::string> command;  // as typed
  std::uint64_t seed = 0;
  std::string profile;
  std::chrono::nanoseconds warmup{0}, measure{0};  // as run: options have been applied
  int repeats = 0;
  int trials = 0;    // planned; --until may add to them
  double until = 0;  // repeats are added until the intervals' half-widths are under it; 0: as many as planned
  std::vector<std::string> only;
  std::vector<PlannedCell> cells;  // in file order
  std::string lab_text, playbook_text;
  boost::json::object environment;
  bool operator==(const RunRecord&) const = default;
};

struct NodeSample {  // a row of samples.csv; cumulative µs, as the agent read them
  int trial = 0;
  std::string node;
  std::int64_t at_ns = 0;                                                        // since the trial's start instant; negative before it
  std::int64_t taken_ns = 0;                                                     // likewise: when it was really read
  std::uint64_t cpu_us = 0;                                                      // roles and agent
  std::uint64_t user = 0, system = 0, idle = 0, iowait = 0, steal = 0, irq = 0;  // of its host
  std::uint64_t accounted = 0;                                                   // likewise; 0: not known
};

class RunDirectory {  // the one writer of a run
 public:
  // Makes the folder below `reports` and writes run.json.
  static Result<std::unique_ptr<RunDirectory>> create(const std::filesystem::path& reports, RunRecord record);
  // Goes on with one that is there; a torn last line of trials.jsonl is cut off.
  static Result<std::unique_ptr<RunDirectory>> reopen(const std::filesystem::path& directory);
  ~RunDirectory();
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;

  // On return the line is on disk; on an error the file is as before.
  Result<void> append(const Trial& trial);
  Result<void> append(const std::vector<NodeSample>& samples);
  // A file below the directory: "logs/…", "histograms/…".
  Result<void> save(const std::filesystem::path& name, std::string_view text);
  // results.json, then the `latest` link beside the directory, which may have gone to another run since.
  Result<void> finish(const Results& results);

  const std::filesystem::path& path() const { return path_; }

 private:
  RunDirectory(std::filesystem::path path, int trials, int samples);
  std::filesystem::path path_;
  int trials_, samples_;  // descriptors
};

struct StoredRun {
  RunRecord record;
  std::vector<Trial> trials;       // in order of execution
  std::optional<Results> results;  // absent: the run did not get to its end
};

Result<RunRecord> read_record(const std::filesystem::path& directory);
// A torn last line is dropped; an unreadable one elsewhere is an error.
Result<std::vector<Trial>> read_trials(const std::filesystem::path& directory);
Result<StoredRun> read_run(const std::filesystem::path& directory);

// A path, a run's name below `reports`, or nothing: the latest. The answer is the directory itself, not a link to it.
Result<std::filesystem::path> find_run(const std::filesystem::path& reports, const std::string& run);

}  // namespace lab::store
