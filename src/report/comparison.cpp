#include "report/comparison.hpp"

#include "report/host.hpp"
#include "report/html_parts.hpp"
#include "report/scenario.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace lab::report {

namespace {

using Values = std::map<int, std::vector<double>>;  // by block

std::vector<double> logs_of(const Values& values) {
  std::vector<double> logs;
  for (const auto& [block, all] : values) {
    const double sum = std::accumulate(all.begin(), all.end(), 0.0, [](double so_far, double value) { return so_far + std::log(value); });
    logs.push_back(sum / static_cast<double>(all.size()));
  }
  return logs;
}

// A run by its cells and pairs.
class Lookup {
 public:
  explicit Lookup(const Run& run) : run_(run) {
    for (const CellResult& cell : run.results.cells) {
      cells_.emplace(cell.id, &cell);
    }
    for (const PairResult& pair : run.results.pairs) {
      largest_floor_ = std::max(largest_floor_, pair.noise_floor);
      for (const std::string& cell : {pair.a, pair.b}) {
        floors_[cell] = std::max(floors_[cell], pair.noise_floor);
      }
      if (pair.kind == "pair") {
        pairs_.emplace(std::pair(pair.a, pair.b), &pair);
      }
    }
    for (const Trial& trial : run.trials) {
      if (trial.failed.empty()) {
        add(trial);
      }
    }
  }

  const CellResult* cell(const std::string& id) const { return find(cells_, id); }
  const PairResult* pair(const PairResult& like) const { return find(pairs_, std::pair(like.a, like.b)); }

  // Of the pairs that the cell is in; of one in no pair, the run's largest.
  double floor_of(const std::string& cell) const {
    const auto found = floors_.find(cell);
    return found != floors_.end() && found->second > 0 ? found->second : largest_floor_;
  }

  // One value a pass, from all sides of the cell there.
  template <class Get>
  std::vector<double> by_pass(const std::string& cell, Get get) const {
    Values values;
    const auto found = sides_.find(cell);
    for (std::size_t i = 0; found != sides_.end() && i < found->second.size(); ++i) {
      const auto& [block, side] = found->second[i];
      if (const double value = get(*side); value > 0 && std::isfinite(value)) {
        values[block].push_back(value);
      }
    }
    return logs_of(values);
  }

  std::vector<double> by_pass(const PairResult& pair) const {
    const auto found = ratios_.find(std::pair(pair.a, pair.b));
    return found == ratios_.end() ? std::vector<double>{} : logs_of(found->second);
  }

  // The gateway that a cell goes through, as the run chose it: by name, by kind, or the first.
  std::string gateway_of(const CellResult& cell) const {
    const std::string wanted = axis(cell, "gateway");
    const auto first = [&](auto fits) -> std::string {
      const auto found = std::ranges::find_if(run_.lab.nodes, [&](const Node& node) { return node.has(Role::gateway) && fits(node); });
      return found == run_.lab.nodes.end() ? "" : found->name;
    };
    const std::string named = first([&](const Node& node) { return wanted.empty() || node.name == wanted; });
    return !named.empty() ? named : first([&](const Node& node) { return to_string(node.software) == wanted; });
  }

 private:
  template <class Map, class Key>
  static typename Map::mapped_type find(const Map& map, const Key& key) {
    const auto found = map.find(key);
    return found == map.end() ? nullptr : found->second;
  }

  // The sides of A/A pairs are not about their cell.
  void add(const Trial& trial) {
    for (const Side& side : trial.sides) {
      if (trial.kind != "aa") {
        sides_[side.cell].emplace_back(trial.block, &side);
      }
    }
    if (trial.kind == "pair" && trial.sides.size() == 2 && trial.ratio.value_or(0) > 0) {
      ratios_[std::pair(trial.sides[0].cell, trial.sides[1].cell)][trial.block].push_back(*trial.ratio);
    }
  }

  const Run& run_;
  double largest_floor_ = 0;
  std::map<std::string, const CellResult*> cells_;
  std::map<std::pair<std::string, std::string>, const PairResult*> pairs_;
  std::map<std::pair<std::string, std::string>, Values> ratios_;
  std::map<std::string, double> floors_;
  std::map<std::string, std::vector<std::pair<int, const Side*>>> sides_;
};

std::optional<Change> change_of(std::vector<double> a, std::vector<double> b, const Interval& result_a, const Interval& result_b,
                                double floor) {
  if (a.empty() || b.empty()) {
    return std::nullopt;
  }
  Change change;
  change.a = result_a;
  change.b = result_b;
  change.logs_a = std::move(a);
  change.logs_b = std::move(b);
  change.noise_floor = floor;
  return change;
}

double value_of(const std::map<std::string, double>& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? 0 : found->second;
}

Interval alone(double value) { return {value, value, value, 1}; }

CellComparison compare_cells(const Lookup& a, const Lookup& b, const CellResult& in_a, const CellResult& in_b) {
  CellComparison cell{in_a.id, in_a.scenario, in_a.axes, in_a.flags, in_b.flags, {}, {}, {}};
  const double floor = std::hypot(a.floor_of(cell.id), b.floor_of(cell.id));
  const auto rate = [](const Side& side) { return side.pages_per_s; };
  cell.throughput = change_of(a.by_pass(cell.id, rate), b.by_pass(cell.id, rate), in_a.pages_per_s, in_b.pages_per_s, floor);
  const std::string gateway_a = a.gateway_of(in_a), gateway_b = b.gateway_of(in_b);
  const auto cpu = [](const std::string& node) { return [&node](const Side& side) { return value_of(side.cpu_us_per_page, node); }; };
  cell.cpu = change_of(a.by_pass(cell.id, cpu(gateway_a)), b.by_pass(cell.id, cpu(gateway_b)),
                       alone(value_of(in_a.cpu_us_per_page, gateway_a)), alone(value_of(in_b.cpu_us_per_page, gateway_b)), floor);
  const auto p99 = [](const Side& side) { return side.service_us_p99; };
  cell.p99 = change_of(a.by_pass(cell.id, p99), b.by_pass(cell.id, p99), alone(in_a.service_us_p99), alone(in_b.service_us_p99), floor);
  return cell;
}

constexpr const char* kNotThere = "not in this run";

std::string state_of(const CellResult* cell) {
  if (cell == nullptr) {
    return kNotThere;
  }
  return cell->reason.empty() || cell->status == kMeasured ? cell->status : cell->status + ": " + cell->reason;
}

void add_cells(Comparison& comparison, const Run& run_a, const Run& run_b, const Lookup& a, const Lookup& b) {
  for (const CellResult& in_a : run_a.results.cells) {
    const CellResult* in_b = b.cell(in_a.id);
    const bool both = in_a.status == kMeasured && in_b != nullptr && in_b->status == kMeasured;
    CellComparison cell = both ? compare_cells(a, b, in_a, *in_b) : CellComparison{};
    if (cell.throughput) {
      comparison.cells.push_back(std::move(cell));
    } else {
      comparison.not_compared.push_back({in_a.id, state_of(&in_a), state_of(in_b), false});
    }
  }
  for (const CellResult& in_b : run_b.results.cells) {
    if (a.cell(in_b.id) == nullptr) {
      comparison.not_compared.push_back({in_b.id, state_of(nullptr), state_of(&in_b), false});
    }
  }
}

// A/A pairs, and quotients of separate trials, which say no more than their cells do, are left out.
void add_pairs(Comparison& comparison, const Run& run_a, const Run& run_b, const Lookup& a, const Lookup& b) {
  const auto name = [](const PairResult& pair) { return pair.a + " → " + pair.b; };
  for (const PairResult& in_a : run_a.results.pairs) {
    auto logs_a = a.by_pass(in_a);
    if (in_a.kind != "pair" || logs_a.empty()) {
      continue;
    }
    const PairResult* in_b = b.pair(in_a);
    auto change = in_b == nullptr ? std::nullopt
                                  : change_of(std::move(logs_a), b.by_pass(*in_b), in_a.ratio, in_b->ratio,
                                              std::hypot(in_a.noise_floor, in_b->noise_floor));
    if (change) {
      comparison.pairs.push_back({in_a.a, in_a.b, std::move(*change), in_a.flags, in_b->flags});
    } else {
      comparison.not_compared.push_back({name(in_a), kMeasured, kNotThere, true});
    }
  }
  for (const PairResult& in_b : run_b.results.pairs) {
    if (in_b.kind == "pair" && a.pair(in_b) == nullptr && !b.by_pass(in_b).empty()) {
      comparison.not_compared.push_back({name(in_b), kNotThere, kMeasured, true});
    }
  }
}

void judge_all(Comparison& comparison) {
  for (std::optional<Change> CellComparison::*measure : {&CellComparison::throughput, &CellComparison::cpu, &CellComparison::p99}) {
    std::vector<Change*> changes;
    for (CellComparison& cell : comparison.cells) {
      if (cell.*measure) {
        changes.push_back(&*(cell.*measure));
      }
    }
    judge(changes);
  }
  std::vector<Change*> changes;
  for (PairComparison& pair : comparison.pairs) {
    changes.push_back(&pair.change);
  }
  judge(changes);
}

double largest_floor(const Run& run) {
  double floor = 0;
  for (const PairResult& pair : run.results.pairs) {
    floor = std::max(floor, pair.noise_floor);
  }
  return floor;
}

std::vector<std::string> cautions(const Run& a, const Run& b) {
  std::vector<std::string> sentences;
  const bool floor_a = largest_floor(a) > 0, floor_b = largest_floor(b) > 0;
  if (!floor_a && !floor_b) {
    sentences.emplace_back("Neither run has A/A pairs: there is no noise floor, and no cell can be called the same.");
  } else if (!floor_a || !floor_b) {
    sentences.push_back(
        fmt::format("Run {} has no A/A pairs, hence no noise floor: the other run's stands for both.", floor_a ? "B" : "A"));
  }
  const auto limited = [](const Run& run) {
    const std::string method = environment_text(run, "cpu_method");
    return method == "quota" || method == "stop-continue";
  };
  if (limited(a) || limited(b)) {
    sentences.emplace_back(
        "The gateway's CPUs were limited in time slices: p99 service times mirror their period, and are no claim on latency.");
  }
  sentences.emplace_back(
      "Intervals tell what passes of these two runs differ by. What a whole run shares (its hour, its host's mood) they cannot see: "
      "a change that matters is worth a second run. Pairs, whose sides shared all that, see it least.");
  return sentences;
}

ComparedRun summary_of(const Run& run) {
  return {run.record.name, run_title(run), run.record.started, environment_text(run, "version"), largest_floor(run)};
}

}  // namespace

const std::optional<Change>& CellComparison::of(Measure measure) const {
  return measure == Measure::throughput ? throughput : measure == Measure::cpu ? cpu : p99;
}

Comparison compare(const Run& a, const Run& b) {
  Comparison comparison{summary_of(a), summary_of(b), differences(a, b), cautions(a, b), {}, {}, {}};
  const Lookup in_a(a), in_b(b);
  add_cells(comparison, a, b, in_a, in_b);
  add_pairs(comparison, a, b, in_a, in_b);
  judge_all(comparison);
  return comparison;
}

}  // namespace lab::report
