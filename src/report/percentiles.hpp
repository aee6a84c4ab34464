// How long exchanges took in each cell: percentiles read off one histogram that is merged over its trials, and never averaged.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace lab::report {

struct Run;

inline constexpr std::array<const char*, 5> kPercentileNames{"p50", "p90", "p99", "p99.9", "longest"};

struct CellTimes {
  std::array<std::optional<double>, 5> us;  // as named above; absent where fewer than ten exchanges lie beyond it
  std::uint64_t count = 0;                  // exchanges
  int trials = 0;                           // sides of trials whose histograms were there
  bool latency = false;                     // from the instant at which a request was due; else from its sending
};

// By cell, from the run directory's histograms, A/A pairs and failed trials left out; without cells that have none.
std::map<std::string, CellTimes> read_percentiles(const std::filesystem::path& run_directory, const Run& run);

}  // namespace lab::report
