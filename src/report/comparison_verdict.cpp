#include "report/comparison.hpp"

#include "report/text.hpp"
#include "stats/step_down.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace lab::report {

namespace {

std::string passes(const Change& change) { return fmt::format("{} + {} passes", change.logs_a.size(), change.logs_b.size()); }

// The order of the questions is the order of the reasons.
void decide(Change& change, std::size_t compared) {
  const double low = std::log(change.ratio.low), high = std::log(change.ratio.high), by = std::abs(std::log(change.ratio.median));
  const double floor = change.noise_floor;
  if (change.coverage < 0.95) {
    change.reason = change.coverage > 0 ? fmt::format("{} give no 95% interval, only one of {:.0f}%", passes(change), 100 * change.coverage)
                                        : passes(change) + " give no interval";
  } else if (floor > 0 && low > -floor && high < floor) {
    change.verdict = Verdict::same;
    change.reason = fmt::format("the interval lies within the noise floor, ±{}", percent(std::exp(floor) - 1));
  } else if (low <= 0 && high >= 0) {
    change.reason = "the interval holds ×\u202f1 and reaches beyond " +
                    std::string(floor > 0 ? "the noise floor" : "what a noise floor could be held against");
  } else if (by <= floor) {
    change.reason = fmt::format("smaller than the noise floor, ±{}", percent(std::exp(floor) - 1));
  } else if (change.corrected > stats::kFamilyError) {
    change.reason = fmt::format("not sure enough for one of {} comparisons: p = {:.2g} corrected", compared, change.corrected);
  } else {
    change.verdict = low > 0 ? Verdict::rose : Verdict::fell;
  }
}

}  // namespace

void judge(const std::vector<Change*>& changes) {
  const std::size_t most = stats::relabellings_for(changes.size());
  std::vector<stats::Permutation> found;
  std::vector<const stats::Permutation*> pointers;
  found.reserve(changes.size());
  for (Change* change : changes) {
    const stats::Permutation& one = found.emplace_back(stats::permute(change->logs_a, change->logs_b, most));
    pointers.push_back(&one);
    change->ratio = {std::exp(one.shift.by), std::exp(one.shift.low), std::exp(one.shift.high),
                     static_cast<int>(std::min(change->logs_a.size(), change->logs_b.size()))};
    change->coverage = one.shift.coverage;
    change->p = one.shift.p;
    change->least_p = one.shift.least_p;
  }
  const auto corrected = stats::corrected(pointers);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    changes[i]->corrected = corrected[i];
    decide(*changes[i], changes.size());
  }
}

Tally tally(const Comparison& comparison) {
  Tally counts;
  for (const CellComparison& cell : comparison.cells) {
    switch (cell.throughput->verdict) {
      case Verdict::rose: ++counts.faster; break;
      case Verdict::fell: ++counts.slower; break;
      case Verdict::same: ++counts.same; break;
      case Verdict::unknown: ++counts.unknown; break;
    }
  }
  return counts;
}

std::string verdict_text(Measure measure, Verdict verdict) {
  switch (verdict) {
    case Verdict::rose: return measure == Measure::throughput ? "faster" : measure == Measure::cpu ? "dearer" : "slower";
    case Verdict::fell: return measure == Measure::throughput ? "slower" : measure == Measure::cpu ? "cheaper" : "faster";
    case Verdict::same: return "no difference beyond the noise";
    case Verdict::unknown: return "cannot tell";
  }
  return {};
}

std::string pair_verdict_text(Verdict verdict) {
  return verdict == Verdict::rose ? "larger" : verdict == Verdict::fell ? "smaller" : verdict_text(Measure::throughput, verdict);
}

}  // namespace lab::report
