// A comparison for readers and programs. All take what was asked of it by --fail-if as well.
#pragma once

#include "report/comparison.hpp"
#include "report/threshold.hpp"

#include <string>
#include <vector>

namespace lab::report {

using Thresholds = std::vector<ThresholdResult>;

std::string comparison_text(const Comparison& comparison, const Thresholds& thresholds);      // for a terminal of 80 columns
std::string comparison_markdown(const Comparison& comparison, const Thresholds& thresholds);  // for a pull request: details are folded
std::string comparison_json(const Comparison& comparison, const Thresholds& thresholds);      // docs/files.md, "A comparison"
std::string comparison_html(const Comparison& comparison, const Thresholds& thresholds);      // one page, no script

// The parts that they share.
struct MeasureText {
  Measure measure;
  const char* title;  // with its unit
};
inline constexpr MeasureText kMeasureTexts[] = {{Measure::throughput, "pages/s"}, {Measure::cpu, "CPU µs/page"}, {Measure::p99, "p99 µs"}};

std::string from_to(const Change& change, std::string (*as)(double));  // "1,707 → 1,602"
std::string interval_text(const Change& change);  // "−7.9% to −4.4%"; "range …" where it covers less than 95%; "–" for none
std::string short_verdict(Verdict verdict, const std::string& word);  // where there is no room for "beyond the noise"
std::string passes_text(const Change& change);                        // "6 + 6"
std::string summary_line(const Comparison& comparison);  // "1 faster, 2 slower, 30 no difference beyond the noise, 7 cannot tell"
bool changed(const CellComparison& cell);                // in any measure
std::string flags_text(const std::vector<std::string>& a, const std::vector<std::string>& b);  // "A: errors; B: noisy-host"; "" for none
std::string how_it_is_decided(const Comparison& comparison);                                   // a paragraph

}  // namespace lab::report
