#include "measure.hpp"

#include "calls.hpp"
#include "check.hpp"
#include "pair_trial.hpp"
#include "services.hpp"
#include "stats/pairs.hpp"
#include "store/raw.hpp"
#include "store/read.hpp"
#include "summary.hpp"
#include "trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace lab::run {

namespace {

constexpr int kLogLines = 200;
constexpr double kIdle = 0.01;  // of a CPU

std::string one_line(const Error& error) {
  std::string text = to_string(error);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

void add(Trial& trial, const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    if (finding.flag.empty()) {
      trial.notes.push_back(finding.note);
      continue;
    }
    if (std::find(trial.flags.begin(), trial.flags.end(), finding.flag) == trial.flags.end()) {
      trial.flags.push_back(finding.flag);
    }
    trial.notes.push_back(finding.flag + ": " + finding.note);
  }
}

std::vector<store::NodeSample> rows_of(const Observation& seen, int trial) {
  std::vector<store::NodeSample> rows;
  for (const auto& [node, edges] : seen.edges) {
    for (const Edge& e : edges) {
      rows.push_back({trial, node, e.at_ns, e.taken_ns, e.cpu_us, e.user, e.system, e.idle, e.iowait, e.steal, e.irq, e.accounted});
    }
  }
  return rows;
}

class Run {
 public:
  Run(Bench& bench, const Plan& plan, store::RunDirectory& directory) : bench_(bench), plan_(plan), directory_(directory) {}

  // An error ends the run: interrupted, or the disk is full.
  Result<Trial> make(const TrialPlan& what, int number, bool resumed) {
    Trial trial;
    if (resumed) {
      trial.notes.emplace_back(kResumedNote);
    }
    trial.trial = number;
    trial.kind = what.kind;
    trial.block = what.block;
    trial.order = what.order;
    trial.seed = plan_.seed;
    for (const Node& node : bench_.standing.lab.nodes) {
      if (const auto clock = bench_.clocks.find(node.name); node.has(Role::load) && clock != bench_.clocks.end()) {
        trial.clocks.insert(*clock);
      }
    }
    for (const std::string& id : what.sides) {
      trial.sides.emplace_back().cell = id;
    }
    if (auto measured = what.sides.size() > 1 ? measure_pair(trial, what.quota) : measure_one(trial); !measured) {
      if (measured.error().failure == Failure::interrupted) {
        return measured.error();
      }
      trial.failed = one_line(measured.error());
      keep_log(trial);
    }
    if (auto kept = keep_raw(trial); !kept) {
      return kept.error();
    }
    if (auto appended = directory_.append(trial); !appended) {
      return appended.error();
    }
    return trial;
  }

  std::set<std::string> gateways() const { return gateways_; }

 private:
  Result<const Cell*> cell_of(const std::string& id) const {
    const Cell* const cell = find_cell(plan_.cells, id);
    return cell != nullptr ? Result<const Cell*>(cell) : Error{"the playbook has no cell " + id, {}, {}, {}};
  }

  Result<void> measure_one(Trial& trial) {
    const auto cell = cell_of(trial.sides[0].cell);
    const auto setup = cell ? set_up(**cell, bench_.standing, bench_.facts, plan_.timing) : cell.error();
    if (!setup) {
      return setup.error();
    }
    gateways_.insert(setup->gateway);
    auto seen = observe(bench_, *setup, plan_.timing);
    if (!seen) {
      return seen.error();
    }
    conclude_side(trial, 0, *seen, *setup, **cell);
    add(trial, find_noise(*seen, bench_.standing));
    add(trial, find_drift(*seen));
    seen_.push_back(std::move(*seen));
    return {};
  }

  Result<void> measure_pair(Trial& trial, bool quota) {
    const auto a = cell_of(trial.sides[0].cell), b = cell_of(trial.sides[1].cell);
    if (!a || !b) {
      return a ? b.error() : a.error();
    }
    auto pair = set_up_pair(**a, **b, quota, bench_.standing, bench_.facts, plan_.timing);
    if (!pair) {
      return pair.error();
    }
    for (const Setup& side : pair->sides) {
      gateways_.insert(side.gateway);
    }
    const auto slots = slots_of(*pair);
    auto seen = slots ? observe_pair(bench_, *pair, plan_.timing, *slots) : slots.error();
    if (!seen) {
      return seen.error();
    }
    if (const auto next = slots_after(*seen, *pair)) {
      slots_[pair->name()] = *next;
    }
    return conclude_pair(trial, *seen, *pair, {*a, *b});
  }

  // Of the trial before of this pair, or found out.
  Result<SlotTiming> slots_of(const PairSetup& pair) {
    const auto known = slots_.find(pair.name());
    return known != slots_.end() ? known->second : calibrate(bench_, pair);
  }

  void conclude_side(Trial& trial, std::size_t at, const Observation& seen, const Setup& setup, const Cell& cell) {
    const HostCpus allotments = allotments_of(bench_.standing, bench_.facts, setup.gateway, setup.cpus);
    trial.sides[at] = conclude(seen, setup, bench_.standing, allotments);
    auto findings = reconcile(seen, setup, cell.scenario);
    for (const auto& [node, edges] : seen.edges) {
      if (!trial.sides[at].cpu.contains(node)) {
        findings.push_back({"", "the CPU of " + node + " is not known: its counters were read too late"});
      }
    }
    const auto limits = find_limits(trial.sides[at], setup, bench_.standing, allotments);
    findings.insert(findings.end(), limits.begin(), limits.end());
    if (trial.sides.size() > 1) {
      for (Finding& finding : findings) {
        finding.note = (at == 0 ? "side a: " : "side b: ") + finding.note;
      }
    }
    add(trial, findings);
  }

  Result<void> conclude_pair(Trial& trial, PairObservation& seen, PairSetup& pair, const std::array<const Cell*, 2>& cells) {
    if (seen.pages_together) {
      add(trial, reconcile_pages(together(seen, pair)));
    }
    for (std::size_t i = 0; i < 2; ++i) {
      Setup& setup = pair.sides.at(i);
      if (seen.pages_together && !setup.pages.empty()) {
        setup.pages.clear();
        setup.pages_elsewhere = "the back ends' pages were checked for both sides together: an edge was read late, or a slice not drained";
      }
      conclude_side(trial, i, seen.sides.at(i), setup, *cells.at(i));
    }
    add(trial, find_noise(seen.sides[0], bench_.standing));
    add(trial, findings_of(seen));
    add(trial, find_drift(stats::pair_drift(seen.rates)));
    const stats::PairRatio ratio = stats::pair_ratio(seen.rates);
    for (Observation& side : seen.sides) {
      seen_.push_back(std::move(side));
    }
    if (ratio.n == 0) {
      return Error{"no group of slices counts: " + std::to_string(seen.undrained) + " of " + std::to_string(seen.slots) +
                       " were not drained in time, before " + std::to_string(seen.late_switches) + " the CPUs were not set in time",
                   "cells " + pair.name(),
                   "is the host busy with something else? (lab doctor)",
                   {}};
    }
    trial.ratio = ratio.ratio;
    return {};
  }

  // What was to come from back ends that are counted.
  static Observation together(const PairObservation& seen, const PairSetup& pair) {
    Observation both;
    for (std::size_t i = 0; i < 2; ++i) {
      if (const Observation& side = seen.sides.at(i); !pair.sides.at(i).pages.empty()) {
        both.drivers.insert(both.drivers.end(), side.drivers.begin(), side.drivers.end());
        both.retries += side.retries;
      }
    }
    both.pages_served = seen.pages_together.value_or(0);
    return both;
  }

  static std::vector<Finding> findings_of(const PairObservation& seen) {
    std::vector<Finding> findings;
    if (seen.undrained > 0) {
      findings.push_back(
          {"drain", fmt::format("{} of {} slices were not drained in time, their groups are left out", seen.undrained, seen.slots)});
    }
    if (seen.late_switches > 0) {
      findings.push_back(
          {"", fmt::format("before {} slices the CPUs were not set in time, their groups are left out", seen.late_switches)});
    }
    if (seen.idle_share > kIdle) {
      findings.push_back({"idle-side", fmt::format("a gateway that was not loaded used {:.1f}% of a CPU", 100 * seen.idle_share)});
    }
    return findings;
  }

  // Samples and service times as they were seen, before the line that says that the trial is done.
  Result<void> keep_raw(const Trial& trial) {
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      const Side& side = trial.sides[i];
      if (auto appended = i == 0 ? directory_.append(rows_of(seen_[i], trial.trial)) : Result<void>(); !appended) {
        return appended;
      }
      if (side.slices.empty()) {
        continue;
      }
      if (auto kept = keep_times(trial, i, store::Times::service, service_times(seen_[i])); !kept) {
        return kept;
      }
      const stats::Histogram latency = latencies(seen_[i]);
      if (auto kept = latency.count() > 0 ? keep_times(trial, i, store::Times::latency, latency) : Result<void>(); !kept) {
        return kept;
      }
    }
    seen_.clear();
    return {};
  }

  Result<void> keep_times(const Trial& trial, std::size_t side, store::Times what, const stats::Histogram& times) {
    const Slice& first = trial.sides[side].slices.front();
    return directory_.save(store::histogram_name(trial.trial, side, trial.sides.size(), what),
                           stats::hdr_log(trial.sides[side].cell, static_cast<double>(first.start_ns) / 1e9, first.s, times));
  }

  void keep_log(const Trial& trial) {
    for (const std::string& gateway : gateways_) {
      for (const Place place : trial.sides.size() > 1 ? std::vector{Place::a, Place::b} : std::vector{Place::alone}) {
        const std::string role = gateway_role(place);
        const auto log =
            call(bench_.agents, {gateway, "role.log", {{"name", role}, {"lines", kLogLines}}}, within(std::chrono::seconds(2)));
        if (log) {
          (void)directory_.save(fmt::format("logs/trial-{:04}-{}-{}.log", trial.trial, gateway, role), store::text_of(*log, "text"));
        }
      }
    }
  }

  Bench& bench_;
  const Plan& plan_;
  store::RunDirectory& directory_;
  std::set<std::string> gateways_;
  std::map<std::string, SlotTiming> slots_;  // by pair
  std::vector<Observation> seen_;            // of the trial in hand, a side each
};

bool made(const std::vector<Trial>& done, const TrialPlan& plan) {
  return std::any_of(done.begin(), done.end(), [&](const Trial& trial) { return trial.block == plan.block && trial.order == plan.order; });
}

// Goes through a run's trials, and beyond the plan where intervals are to become narrower.
class Passes {
 public:
  Passes(Bench& bench, const Plan& plan, std::vector<Trial> done, store::RunDirectory& directory, Progress& progress)
      : bench_(bench), plan_(plan), run_(bench, plan, directory), progress_(progress), outcome_{std::move(done), false, std::nullopt} {
    earlier_ = outcome_.trials.size();
    began_ = bench.now();
  }

  Outcome operator()() {
    bool going = make(plan_.trials, static_cast<int>(plan_.trials.size()));
    for (int block = plan_.repeats; going && plan_.until > 0 && block < kMostPasses * plan_.repeats; ++block) {
      const auto wide = too_wide(plan_, outcome_.trials);
      if (wide.empty()) {
        break;
      }
      Random random(plan_.seed + static_cast<std::uint64_t>(block));
      const auto more = in_random_order(wide, block, random);
      going = make(more, static_cast<int>(outcome_.trials.size() + more.size()));
    }
    for (const std::string& gateway : run_.gateways()) {
      (void)restore(bench_, gateway);  // `lab status` says so when it did not work; the measurements stand
    }
    return std::move(outcome_);
  }

 private:
  // Whether the run goes on.
  bool make(const std::vector<TrialPlan>& trials, int total) {
    for (const TrialPlan& next : trials) {
      if (!made(outcome_.trials, next) && !make(next, total)) {
        return false;
      }
    }
    return true;
  }

  bool make(const TrialPlan& next, int total) {
    if (next.block != block_) {
      block_ = next.block;
      if (auto synchronised = synchronise(bench_); !synchronised) {
        outcome_.error = synchronised.error();
        return false;
      }
    }
    const int number = static_cast<int>(outcome_.trials.size()) + 1;
    progress_.starting(next, number, total, time_for(total - number + 1));
    auto trial = run_.make(next, number, earlier_ > 0 && outcome_.trials.size() == earlier_);
    if (!trial) {
      outcome_.interrupted = trial.error().failure == Failure::interrupted;
      if (!outcome_.interrupted) {
        outcome_.error = trial.error();
      }
      return false;
    }
    outcome_.trials.push_back(std::move(*trial));
    progress_.finished(outcome_.trials.back(), number, total);
    return true;
  }

  // So many more trials, at what one took on average so far.
  std::chrono::nanoseconds time_for(int trials) const {
    const auto made_now = static_cast<std::int64_t>(outcome_.trials.size() - earlier_);
    const std::int64_t one =
        made_now > 0 ? (bench_.now() - began_) / made_now : (plan_.timing.warmup + plan_.timing.measure + kTrialOverhead).count();
    return std::chrono::nanoseconds(one * trials);
  }

  Bench& bench_;
  const Plan& plan_;
  Run run_;
  Progress& progress_;
  Outcome outcome_;
  std::size_t earlier_ = 0;
  std::int64_t began_ = 0;
  int block_ = -1;
};

}  // namespace

Outcome measure(Bench& bench, const Plan& plan, std::vector<Trial> done, store::RunDirectory& directory, Progress& progress) {
  bench.sampled = [&progress](const std::string& node, double cpus) { progress.sampled({node, cpus}); };
  Outcome outcome = Passes(bench, plan, std::move(done), directory, progress)();
  bench.sampled = nullptr;
  return outcome;
}

}  // namespace lab::run
