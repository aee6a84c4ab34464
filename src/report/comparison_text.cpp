#include "report/comparison_formats.hpp"
#include "report/html_parts.hpp"
#include "report/text.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace lab::report {

namespace {

std::string run_line(const char* letter, const ComparedRun& run) {
  return fmt::format("{}  {}\n   {}, {}\n", letter, run.name, run.title, instant_text(run.started));
}

std::string change_line(const char* title, const std::string& values, const Change& change, const std::string& verdict) {
  std::string line =
      fmt::format("  {:<11} {:>15} {:>6} {:<16} {:>5}  {}\n", title, values, report::change(change.ratio.median), interval_text(change),
                  fmt::format("{}+{}", change.logs_a.size(), change.logs_b.size()), short_verdict(change.verdict, verdict));
  if (change.verdict == Verdict::unknown) {
    line += fmt::format("  {:<11} {}\n", "", change.reason);
  }
  return line;
}

std::string cell_text(const CellComparison& cell) {
  std::string text = "\n" + cell.id + "\n";
  for (const MeasureText& each : kMeasureTexts) {
    if (const auto& change = cell.of(each.measure)) {
      text += change_line(each.title, from_to(*change, number), *change, verdict_text(each.measure, change->verdict));
    }
  }
  const std::string flags = flags_text(cell.flags_a, cell.flags_b);
  return text + (flags.empty() ? "" : "  flagged     " + flags + "\n");
}

std::string pairs_text(const std::vector<PairComparison>& pairs) {
  std::string text = pairs.empty() ? "" : "\nRatios of pairs, and the ratio of these in B to those in A\n";
  for (const PairComparison& pair : pairs) {
    text += fmt::format("\n{} →\n{}\n", pair.a, pair.b);
    text += change_line("ratio", from_to(pair.change, plain_ratio), pair.change, pair_verdict_text(pair.change.verdict));
    const std::string flags = flags_text(pair.flags_a, pair.flags_b);
    text += flags.empty() ? "" : "  flagged     " + flags + "\n";
  }
  return text;
}

}  // namespace

std::string from_to(const Change& change, std::string (*as)(double)) { return as(change.a.median) + " → " + as(change.b.median); }

std::string interval_text(const Change& change) {
  if (change.coverage <= 0) {
    return "–";
  }
  const std::string text = report::change(change.ratio.low) + " to " + report::change(change.ratio.high);
  return change.coverage < 0.95 ? fmt::format("{} ({:.0f}%)", text, 100 * change.coverage) : text;
}

std::string short_verdict(Verdict verdict, const std::string& word) { return verdict == Verdict::same ? "no difference" : word; }

std::string passes_text(const Change& change) { return fmt::format("{} + {}", change.logs_a.size(), change.logs_b.size()); }

std::string summary_line(const Comparison& comparison) {
  const Tally counts = tally(comparison);
  return fmt::format("{} faster, {} slower, {} no difference beyond the noise, {} cannot tell", counts.faster, counts.slower, counts.same,
                     counts.unknown);
}

bool changed(const CellComparison& cell) {
  return std::ranges::any_of(kMeasureTexts, [&](const MeasureText& each) {
    const auto& change = cell.of(each.measure);
    return change && (change->verdict == Verdict::rose || change->verdict == Verdict::fell);
  });
}

std::string flags_text(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> parts;
  if (const auto those = doubts(a); !those.empty()) {
    parts.push_back("A: " + join(those, ", "));
  }
  if (const auto those = doubts(b); !those.empty()) {
    parts.push_back("B: " + join(those, ", "));
  }
  return join(parts, "; ");
}

std::string how_it_is_decided(const Comparison& comparison) {
  return fmt::format(
      "A cell has one value a pass, the mean of its logarithms there; the ratio is B ÷ A of the geometric means, which need not be the "
      "quotient of the medians shown. Intervals are the plain 95% ones by relabelling, free of any distribution. A change is one when its "
      "interval leaves out no change, the estimate is larger than the noise floors of both runs together, and it holds among all {} of its "
      "kind at 5%. It is no difference beyond the noise when the whole interval lies within those floors. Everything else cannot be told.",
      count(comparison.cells.size(), "comparison", "comparisons"));
}

std::string comparison_text(const Comparison& comparison, const Thresholds& thresholds) {
  std::string text = run_line("A", comparison.a) + run_line("B", comparison.b);
  if (!comparison.differences.empty()) {
    text += "\nWhat makes the two less comparable\n";
    for (const Difference& each : comparison.differences) {
      text += fmt::format("  {}: {} → {}\n    {}\n", each.what, each.a, each.b, each.why);
    }
  }
  text += "\n";
  for (const std::string& sentence : comparison.cautions) {
    text += "note: " + sentence + "\n";
  }
  for (const CellComparison& cell : comparison.cells) {
    text += cell_text(cell);
  }
  text += pairs_text(comparison.pairs);
  if (!comparison.not_compared.empty()) {
    text += "\nNot compared\n";
    for (const NotCompared& each : comparison.not_compared) {
      text += fmt::format("  {}\n    A: {}\n    B: {}\n", each.what, each.in_a, each.in_b);
    }
  }
  text += fmt::format("\n{}: {}\n", count(comparison.cells.size(), "cell", "cells"), summary_line(comparison));
  for (const ThresholdResult& each : thresholds) {
    text += to_string(each) + "\n";
    for (const std::string& cell : each.missed) {
      text += "  missed by " + cell + "\n";
    }
  }
  return text;
}

}  // namespace lab::report
