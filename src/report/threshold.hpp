// What a comparison must not miss: --fail-if 'throughput<-5%'.
#pragma once

#include "report/comparison.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lab::report {

struct Threshold {
  Measure measure = Measure::throughput;
  bool below = true;  // missed by less than that; else by more
  double ratio = 1;   // B ÷ A: "-5%" is 0.95
  std::string text;   // as given
};

// METRIC COMPARISON PERCENT%: throughput, cpu or p99; < or >; of the change from A to B. Errors: usage, with an example.
Result<Threshold> parse_threshold(std::string_view text);

struct ThresholdResult {
  Threshold threshold;
  std::vector<std::string> missed;  // cells: surely beyond it
  std::size_t held = 0;             // the interval lies on its right side
  std::size_t unknown = 0;          // neither
  std::size_t only_in_a = 0;        // measured in A and not in B: nobody knows
};

// A cell surely misses it when what makes a change one holds against the threshold: the 95% interval lies beyond it, by more than the
// noise floor from the estimate, and the corrected level is reached.
ThresholdResult judge(const Comparison& comparison, const Threshold& threshold);

// "throughput<-5%: missed by 1 cell, held by 30, 9 cannot tell, 1 measured in A alone"; without the last where it is none
std::string to_string(const ThresholdResult& result);

}  // namespace lab::report
