// What trials left beside their lines in trials.jsonl: a histogram of each side's times, and samples of the nodes' CPU.
#pragma once

#include "run_directory.hpp"
#include "stats/histogram.hpp"

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lab::store {

enum class Times { service, latency };  // from sending a request; from the instant at which it was due (open loop)

// Below the run's directory: "histograms/trial-0007.hlog", of a pair's second side "histograms/trial-0007-2.hlog"; of latency
// "histograms/trial-0007-latency.hlog". `side` is from 0.
std::string histogram_name(int trial, std::size_t side, std::size_t sides, Times times);

// All intervals of a log, merged; nothing where it is not there, or not a log of ours.
std::optional<stats::Histogram> read_histogram(const std::filesystem::path& log);

// The rows of samples.csv of these trials, as they stand there; none where the file is missing. A row that is torn or odd is left out.
std::vector<NodeSample> read_samples(const std::filesystem::path& run_directory, const std::set<int>& trials);

}  // namespace lab::store
