#include "report/comparison.hpp"

#include "report/host.hpp"
#include "report/html_parts.hpp"
#include "report/scenario.hpp"
#include "report/text.hpp"
#include "stats/step_down.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

namespace lab::report {

namespace {

// The gateway that a cell goes through, as the run chose it: by name, by kind, or the first.
std::string gateway_of(const Run& run, const CellResult& cell) {
  const std::string wanted = axis(cell, "gateway");
  const auto find = [&](auto fits) -> std::string {
    const auto found = std::ranges::find_if(run.lab.nodes, [&](const Node& node) { return node.has(Role::gateway) && fits(node); });
    return found == run.lab.nodes.end() ? "" : found->name;
  };
  const std::string named = find([&](const Node& node) { return wanted.empty() || node.name == wanted; });
  return !named.empty() ? named : find([&](const Node& node) { return to_string(node.software) == wanted; });
}

using Values = std::map<int, std::vector<double>>;  // by block

std::vector<double> logs_of(const Values& values) {
  std::vector<double> logs;
  for (const auto& [block, all] : values) {
    const double sum = std::accumulate(all.begin(), all.end(), 0.0, [](double so_far, double value) { return so_far + std::log(value); });
    logs.push_back(sum / static_cast<double>(all.size()));
  }
  return logs;
}

// One value a pass, from all sides of the cell there; those of A/A pairs are not about it.
std::vector<double> by_pass(const Run& run, const std::string& cell, const std::function<double(const Side&)>& get) {
  Values values;
  for (const Trial& trial : run.trials) {
    if (!trial.failed.empty() || trial.kind == "aa") {
      continue;
    }
    for (const Side& side : trial.sides) {
      if (const double value = side.cell == cell ? get(side) : 0; value > 0 && std::isfinite(value)) {
        values[trial.block].push_back(value);
      }
    }
  }
  return logs_of(values);
}

std::vector<double> by_pass(const Run& run, const PairResult& pair) {
  Values values;
  for (const Trial& trial : run.trials) {
    if (trial.failed.empty() && trial.kind == "pair" && trial.sides.size() == 2 && trial.sides[0].cell == pair.a &&
        trial.sides[1].cell == pair.b && trial.ratio.value_or(0) > 0) {
      values[trial.block].push_back(*trial.ratio);
    }
  }
  return logs_of(values);
}

double largest_floor(const Run& run) {
  double floor = 0;
  for (const PairResult& pair : run.results.pairs) {
    floor = std::max(floor, pair.noise_floor);
  }
  return floor;
}

// Of the pairs that the cell is in; of one in no pair, the run's largest.
double floor_of(const Run& run, const std::string& cell) {
  double floor = 0;
  for (const PairResult& pair : run.results.pairs) {
    floor = pair.a == cell || pair.b == cell ? std::max(floor, pair.noise_floor) : floor;
  }
  return floor > 0 ? floor : largest_floor(run);
}

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

double median_of(const std::map<std::string, double>& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? 0 : found->second;
}

Interval alone(double value) { return {value, value, value, 1}; }

CellComparison compare_cells(const Run& a, const Run& b, const CellResult& in_a, const CellResult& in_b) {
  CellComparison cell{in_a.id, in_a.scenario, in_a.axes, in_a.flags, in_b.flags, {}, {}, {}};
  const double floor = std::hypot(floor_of(a, cell.id), floor_of(b, cell.id));
  const auto rate = [](const Side& side) { return side.pages_per_s; };
  cell.throughput = change_of(by_pass(a, cell.id, rate), by_pass(b, cell.id, rate), in_a.pages_per_s, in_b.pages_per_s, floor);
  const std::string gateway_a = gateway_of(a, in_a), gateway_b = gateway_of(b, in_b);
  const auto cpu = [](const std::string& node) { return [node](const Side& side) { return median_of(side.cpu_us_per_page, node); }; };
  cell.cpu = change_of(by_pass(a, cell.id, cpu(gateway_a)), by_pass(b, cell.id, cpu(gateway_b)),
                       alone(median_of(in_a.cpu_us_per_page, gateway_a)), alone(median_of(in_b.cpu_us_per_page, gateway_b)), floor);
  const auto p99 = [](const Side& side) { return side.service_us_p99; };
  cell.p99 = change_of(by_pass(a, cell.id, p99), by_pass(b, cell.id, p99), alone(in_a.service_us_p99), alone(in_b.service_us_p99), floor);
  return cell;
}

std::string state_of(const CellResult* cell) {
  if (cell == nullptr) {
    return "not in this run";
  }
  return cell->reason.empty() || cell->status == "measured" ? cell->status : cell->status + ": " + cell->reason;
}

void add_cells(Comparison& comparison, const Run& a, const Run& b) {
  for (const CellResult& in_a : a.results.cells) {
    const CellResult* in_b = find_cell(b.results, in_a.id);
    const bool both = in_a.status == "measured" && in_b != nullptr && in_b->status == "measured";
    CellComparison cell = both ? compare_cells(a, b, in_a, *in_b) : CellComparison{};
    if (cell.throughput) {
      comparison.cells.push_back(std::move(cell));
    } else {
      comparison.not_compared.push_back({in_a.id, state_of(&in_a), state_of(in_b)});
    }
  }
  for (const CellResult& in_b : b.results.cells) {
    if (find_cell(a.results, in_b.id) == nullptr) {
      comparison.not_compared.push_back({in_b.id, state_of(nullptr), state_of(&in_b)});
    }
  }
}

const PairResult* find_pair(const Run& run, const PairResult& wanted) {
  const auto found = std::ranges::find_if(
      run.results.pairs, [&](const PairResult& pair) { return pair.kind == "pair" && pair.a == wanted.a && pair.b == wanted.b; });
  return found == run.results.pairs.end() ? nullptr : &*found;
}

void add_pairs(Comparison& comparison, const Run& a, const Run& b) {
  const auto missing = [&](const PairResult& pair, bool in_a, bool in_b) {
    const auto word = [](bool there) { return there ? "measured" : "not in this run"; };
    comparison.not_compared.push_back({pair.a + " → " + pair.b, word(in_a), word(in_b)});
  };
  for (const PairResult& in_a : a.results.pairs) {
    const PairResult* in_b = in_a.kind == "pair" ? find_pair(b, in_a) : nullptr;
    auto logs_a = by_pass(a, in_a);
    if (in_a.kind != "pair" || logs_a.empty()) {
      continue;  // A/A, or a quotient of separate trials, which says no more than its cells do
    }
    auto change = in_b == nullptr ? std::nullopt
                                  : change_of(std::move(logs_a), by_pass(b, *in_b), in_a.ratio, in_b->ratio,
                                              std::hypot(in_a.noise_floor, in_b->noise_floor));
    if (change) {
      comparison.pairs.push_back({in_a.a, in_a.b, std::move(*change), in_a.flags, in_b->flags});
    } else {
      missing(in_a, true, false);
    }
  }
  for (const PairResult& in_b : b.results.pairs) {
    if (in_b.kind == "pair" && find_pair(a, in_b) == nullptr && !by_pass(b, in_b).empty()) {
      missing(in_b, false, true);
    }
  }
}

std::string passes(const Change& change) { return fmt::format("{} + {} passes", change.logs_a.size(), change.logs_b.size()); }

// The order of the questions is the order of the reasons.
void decide(Change& change, std::size_t compared) {
  const double low = std::log(change.ratio.low), high = std::log(change.ratio.high), by = std::abs(std::log(change.ratio.median));
  const double floor = change.noise_floor;
  if (change.coverage < 0.95) {
    change.reason = change.coverage > 0 ? fmt::format("{} give no 95% interval, only one of {:.0f}%", passes(change), 100 * change.coverage)
                                        : passes(change) + " give no interval";
  } else if (floor > 0 && low > -floor && high < floor) {
    change.verdict = Verdict::same;
    change.reason = fmt::format("the interval lies within the noise floor, ±{}", percent(std::exp(floor) - 1));
  } else if (low <= 0 && high >= 0) {
    change.reason = "the interval holds ×\u202f1 and reaches beyond " +
                    std::string(floor > 0 ? "the noise floor" : "what a noise floor could be held against");
  } else if (by <= floor) {
    change.reason = fmt::format("smaller than the noise floor, ±{}", percent(std::exp(floor) - 1));
  } else if (change.corrected > stats::kFamilyError) {
    change.reason = fmt::format("not sure enough for one of {} comparisons: p = {:.2g} corrected", compared, change.corrected);
  } else {
    change.verdict = low > 0 ? Verdict::rose : Verdict::fell;
  }
}

// All comparisons of one measure are one family.
void judge(const std::vector<Change*>& changes) {
  const std::size_t most = stats::relabellings_for(changes.size());
  std::vector<stats::Permutation> found;
  std::vector<const stats::Permutation*> pointers;
  found.reserve(changes.size());
  for (Change* change : changes) {
    const stats::Permutation& one = found.emplace_back(stats::permute(change->logs_a, change->logs_b, most));
    pointers.push_back(&one);
    change->ratio = {std::exp(one.shift.by), std::exp(one.shift.low), std::exp(one.shift.high),
                     static_cast<int>(std::min(change->logs_a.size(), change->logs_b.size()))};
    change->coverage = one.shift.coverage;
    change->p = one.shift.p;
    change->least_p = one.shift.least_p;
  }
  const auto corrected = stats::corrected(pointers);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    changes[i]->corrected = corrected[i];
    decide(*changes[i], changes.size());
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
  add_cells(comparison, a, b);
  add_pairs(comparison, a, b);
  judge_all(comparison);
  return comparison;
}

Tally tally(const Comparison& comparison) {
  Tally counts;
  for (const CellComparison& cell : comparison.cells) {
    switch (cell.throughput->verdict) {
      case Verdict::rose: ++counts.faster; break;
      case Verdict::fell: ++counts.slower; break;
      case Verdict::same: ++counts.same; break;
      case Verdict::unknown: ++counts.unknown; break;
    }
  }
  return counts;
}

std::string verdict_text(Measure measure, Verdict verdict) {
  switch (verdict) {
    case Verdict::rose: return measure == Measure::throughput ? "faster" : measure == Measure::cpu ? "dearer" : "slower";
    case Verdict::fell: return measure == Measure::throughput ? "slower" : measure == Measure::cpu ? "cheaper" : "faster";
    case Verdict::same: return "no difference beyond the noise";
    case Verdict::unknown: return "cannot tell";
  }
  return {};
}

std::string pair_verdict_text(Verdict verdict) {
  return verdict == Verdict::rose ? "larger" : verdict == Verdict::fell ? "smaller" : verdict_text(Measure::throughput, verdict);
}

}  // namespace lab::report
