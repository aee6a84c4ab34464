// How `lab run` looks while it goes on: one live line on a terminal, else a line a trial.
#pragma once

#include "command.hpp"
#include "run/measure.hpp"

#include <string>

namespace lab::cli {

class RunProgress final : public run::Progress {
 public:
  explicit RunProgress(Context& context) : context_(context) {}
  ~RunProgress() override;  // leaves the cursor on a line of its own

  void starting(const run::TrialPlan& trial, int number, int total, std::chrono::nanoseconds left) override;
  void finished(const Trial& trial, int number, int total) override;

 private:
  void clear_line();

  Context& context_;
  std::string last_;      // throughput of the trial before
  bool on_line_ = false;  // the live line is there
};

// "2/page=5.8KB/… 1234 pages/s, unsaturated", or why it failed.
std::string describe(const Trial& trial);

}  // namespace lab::cli
