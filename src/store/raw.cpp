#include "raw.hpp"

#include <array>
#include <charconv>
#include <fstream>
#include <string_view>

namespace lab::store {

namespace {

template <class Number>
bool take(std::string_view& row, Number& into) {
  const auto [end, failed] = std::from_chars(row.data(), row.data() + row.size(), into);
  const auto taken = static_cast<std::size_t>(end - row.data());
  if (failed != std::errc{} || (taken < row.size() && row[taken] != ',')) {
    return false;
  }
  row.remove_prefix(std::min(row.size(), taken + 1));
  return true;
}

bool take(std::string_view& row, std::string& into) {
  const std::size_t end = row.find(',');
  if (end == std::string_view::npos) {
    return false;
  }
  into = row.substr(0, end);
  row.remove_prefix(end + 1);
  return true;
}

std::optional<NodeSample> sample_of(std::string_view row, const std::set<int>& trials) {
  NodeSample s;
  if (!take(row, s.trial) || !trials.contains(s.trial) || !take(row, s.node) || !take(row, s.at_ns) || !take(row, s.taken_ns)) {
    return std::nullopt;
  }
  for (std::uint64_t* value : {&s.cpu_us, &s.user, &s.system, &s.idle, &s.iowait, &s.steal, &s.irq, &s.accounted}) {
    if (!take(row, *value)) {
      return std::nullopt;
    }
  }
  return row.empty() ? std::optional(std::move(s)) : std::nullopt;
}

}  // namespace

std::string histogram_name(int trial, std::size_t side, std::size_t sides, Times times) {
  std::string number = std::to_string(trial);
  number.insert(0, number.size() < 4 ? 4 - number.size() : 0, '0');
  return "histograms/trial-" + number + (sides > 1 ? "-" + std::to_string(side + 1) : "") + (times == Times::latency ? "-latency" : "") +
         ".hlog";
}

std::optional<stats::Histogram> read_histogram(const std::filesystem::path& log) {
  std::ifstream in(log);
  std::optional<stats::Histogram> all;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '#' || line.front() == '"') {
      continue;
    }
    stats::Histogram one;
    if (!stats::Histogram::decode(line.substr(line.rfind(',') + 1), one)) {
      return std::nullopt;
    }
    if (all) {
      all->merge(one);
    } else {
      all = std::move(one);
    }
  }
  return all;
}

std::vector<NodeSample> read_samples(const std::filesystem::path& run_directory, const std::set<int>& trials) {
  std::ifstream in(run_directory / "samples.csv");
  std::vector<NodeSample> samples;
  for (std::string row; !trials.empty() && std::getline(in, row);) {
    if (auto sample = sample_of(row, trials)) {
      samples.push_back(std::move(*sample));
    }
  }
  return samples;
}

}  // namespace lab::store
