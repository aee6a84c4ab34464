// How `lab run` looks while it goes on: a live table on a terminal, else a line a trial.
#pragma once

#include "command.hpp"
#include "run/measure.hpp"

#include <memory>
#include <string>
#include <vector>

namespace lab::cli {

class LiveTable;

class RunProgress final : public run::Progress {
 public:
  // `fd`: the terminal that context.err writes to. `now`: what time left is counted with.
  explicit RunProgress(Context& context, int fd = 2, Deadline (*now)() = Clock::now);
  ~RunProgress() override;  // takes the table away; the cursor is on a line of its own

  void starting(const run::TrialPlan& trial, int number, int total, std::chrono::nanoseconds left) override;
  void finished(const Trial& trial, int number, int total) override;
  void sampled(const run::LiveSample& sample) override;

 private:
  void print(const std::string& line);

  Context& context_;
  std::unique_ptr<LiveTable> table_;  // null: no terminal, or --quiet
};

// One progress as several.
class EachProgress final : public run::Progress {
 public:
  explicit EachProgress(std::vector<run::Progress*> all) : all_(std::move(all)) {}

  void starting(const run::TrialPlan& trial, int number, int total, std::chrono::nanoseconds left) override;
  void finished(const Trial& trial, int number, int total) override;
  void sampled(const run::LiveSample& sample) override;

 private:
  std::vector<run::Progress*> all_;
};

// "2/page=5.8KB/… 1234 pages/s, unsaturated", or why it failed.
std::string describe(const Trial& trial);

}  // namespace lab::cli
