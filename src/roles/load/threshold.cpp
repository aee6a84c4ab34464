#include "lab/units.hpp"
#include "roles/load/outcome.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <optional>

namespace lab::load {

namespace {

Error malformed(const std::string& text) {
  return {"\"" + text + "\" is no threshold", {}, "write for example 'p99>50ms', 'errors>0.1%' or 'rate<1000'", {}, Failure::usage};
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  return error == std::errc{} && end == text.data() + text.size() && value >= 0 ? std::optional(value) : std::nullopt;
}

bool parse_metric(std::string_view name, Threshold& threshold) {
  using Metric = Threshold::Metric;
  static constexpr std::array<std::pair<std::string_view, Metric>, 4> named{
      {{"max", Metric::max}, {"mean", Metric::mean}, {"errors", Metric::errors}, {"rate", Metric::rate}}};
  for (const auto& [text, metric] : named) {
    if (name == text) {
      threshold.metric = metric;
      return true;
    }
  }
  static constexpr std::array<std::pair<std::string_view, double>, 4> percentiles{{{"p50", 50}, {"p90", 90}, {"p99", 99}, {"p99.9", 99.9}}};
  for (const auto& [text, percentile] : percentiles) {
    if (name == text) {
      threshold.percentile = percentile;
      return true;
    }
  }
  return false;
}

std::optional<double> parse_limit(std::string_view text, Threshold::Metric metric) {
  using Metric = Threshold::Metric;
  if (metric == Metric::rate) {
    return number(text);
  }
  if (metric == Metric::errors) {
    return text.ends_with('%') ? number(text.substr(0, text.size() - 1)) : std::nullopt;
  }
  const auto duration = parse_duration(text);
  return duration ? std::optional(static_cast<double>(duration->count())) : std::nullopt;
}

double value_of(const Outcome& outcome, const Threshold& threshold) {
  using Metric = Threshold::Metric;
  const Tally& tally = outcome.tally;
  switch (threshold.metric) {
    case Metric::max: return static_cast<double>(times_of(outcome).max());
    case Metric::mean: return times_of(outcome).mean();
    case Metric::rate: return rate(outcome);
    case Metric::errors: {
      const Counts& counts = tally.in(Window::measure);
      const auto ended = static_cast<double>(counts.done + counts.failed);
      return ended > 0 ? 100 * static_cast<double>(counts.failed) / ended : 0;
    }
    default: return static_cast<double>(times_of(outcome).percentile(threshold.percentile));
  }
}

std::string show(double value, Threshold::Metric metric) {
  if (metric == Threshold::Metric::rate || metric == Threshold::Metric::errors) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), metric == Threshold::Metric::rate ? "%.1f/s" : "%.3f%%", value);
    return text.data();
  }
  return format_duration(std::chrono::nanoseconds(static_cast<std::int64_t>(value)));
}

}  // namespace

Result<Threshold> parse_threshold(const std::string& text) {
  const auto sign = text.find_first_of("<>");
  Threshold threshold;
  threshold.text = text;
  if (sign == std::string::npos || !parse_metric(std::string_view(text).substr(0, sign), threshold)) {
    return malformed(text);
  }
  threshold.above = text[sign] == '>';
  const auto limit = parse_limit(std::string_view(text).substr(sign + 1), threshold.metric);
  if (!limit) {
    return malformed(text);
  }
  threshold.limit = *limit;
  return threshold;
}

bool holds(const Outcome& outcome, const Threshold& threshold) {
  const double value = value_of(outcome, threshold);
  return threshold.above ? value > threshold.limit : value < threshold.limit;
}

Result<void> judge(const Outcome& outcome, const std::vector<Threshold>& thresholds) {
  std::string missed;
  for (const Threshold& threshold : thresholds) {
    if (holds(outcome, threshold)) {
      const double value = value_of(outcome, threshold);
      missed += (missed.empty() ? "" : ", ") + threshold.text + " (it was " + show(value, threshold.metric) + ")";
    }
  }
  if (!missed.empty()) {
    return Error{"threshold missed: " + missed, {}, {}, {}, Failure::missed};
  }
  return {};
}

}  // namespace lab::load
