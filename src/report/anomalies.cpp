#include "report/effect_text.hpp"
#include "report/observations.hpp"
#include "report/text.hpp"
#include "stats/median.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace lab::report {

namespace {

constexpr std::size_t kTold = 3;  // of a kind; the others are counted

struct TrialOf {
  const Trial* trial = nullptr;
  std::vector<std::string> cells;  // of the scenario
};

std::vector<TrialOf> trials_in(const Run& run, const ScenarioView& scenario) {
  std::map<int, TrialOf> found;
  for (const CellResult* cell : scenario.cells) {
    for (const Trial* trial : trials_of(run, cell->id)) {
      TrialOf& one = found[trial->trial];
      one.trial = trial;
      one.cells.push_back(cell->id);
    }
  }
  std::vector<TrialOf> all;
  std::ranges::transform(found, std::back_inserter(all), [](auto& each) { return std::move(each.second); });
  return all;
}

// "3 of 24 trials are flagged: noisy-host (2), unsettled (1)."
void about_flags(const std::vector<TrialOf>& trials, std::vector<std::string>& out) {
  std::map<std::string, std::size_t> flags;
  std::size_t flagged = 0;
  for (const TrialOf& each : trials) {
    const auto doubtful = doubts(each.trial->flags);
    flagged += !doubtful.empty();
    std::ranges::for_each(doubtful, [&flags](const std::string& flag) { ++flags[flag]; });
  }
  if (flagged > 0) {
    std::vector<std::string> parts;
    std::ranges::transform(flags, std::back_inserter(parts),
                           [](const auto& each) { return fmt::format("{} ({})", each.first, each.second); });
    out.push_back(fmt::format("{} of {} {} flagged: {}.", flagged, count(trials.size(), "trial", "trials"), flagged == 1 ? "is" : "are",
                              join(parts, ", ")));
  }
}

void about_failures(const std::vector<TrialOf>& trials, std::vector<std::string>& out) {
  std::vector<const TrialOf*> failed;
  for (const TrialOf& each : trials) {
    if (!each.trial->failed.empty()) {
      failed.push_back(&each);
    }
  }
  for (std::size_t i = 0; i < failed.size() && i < kTold; ++i) {
    out.push_back(fmt::format("Trial {} failed, of {}: {}.", failed[i]->trial->trial, listing(failed[i]->cells), failed[i]->trial->failed));
  }
  if (failed.size() > kTold) {
    out.push_back(fmt::format("{} failed.", count(failed.size() - kTold, "more trial", "more trials")));
  }
}

void about_resumption(const std::vector<TrialOf>& trials, std::vector<std::string>& out) {
  for (const TrialOf& each : trials) {
    if (std::ranges::find(each.trial->notes, kResumedNote) != each.trial->notes.end()) {
      out.push_back(fmt::format("Trial {} is the first after the run was broken off and resumed: what the host was doing may have changed.",
                                each.trial->trial));
    }
  }
}

double noise_floor_of(const Run& run) {
  double floor = 0;
  std::ranges::for_each(run.results.pairs, [&floor](const PairResult& pair) { floor = std::max(floor, pair.noise_floor); });
  return floor;
}

// A trial is far off where it is so by more than four deviations (of the median's absolute one, as a normal distribution has them), and is
// beyond all of the others by a tenth and by the noise floor.
void about_far_off_trials(const Run& run, const ScenarioView& scenario, std::vector<std::string>& out) {
  constexpr double kDeviations = 4 * 1.4826, kLeast = 0.1;
  const double least = std::max(std::log(1 + kLeast), noise_floor_of(run));
  std::size_t found = 0;
  for (const CellResult* cell : measured(scenario.cells)) {
    std::vector<std::pair<int, double>> rates;
    for (const Trial* trial : trials_of(run, cell->id)) {
      for (const Side& side : trial->sides) {
        if (side.cell == cell->id && side.pages_per_s > 0 && trial->kind != "aa" && trial->failed.empty()) {
          rates.emplace_back(trial->trial, side.pages_per_s);
        }
      }
    }
    if (rates.size() < static_cast<std::size_t>(kEnoughRepeats)) {
      continue;
    }
    const auto median_of = [](const auto& values, const auto& of) {
      std::vector<double> all;
      std::ranges::transform(values, std::back_inserter(all), of);
      return stats::median(all);
    };
    const double middle = median_of(rates, [](const auto& each) { return std::log(each.second); });
    const double deviation = median_of(rates, [middle](const auto& each) { return std::abs(std::log(each.second) - middle); });
    const double limit = std::max(least, kDeviations * deviation);
    double low = 0, high = 0;
    for (const auto& [trial, rate] : rates) {
      if (std::abs(std::log(rate) - middle) <= limit) {
        low = low == 0 ? rate : std::min(low, rate);
        high = std::max(high, rate);
      }
    }
    for (const auto& [trial, rate] : rates) {
      const bool beyond = std::log(low / rate) > least || std::log(rate / high) > least;
      if (beyond && std::abs(std::log(rate) - middle) > limit && ++found <= kTold) {
        out.push_back(fmt::format("Trial {} is far off the others of {}: {} pages/s, where they have {}.", trial,
                                  row_label(*cell, scenario.cells), number(rate), range(low, high, number)));
      }
    }
  }
  if (found > kTold) {
    out.back() += fmt::format(" So are {} more.", found - kTold);
  }
}

// Whether one effect's interval meets none of the others', and it is by over a quarter another one than their median, and by more than
// noise.
bool stands_apart(const Effect& one, const std::vector<Effect>& others) {
  constexpr double kQuarter = 1.25;
  std::vector<double> logs;
  double floor = one.noise_floor;
  for (const Effect& other : others) {
    if (one.ratio.low <= other.ratio.high && one.ratio.high >= other.ratio.low) {
      return false;
    }
    logs.push_back(std::log(other.ratio.median));
    floor = std::max(floor, other.noise_floor);
  }
  return std::abs(std::log(one.ratio.median) - stats::median(logs)) > std::max(std::log(kQuarter), floor);
}

// A cell far off its neighbours: where a change does something else than everywhere else in the scenario. What crypto brings depends on the
// page, and is compared at one size.
void about_far_off_cells(const Run& run, const ScenarioView& scenario, std::vector<std::string>& out) {
  constexpr std::size_t kFewest = 3;
  for (const char* name : {"cpus", "clients", "log", "crypto", "gateway", "busy"}) {
    const auto values = axis_values(measured(scenario.cells), name);
    for (std::size_t i = 1; i < values.size(); ++i) {
      std::map<std::string, std::vector<Effect>> groups;
      for (const Effect& each : effects_between(run, scenario, name, values[i - 1], values[i])) {
        if (each.ratio.n > 1) {
          groups[std::string_view(name) == "crypto" ? axis(*each.a, "page") : ""].push_back(each);
        }
      }
      for (const auto& [page, effects] : groups) {
        for (std::size_t at = 0; at < effects.size() && effects.size() >= kFewest; ++at) {
          std::vector<Effect> others = effects;
          others.erase(others.begin() + static_cast<std::ptrdiff_t>(at));
          if (stands_apart(effects[at], others)) {
            out.push_back(fmt::format("{} with {} is far off what it is elsewhere: throughput {}, against {}.{}",
                                      subject(name, values[i - 1], values[i]), cell_label(*effects[at].b, scenario.cells, {name}),
                                      with_interval(effects[at].ratio),
                                      others.size() > 1 ? in_short(others) : with_interval(others[0].ratio), caution({effects[at]})));
          }
        }
      }
    }
  }
}

}  // namespace

std::vector<std::string> anomalies(const Run& run, const ScenarioView& scenario) {
  std::vector<std::string> out;
  const auto trials = trials_in(run, scenario);
  about_flags(trials, out);
  about_failures(trials, out);
  about_resumption(trials, out);
  about_far_off_trials(run, scenario, out);
  about_far_off_cells(run, scenario, out);
  return out;
}

}  // namespace lab::report
