#include "report/threshold.hpp"

#include "report/text.hpp"
#include "stats/step_down.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace lab::report {

namespace {

constexpr std::array<std::pair<std::string_view, Measure>, 3> kMeasures{
    {{"throughput", Measure::throughput}, {"cpu", Measure::cpu}, {"p99", Measure::p99}}};
constexpr double kMostPercent = 10'000;

Error malformed(std::string_view text, const std::string& why) {
  return Error{fmt::format("\"{}\" is no threshold: {}", text, why), "--fail-if",
               "write one of throughput, cpu, p99, then < or >, then a change in percent: --fail-if 'throughput<-5%'", "", Failure::usage};
}

void drop_blanks(std::string_view& text) {
  while (text.starts_with(' ')) {
    text.remove_prefix(1);
  }
  while (text.ends_with(' ')) {
    text.remove_suffix(1);
  }
}

// The same values against the threshold instead of against no change.
stats::Permutation against(const Change& change, double log_ratio, std::size_t most) {
  std::vector<double> moved = change.logs_b;
  for (double& value : moved) {
    value -= log_ratio;
  }
  return stats::permute(change.logs_a, moved, most);
}

bool beyond(const Threshold& threshold, const stats::Shift& shift, double floor) {
  return threshold.below ? shift.high < 0 && shift.by < -floor : shift.low > 0 && shift.by > floor;
}

bool within(const Threshold& threshold, const stats::Shift& shift) { return threshold.below ? shift.low >= 0 : shift.high <= 0; }

}  // namespace

Result<Threshold> parse_threshold(std::string_view text) {
  const auto sign = text.find_first_of("<>");
  if (sign == std::string_view::npos) {
    return malformed(text, "neither < nor > is in it");
  }
  std::string_view name = text.substr(0, sign), number = text.substr(sign + 1);
  drop_blanks(name);
  drop_blanks(number);
  Threshold threshold{{}, text[sign] == '<', 1, std::string(text)};
  const auto measure = std::find_if(kMeasures.begin(), kMeasures.end(), [&](const auto& each) { return each.first == name; });
  if (measure == kMeasures.end()) {
    return malformed(text, fmt::format("\"{}\" is not compared", name));
  }
  threshold.measure = measure->second;
  if (!number.ends_with('%')) {
    return malformed(text, "it does not end in %");
  }
  number.remove_suffix(1);
  if (number.starts_with('+') && !number.starts_with("+-")) {
    number.remove_prefix(1);
  }
  double percent = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), percent, std::chars_format::fixed);
  if (error != std::errc{} || end != number.data() + number.size() || !std::isfinite(percent)) {
    return malformed(text, fmt::format("\"{}\" is no number", number));
  }
  if (percent <= -100 || percent > kMostPercent) {
    return malformed(text, "a change lies above -100% and is at most 10000%");
  }
  threshold.ratio = 1 + percent / 100;
  return threshold;
}

ThresholdResult judge(const Comparison& comparison, const Threshold& threshold) {
  ThresholdResult result{threshold, {}, 0, 0, 0};
  result.only_in_a = static_cast<std::size_t>(
      std::ranges::count_if(comparison.not_compared, [](const NotCompared& each) { return !each.is_pair && each.in_a == kMeasured; }));
  std::vector<stats::Permutation> found;
  std::vector<const CellComparison*> cells;
  found.reserve(comparison.cells.size());
  for (const CellComparison& cell : comparison.cells) {
    if (const auto& change = cell.of(threshold.measure)) {
      found.push_back(against(*change, std::log(threshold.ratio), stats::relabellings_for(comparison.cells.size())));
      cells.push_back(&cell);
    } else {
      ++result.unknown;
    }
  }
  std::vector<const stats::Permutation*> pointers;
  for (const stats::Permutation& each : found) {
    pointers.push_back(&each);
  }
  const auto corrected = stats::corrected(pointers);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const stats::Shift& shift = found[i].shift;
    const bool sure = shift.coverage >= 0.95;
    if (sure && corrected[i] <= stats::kFamilyError && beyond(threshold, shift, cells[i]->of(threshold.measure)->noise_floor)) {
      result.missed.push_back(cells[i]->id);
    } else {
      ++(sure && within(threshold, shift) ? result.held : result.unknown);
    }
  }
  return result;
}

std::string to_string(const ThresholdResult& result) {
  const std::string unseen = result.only_in_a == 0 ? "" : fmt::format(", {} measured in A alone", result.only_in_a);
  return fmt::format("{}: missed by {}, held by {}, {} cannot tell{}", result.threshold.text, count(result.missed.size(), "cell", "cells"),
                     result.held, result.unknown, unseen);
}

}  // namespace lab::report
