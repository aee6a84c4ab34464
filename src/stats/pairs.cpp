#include "stats/pairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

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

namespace {

// Of each group A B B A that counts, log(B ÷ A); and how many do not.
std::pair<std::vector<double>, std::size_t> group_logs(const std::vector<double>& rates) {
  std::vector<double> logs;
  std::size_t dropped = 0;
  for (std::size_t i = 2; i + 4 <= rates.size(); i += 4) {
    const bool counts = std::all_of(rates.begin() + static_cast<std::ptrdiff_t>(i), rates.begin() + static_cast<std::ptrdiff_t>(i) + 4,
                                    [](double rate) { return rate > 0; });
    if (!counts) {
      ++dropped;
      continue;
    }
    logs.push_back((std::log(rates[i + 1] / rates[i]) + std::log(rates[i + 2] / rates[i + 3])) / 2);
  }
  return {std::move(logs), dropped};
}

double mean_of(const std::vector<double>& values, std::size_t begin, std::size_t end) {
  return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(begin), values.begin() + static_cast<std::ptrdiff_t>(end), 0.0) /
         static_cast<double>(end - begin);
}

}  // namespace

double pair_drift(const std::vector<double>& rates) {
  constexpr std::size_t kFewest = 4;
  const auto logs = group_logs(rates).first;
  const std::size_t n = logs.size();
  if (n < kFewest) {
    return 0;
  }
  const std::size_t half = n / 2;
  const double early = mean_of(logs, 0, half), late = mean_of(logs, n - half, n);
  double squares = 0;
  for (std::size_t i = 0; i < half; ++i) {
    squares += (logs[i] - early) * (logs[i] - early) + (logs[n - half + i] - late) * (logs[n - half + i] - late);
  }
  const auto degrees = static_cast<double>(2 * half - 2);
  const double error = std::sqrt(squares / degrees * 2 / static_cast<double>(half));
  return std::abs(late - early) > student_t95(2 * half - 2) * error ? late - early : 0;
}

PairRatio pair_ratio(const std::vector<double>& rates) {
  PairRatio result;
  const auto [logs, dropped] = group_logs(rates);
  result.dropped = dropped;
  result.n = logs.size();
  if (logs.empty()) {
    return result;
  }
  const auto n = static_cast<double>(logs.size());
  const double mean = mean_of(logs, 0, logs.size());
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
