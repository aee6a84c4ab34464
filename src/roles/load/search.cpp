#include "roles/load/search.hpp"

#include <algorithm>
#include <boost/json.hpp>

namespace lab::load {

namespace {

constexpr int kConfirmations = 5;
constexpr double kStepDown = 0.95;  // after a confirmation that failed
constexpr double kLeast = 1;        // requests a second

class Searcher {
 public:
  Searcher(const SearchPlan& plan, const Measure& measure, const std::function<void(const Probe&)>& tell)
      : plan_(plan), measure_(measure), tell_(tell) {}

  Result<bool> probe(double rate, bool confirmation) {
    const Result<Outcome> outcome = measure_(rate);
    if (!outcome) {
      return outcome.error();
    }
    Probe probe{rate};
    probe.why = unmet(*outcome, plan_);
    probe.met = probe.why.empty();
    probe.achieved = load::rate(*outcome);
    probe.p99_ms = static_cast<double>(times_of(*outcome).percentile(99)) / 1e6;
    probe.confirmation = confirmation;
    search_.probes.push_back(probe);
    search_.bounded = search_.bounded || !probe.met;
    tell_(probe);
    return probe.met;
  }

  // Doubles until one is not met; where the first is not, halves until one is.
  Result<void> bracket() {
    for (double rate = plan_.start; rate <= plan_.most;) {
      const Result<bool> met = probe(rate, false);
      if (!met) {
        return met.error();
      }
      (*met ? met_ : unmet_) = rate;
      if ((met_ > 0 && unmet_ > 0) || (!*met && rate <= kLeast)) {
        return {};
      }
      rate = *met ? rate * 2 : std::max(rate / 2, kLeast);
    }
    return {};
  }

  Result<void> bisect() {
    while (met_ > 0 && unmet_ > met_ * (1 + plan_.precision)) {
      const double middle = (met_ + unmet_) / 2;
      const Result<bool> met = probe(middle, false);
      if (!met) {
        return met.error();
      }
      (*met ? met_ : unmet_) = middle;
    }
    return {};
  }

  Result<void> confirm() {
    for (int i = 0; met_ > 0 && i < kConfirmations; ++i) {
      const Result<bool> met = probe(met_, true);
      if (!met) {
        return met.error();
      }
      if (*met) {
        search_.rate = met_;
        return {};
      }
      met_ *= kStepDown;
    }
    return {};
  }

  Search result() && { return std::move(search_); }

 private:
  const SearchPlan& plan_;
  const Measure& measure_;
  const std::function<void(const Probe&)>& tell_;
  Search search_;
  double met_ = 0, unmet_ = 0;
};

}  // namespace

std::string unmet(const Outcome& outcome, const SearchPlan& plan) {
  const Counts& counts = outcome.tally.in(Window::measure);
  const auto ended = static_cast<double>(counts.done + counts.failed);
  if (static_cast<double>(counts.failed) > plan.most_errors * ended) {
    return std::to_string(counts.failed) + " of " + std::to_string(counts.done + counts.failed) + " requests failed";
  }
  for (const Flag flag : flags_of(outcome)) {
    return name_of(flag);
  }
  for (const Threshold& limit : plan.limits) {
    if (!holds(outcome, limit)) {
      return "not " + limit.text;
    }
  }
  return {};
}

Result<Search> find_max(const SearchPlan& plan, const Measure& measure, const std::function<void(const Probe&)>& tell) {
  Searcher searcher(plan, measure, tell);
  for (const auto phase : {&Searcher::bracket, &Searcher::bisect, &Searcher::confirm}) {
    if (const Result<void> done = (searcher.*phase)(); !done) {
      return done.error();
    }
  }
  return std::move(searcher).result();
}

boost::json::object to_json(const Search& search) {
  boost::json::object object{{"rate", search.rate}, {"bounded", search.bounded}};
  boost::json::array& probes = object["probes"].emplace_array();
  for (const Probe& probe : search.probes) {
    probes.push_back({{"rate", probe.rate},
                      {"met", probe.met},
                      {"why", probe.why},
                      {"achieved", probe.achieved},
                      {"p99_ms", probe.p99_ms},
                      {"confirmation", probe.confirmation}});
  }
  return object;
}

}  // namespace lab::load
