#include "summary.hpp"

#include "stats/median.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace lab::run {

namespace {

struct Measured {  // what the plan's cell got
  std::vector<const Side*> sides;
  std::vector<std::string> flags;
  std::string failure;  // of the last failed trial
  int failed = 0;
};

void add_new(std::vector<std::string>& list, const std::vector<std::string>& items) {
  for (const std::string& item : items) {
    if (std::find(list.begin(), list.end(), item) == list.end()) {
      list.push_back(item);
    }
  }
}

Measured measured(const std::string& id, const std::vector<Trial>& trials) {
  Measured found;
  for (const Trial& trial : trials) {
    for (const Side& side : trial.sides) {
      if (side.cell != id || trial.kind == "aa") {
        continue;
      }
      if (!trial.failed.empty()) {
        found.failure = trial.failed;
        ++found.failed;
        continue;
      }
      found.sides.push_back(&side);
      add_new(found.flags, trial.flags);
    }
  }
  return found;
}

template <class Get>
std::vector<double> each(const std::vector<const Side*>& sides, Get get) {
  std::vector<double> values;
  values.reserve(sides.size());
  for (const Side* side : sides) {
    values.push_back(get(*side));
  }
  return values;
}

std::map<std::string, double> medians(const std::vector<const Side*>& sides, std::map<std::string, double> Side::*member) {
  std::map<std::string, std::vector<double>> values;
  for (const Side* side : sides) {
    for (const auto& [name, value] : side->*member) {
      values[name].push_back(value);
    }
  }
  std::map<std::string, double> result;
  for (auto& [name, all] : values) {
    result[name] = stats::median(std::move(all));
  }
  return result;
}

std::optional<Latency> latency_of(const std::vector<const Side*>& sides) {
  std::vector<double> p50, p99;
  for (const Side* side : sides) {
    if (side->latency_us) {
      p50.push_back(side->latency_us->p50);
      p99.push_back(side->latency_us->p99);
    }
  }
  return p50.empty() ? std::nullopt
                     : std::optional(Latency{stats::median_interval(std::move(p50)), stats::median_interval(std::move(p99))});
}

void fill(CellResult& result, const Measured& found) {
  result.trials = static_cast<int>(found.sides.size());
  result.pages_per_s = stats::median_interval(each(found.sides, [](const Side& side) { return side.pages_per_s; }));
  result.service_us_p50 = stats::median(each(found.sides, [](const Side& side) { return side.service_us_p50; }));
  result.service_us_p99 = stats::median(each(found.sides, [](const Side& side) { return side.service_us_p99; }));
  result.latency_us = latency_of(found.sides);
  result.cpu = medians(found.sides, &Side::cpu);
  result.cpu_us_per_page = medians(found.sides, &Side::cpu_us_per_page);
  result.machines = medians(found.sides, &Side::machines);
  for (const Side* side : found.sides) {
    result.errors += side->counts.failed;
  }
  result.tls_version = found.sides.back()->tls_version;
  result.tls_cipher = found.sides.back()->tls_cipher;
  result.flags = found.flags;
  if (result.trials < stats::kEnoughForInterval) {
    result.flags.emplace_back("indicative");
  }
}

std::string limited_by(const Cell& cell, const CellResult& result, const Standing& standing, const Facts& facts) {
  const Node* gateway = gateway_node(cell, standing.lab);
  if (gateway == nullptr) {
    return {};
  }
  const std::string cpus = cell.axis("cpus");
  double lab_cpus = 0;
  std::from_chars(cpus.data(), cpus.data() + cpus.size(), lab_cpus);
  return limiting_node(result.cpu, allotments_of(standing, facts, gateway->name, lab_cpus), gateway->name, standing);
}

struct Ratios {  // of a pair over its trials
  std::vector<double> values;
  std::vector<std::string> flags;
};

Ratios ratios_of(const Comparison& pair, const std::vector<Trial>& trials, const std::vector<TrialPlan>& plans) {
  Ratios found;
  for (const Trial& trial : trials) {
    // Two A/A pairs of one cell differ in their place in the plan alone; what is beyond the plan belongs to either.
    const bool other = std::any_of(plans.begin(), plans.end(), [&](const TrialPlan& plan) {
      return plan.block == trial.block && plan.order == trial.order && plan.quota != pair.quota;
    });
    const bool same =
        trial.kind == pair.kind && trial.sides.size() == 2 && trial.sides[0].cell == pair.sides[0] && trial.sides[1].cell == pair.sides[1];
    if (!other && same && trial.ratio && trial.failed.empty()) {
      found.values.push_back(*trial.ratio);
      add_new(found.flags, trial.flags);
    }
  }
  return found;
}

// The upper bound of an A/A pair's |log ratio|.
double floor_of(const Interval& same) { return same.n == 0 ? 0 : std::max(std::abs(std::log(same.low)), std::abs(std::log(same.high))); }

}  // namespace

std::vector<PairResult> summarise_pairs(const Plan& plan, const std::vector<Trial>& trials) {
  std::vector<PairResult> results;
  std::vector<bool> by_quota;
  for (const Comparison& pair : plan.comparisons) {
    if (pair.sides.size() != 2) {
      continue;
    }
    Ratios found = ratios_of(pair, trials, plan.trials);
    if (found.values.empty()) {
      continue;
    }
    if (found.values.size() < static_cast<std::size_t>(stats::kEnoughForInterval)) {
      found.flags.emplace_back("indicative");
    }
    results.push_back(
        {pair.sides[0], pair.sides[1], pair.kind, stats::median_interval(std::move(found.values)), 0, std::move(found.flags)});
    by_quota.push_back(pair.quota);
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    for (std::size_t k = 0; k < results.size(); ++k) {
      const bool better = results[i].noise_floor == 0 || by_quota[k] == by_quota[i];
      if (results[k].kind == "aa" && better) {
        results[i].noise_floor = floor_of(results[k].ratio);
      }
    }
  }
  return results;
}

std::vector<Comparison> too_wide(const Plan& plan, const std::vector<Trial>& trials) {
  std::vector<Comparison> wide, same;
  for (const Comparison& one : plan.comparisons) {
    if (one.kind == "aa") {
      same.push_back(one);
      continue;
    }
    const Interval interval = stats::median_interval(
        one.sides.size() == 2 ? ratios_of(one, trials, plan.trials).values
                              : each(measured(one.sides[0], trials).sides, [](const Side& side) { return side.pages_per_s; }));
    const double reach = std::max(interval.high - interval.median, interval.median - interval.low);
    if (interval.n < stats::kEnoughForInterval || reach > plan.until * interval.median) {
      wide.push_back(one);
    }
  }
  if (!wide.empty()) {
    wide.insert(wide.end(), same.begin(), same.end());
  }
  return wide;
}

std::vector<CellResult> summarise(const Plan& plan, const std::vector<Trial>& trials, const Standing& standing, const Facts& facts) {
  std::vector<CellResult> results;
  for (const Cell& cell : plan.cells) {
    CellResult result;
    result.id = cell.id;
    result.scenario = cell.scenario.id;
    result.axes = cell.axes;
    const Measured found = measured(cell.id, trials);
    if (!found.sides.empty()) {
      fill(result, found);
      result.limited_by = limited_by(cell, result, standing, facts);
      if (found.failed > 0) {
        result.reason = std::to_string(found.failed) + " of its trials failed: " + found.failure;
      }
    } else if (const auto skipped = plan.skipped.find(cell.id); skipped != plan.skipped.end()) {
      result.status = "skipped";
      result.reason = skipped->second;
    } else if (found.failed > 0) {
      result.status = "failed";
      result.reason = found.failure;
    } else {
      result.status = "skipped";
      result.reason = "the run ended before it was measured";
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace lab::run
