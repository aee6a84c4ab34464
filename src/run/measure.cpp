#include "measure.hpp"

#include "calls.hpp"
#include "check.hpp"
#include "store/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace lab::run {

namespace {

constexpr int kLogLines = 200;

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
  Result<Trial> make(const TrialPlan& what, int number) {
    Trial trial;
    trial.trial = number;
    trial.kind = what.kind;
    trial.block = what.block;
    trial.order = what.order;
    trial.seed = plan_.seed;
    for (const std::string& id : what.sides) {
      trial.sides.emplace_back().cell = id;
    }
    if (auto measured = measure_sides(trial); !measured) {
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
  Result<void> measure_sides(Trial& trial) {
    for (Side& side : trial.sides) {
      const Cell* cell = find_cell(plan_.cells, side.cell);
      if (cell == nullptr) {
        return Error{"the playbook has no cell " + side.cell, {}, {}, {}};
      }
      const auto setup = set_up(*cell, bench_.standing, bench_.facts, plan_.timing);
      if (!setup) {
        return setup.error();
      }
      gateways_.insert(setup->gateway);
      auto seen = observe(bench_, *setup, plan_.timing);
      if (!seen) {
        return seen.error();
      }
      const HostCpus allotments = allotments_of(bench_.standing, bench_.facts, setup->gateway, setup->cpus);
      side = conclude(*seen, *setup, bench_.standing, allotments);
      add(trial, reconcile(*seen, *setup, cell->scenario));
      add(trial, find_limits(side, *seen, *setup, bench_.standing, allotments));
      seen_.push_back(std::move(*seen));
    }
    return {};
  }

  // Samples and service times as they were seen, before the line that says that the trial is done.
  Result<void> keep_raw(const Trial& trial) {
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      const Side& side = trial.sides[i];
      if (auto appended = directory_.append(rows_of(seen_[i], trial.trial)); !appended) {
        return appended;
      }
      const double start = static_cast<double>(side.slices.front().start_ns) / 1e9;
      const std::string name =
          fmt::format("histograms/trial-{:04}{}.hlog", trial.trial, trial.sides.size() > 1 ? fmt::format("-{}", i + 1) : "");
      if (auto saved = directory_.save(name, stats::hdr_log(side.cell, start, side.slices.front().s, service_times(seen_[i]))); !saved) {
        return saved;
      }
    }
    seen_.clear();
    return {};
  }

  void keep_log(const Trial& trial) {
    for (const std::string& gateway : gateways_) {
      const auto log =
          call(bench_.agents, {gateway, "role.log", {{"name", "gateway"}, {"lines", kLogLines}}}, within(std::chrono::seconds(2)));
      if (log) {
        (void)directory_.save(fmt::format("logs/trial-{:04}-{}.log", trial.trial, gateway), store::text_of(*log, "text"));
      }
    }
  }

  Bench& bench_;
  const Plan& plan_;
  store::RunDirectory& directory_;
  std::set<std::string> gateways_;
  std::vector<Observation> seen_;  // of the trial in hand, a side each
};

bool made(const std::vector<Trial>& done, const TrialPlan& plan) {
  return std::any_of(done.begin(), done.end(), [&](const Trial& trial) { return trial.block == plan.block && trial.order == plan.order; });
}

}  // namespace

Outcome measure(Bench& bench, const Plan& plan, std::vector<Trial> done, store::RunDirectory& directory, Progress& progress) {
  Outcome outcome{std::move(done), false, std::nullopt};
  Run run(bench, plan, directory);
  const int total = static_cast<int>(plan.trials.size());
  const auto earlier = outcome.trials.size();
  int block = -1;
  const std::int64_t began = bench.now();
  for (const TrialPlan& next : plan.trials) {
    if (made(outcome.trials, next)) {
      continue;
    }
    if (next.block != block) {
      block = next.block;
      if (auto synchronised = synchronise(bench); !synchronised) {
        outcome.error = synchronised.error();
        break;
      }
    }
    const int number = static_cast<int>(outcome.trials.size()) + 1;
    const auto made_now = static_cast<std::int64_t>(outcome.trials.size() - earlier);
    const std::int64_t one =
        made_now > 0 ? (bench.now() - began) / made_now : (plan.timing.warmup + plan.timing.measure + kTrialOverhead).count();
    progress.starting(next, number, total, std::chrono::nanoseconds(one * (total - number + 1)));
    auto trial = run.make(next, number);
    if (!trial) {
      outcome.interrupted = trial.error().failure == Failure::interrupted;
      if (!outcome.interrupted) {
        outcome.error = trial.error();
      }
      break;
    }
    outcome.trials.push_back(std::move(*trial));
    progress.finished(outcome.trials.back(), number, total);
  }
  for (const std::string& gateway : run.gateways()) {
    (void)restore(bench, gateway);  // `lab status` says so when it did not work; the measurements stand
  }
  return outcome;
}

}  // namespace lab::run
