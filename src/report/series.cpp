#include "report/series.hpp"

#include "report/scenario.hpp"
#include "report/text.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <set>

namespace lab::report {

namespace json = boost::json;

namespace {

constexpr std::size_t kMostLooked = 2'000;  // trials whose samples are read

std::int64_t tenths(double ns) { return std::llround(ns / 1e5); }

// Thousandths of a host CPU.
json::value cpus(double cpu_us, double s) { return s > 0 ? json::value(std::llround(cpu_us / s / 1e3)) : json::value(nullptr); }

json::array rates_of(const Trial& trial) {
  json::array rates;
  for (std::size_t side = 0; side < trial.sides.size(); ++side) {
    for (const Slice& slice : trial.sides[side].slices) {
      rates.push_back(json::array{tenths(static_cast<double>(slice.start_ns)), tenths(slice.s * 1e9), side, slice.done});
    }
  }
  return rates;
}

json::array cpu_of_slices(const Trial& trial, const std::vector<std::string>& nodes) {
  json::array rows;
  for (const Side& side : trial.sides) {
    for (const Slice& slice : side.slices) {
      json::array row{tenths(static_cast<double>(slice.start_ns)), tenths(slice.s * 1e9)};
      for (const std::string& node : nodes) {
        const auto used = slice.cpu_us.find(node);
        row.push_back(used == slice.cpu_us.end() ? json::value(nullptr) : cpus(static_cast<double>(used->second), slice.s));
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

// Nodes are sampled at the same instants; where one was read too late there is no figure.
json::array cpu_of_samples(const std::vector<const store::NodeSample*>& samples, const std::vector<std::string>& nodes) {
  std::map<std::int64_t, std::map<std::string, const store::NodeSample*>> by_instant;
  for (const store::NodeSample* sample : samples) {
    by_instant[sample->at_ns][sample->node] = sample;
  }
  json::array rows;
  for (auto to = by_instant.begin(); to != by_instant.end(); ++to) {
    if (to == by_instant.begin()) {
      continue;
    }
    const auto from = std::prev(to);
    json::array row{tenths(static_cast<double>(from->first)), tenths(static_cast<double>(to->first - from->first))};
    for (const std::string& node : nodes) {
      const auto a = from->second.find(node), b = to->second.find(node);
      const bool known = a != from->second.end() && b != to->second.end() && b->second->cpu_us >= a->second->cpu_us;
      row.push_back(known ? cpus(static_cast<double>(b->second->cpu_us - a->second->cpu_us),
                                 static_cast<double>(b->second->taken_ns - a->second->taken_ns) / 1e9)
                          : json::value(nullptr));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::string> nodes_of(const Run& run) {
  std::set<std::string> nodes;
  for (const CellResult& cell : run.results.cells) {
    std::ranges::for_each(cell.cpu_us_per_page, [&nodes](const auto& each) { nodes.insert(each.first); });
  }
  return {nodes.begin(), nodes.end()};
}

json::object series_of(const Trial& trial, const std::vector<std::string>& nodes, const std::vector<const store::NodeSample*>& samples) {
  const auto texts = [](const std::vector<std::string>& values) { return json::array(values.begin(), values.end()); };
  json::array sides;
  std::ranges::for_each(trial.sides, [&sides](const Side& side) { sides.emplace_back(side.cell); });
  return {{"trial", trial.trial},
          {"kind", trial.kind},
          {"sides", std::move(sides)},
          {"ratio", trial.ratio ? json::value(*trial.ratio) : json::value(nullptr)},
          {"flags", texts(doubts(trial.flags))},
          {"notes", texts(trial.notes)},
          {"failed", trial.failed},
          {"rates", rates_of(trial)},
          {"cpu", samples.empty() ? cpu_of_slices(trial, nodes) : cpu_of_samples(samples, nodes)}};
}

}  // namespace

std::vector<int> trials_to_show(const std::vector<Trial>& trials, const std::vector<int>& asked) {
  std::vector<int> numbers = asked;
  const auto add = [&](bool doubtful) {
    for (const Trial& trial : trials) {
      const bool has_slices = std::ranges::any_of(trial.sides, [](const Side& side) { return !side.slices.empty(); });
      if (has_slices && doubtful == (!doubts(trial.flags).empty() || !trial.failed.empty()) &&
          std::ranges::find(asked, trial.trial) == asked.end() && numbers.size() < kMostLooked) {
        numbers.push_back(trial.trial);
      }
    }
  };
  add(true);
  add(false);
  return numbers;
}

json::object series_data(const Run& run) {
  const auto names = nodes_of(run);
  json::array nodes, all;
  for (const std::string& name : names) {
    nodes.push_back(json::object{{"name", name}, {"color", node_color(run.results, name)}});
  }
  std::map<int, std::vector<const store::NodeSample*>> samples;
  std::ranges::for_each(run.samples, [&samples](const store::NodeSample& each) { samples[each.trial].push_back(&each); });
  std::map<int, const Trial*> by_number;
  std::ranges::for_each(run.trials, [&by_number](const Trial& each) { by_number[each.trial] = &each; });
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < run.shown.size(); ++i) {
    const auto trial = by_number.find(run.shown[i]);
    if (trial == by_number.end()) {
      continue;
    }
    json::object one = series_of(*trial->second, names, samples[run.shown[i]]);
    bytes += json::serialize(one).size();
    if (bytes > kMostSeries && i >= run.asked) {
      break;
    }
    all.push_back(std::move(one));
  }
  std::ranges::sort(all, {}, [](const json::value& one) { return one.at("trial").as_int64(); });
  const std::size_t left_out = run.trials.size() - all.size();
  return {{"nodes", std::move(nodes)}, {"trials", std::move(all)}, {"left_out", left_out}};
}

}  // namespace lab::report
