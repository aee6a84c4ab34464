#include "run_progress.hpp"

#include "live_table.hpp"
#include "run_text.hpp"

#include <fmt/format.h>

namespace lab::cli {

std::string describe(const Trial& trial) {
  std::vector<std::string> sides;
  std::vector<std::string> rates;
  for (const Side& side : trial.sides) {
    sides.push_back(side.cell);
    rates.push_back(rate_text(side.pages_per_s));
  }
  const std::string names = fmt::format("{}", fmt::join(sides, " against "));
  if (!trial.failed.empty()) {
    return names + "  failed: " + trial.failed;
  }
  return fmt::format("{}  {} pages/s{}{}", names, fmt::join(rates, " and "), trial.flags.empty() ? "" : "  ", fmt::join(trial.flags, ", "));
}

RunProgress::RunProgress(Context& context, int fd, Deadline (*now)())
    : context_(context), table_(context.terminal && !context.quiet ? std::make_unique<LiveTable>(context.err, fd, now) : nullptr) {}

RunProgress::~RunProgress() = default;

void RunProgress::print(const std::string& line) {
  if (table_) {
    return table_->print(line);
  }
  context_.err << line << '\n';
}

void RunProgress::starting(const run::TrialPlan& trial, int number, int total, std::chrono::nanoseconds left) {
  if (table_) {
    table_->change([cells = trial.sides, number, total, left](RunView& view) { view.starting(cells, number, total, left); });
  }
}

void RunProgress::finished(const Trial& trial, int number, int total) {
  if (context_.quiet) {
    return;
  }
  if (table_) {
    table_->change([trial, number, total](RunView& view) { view.finished(trial, number, total); });
  }
  if (!table_ || context_.verbose || !trial.failed.empty()) {
    print(fmt::format("{}/{}  {}", number, total, describe(trial)));
    for (const std::string& note : context_.verbose ? trial.notes : std::vector<std::string>{}) {
      print("    " + note);
    }
  }
}

void RunProgress::sampled(const run::LiveSample& sample) {
  if (table_) {
    table_->change([sample](RunView& view) { view.sampled(sample.node, sample.cpus); });
  }
}

void EachProgress::starting(const run::TrialPlan& trial, int number, int total, std::chrono::nanoseconds left) {
  for (run::Progress* each : all_) {
    each->starting(trial, number, total, left);
  }
}

void EachProgress::finished(const Trial& trial, int number, int total) {
  for (run::Progress* each : all_) {
    each->finished(trial, number, total);
  }
}

void EachProgress::sampled(const run::LiveSample& sample) {
  for (run::Progress* each : all_) {
    each->sampled(sample);
  }
}

}  // namespace lab::cli
