#include "stats/pairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace lab::stats {

double student_t95(std::size_t degrees) {
  static constexpr std::array<double, 30> table{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                                2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                                2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
  if (degrees <= table.size()) {
    return table[std::max<std::size_t>(degrees, 1) - 1];
  }
  constexpr double z = 1.959964;  // Cornish-Fisher, within 0.001 from here on
  return z + (z * z * z + z) / (4 * static_cast<double>(degrees));
}

PairRatio pair_ratio(const std::vector<double>& rates) {
  PairRatio result;
  std::vector<double> logs;
  for (std::size_t i = 2; i + 4 <= rates.size(); i += 4) {
    const bool counts = std::all_of(rates.begin() + static_cast<std::ptrdiff_t>(i), rates.begin() + static_cast<std::ptrdiff_t>(i) + 4,
                                    [](double rate) { return rate > 0; });
    if (!counts) {
      ++result.dropped;
      continue;
    }
    logs.push_back((std::log(rates[i + 1] / rates[i]) + std::log(rates[i + 2] / rates[i + 3])) / 2);
  }
  result.n = logs.size();
  if (logs.empty()) {
    return result;
  }
  const auto n = static_cast<double>(logs.size());
  double mean = 0;
  for (const double one : logs) {
    mean += one / n;
  }
  double squares = 0;
  for (const double one : logs) {
    squares += (one - mean) * (one - mean);
  }
  const double half = logs.size() > 1 ? student_t95(logs.size() - 1) * std::sqrt(squares / (n - 1) / n) : 0;
  result.ratio = std::exp(mean);
  result.low = std::exp(mean - half);
  result.high = std::exp(mean + half);
  return result;
}

}  // namespace lab::stats
