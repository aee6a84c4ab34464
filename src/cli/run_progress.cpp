#include "run_progress.hpp"

#include "lab/units.hpp"
#include "run_text.hpp"

#include <fmt/format.h>

namespace lab::cli {

namespace {

constexpr int kBar = 20;

std::string names(const std::vector<std::string>& sides) { return fmt::format("{}", fmt::join(sides, " against ")); }

std::string bar(int done, int total) {
  const int full = total == 0 ? kBar : done * kBar / total;
  return "[" + std::string(static_cast<std::size_t>(full), '#') + std::string(static_cast<std::size_t>(kBar - full), '-') + "]";
}

std::chrono::nanoseconds whole_seconds(std::chrono::nanoseconds time) { return std::chrono::round<std::chrono::seconds>(time); }

}  // namespace

std::string describe(const Trial& trial) {
  std::vector<std::string> sides;
  std::vector<std::string> rates;
  for (const Side& side : trial.sides) {
    sides.push_back(side.cell);
    rates.push_back(rate_text(side.pages_per_s));
  }
  if (!trial.failed.empty()) {
    return names(sides) + "  failed: " + trial.failed;
  }
  return fmt::format("{}  {} pages/s{}{}", names(sides), fmt::join(rates, " and "), trial.flags.empty() ? "" : "  ",
                     fmt::join(trial.flags, ", "));
}

RunProgress::~RunProgress() { clear_line(); }

void RunProgress::clear_line() {
  if (on_line_) {
    context_.err << "\r\033[K" << std::flush;
    on_line_ = false;
  }
}

void RunProgress::starting(const run::TrialPlan& trial, int number, int total, std::chrono::nanoseconds left) {
  if (!context_.terminal || context_.quiet) {
    return;
  }
  context_.err << fmt::format("\r\033[K{} {}/{}  {} left  {}{}", bar(number - 1, total), number, total,
                              format_duration(whole_seconds(left)), names(trial.sides), last_)
               << std::flush;
  on_line_ = true;
}

void RunProgress::finished(const Trial& trial, int number, int total) {
  if (context_.quiet) {
    return;
  }
  if (trial.failed.empty() && !trial.sides.empty()) {
    last_ = "  (last: " + rate_text(trial.sides.front().pages_per_s) + " pages/s)";
  }
  if (!context_.terminal || context_.verbose || !trial.failed.empty()) {
    clear_line();
    context_.err << fmt::format("{}/{}  {}", number, total, describe(trial)) << '\n';
    for (const std::string& note : context_.verbose ? trial.notes : std::vector<std::string>{}) {
      context_.err << "    " << note << '\n';
    }
  }
}

}  // namespace lab::cli
