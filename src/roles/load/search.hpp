// The highest rate that a server takes within a limit: doubling, bisection, and a confirmation in a run of its own.
#pragma once

#include "lab/error.hpp"
#include "roles/load/outcome.hpp"

#include <boost/json/object.hpp>
#include <functional>
#include <string>
#include <vector>

namespace lab::load {

struct Probe {
  double rate = 0;  // asked for, requests a second
  bool met = false;
  std::string why;  // what was not met
  double achieved = 0, p99_ms = 0;
  bool confirmation = false;
};

struct Search {
  double rate = 0;       // the highest that was met and confirmed; 0: not even the lowest tried was
  bool bounded = false;  // a higher one was tried and not met
  std::vector<Probe> probes;
};

struct SearchPlan {
  double start = 100;       // requests a second
  double precision = 0.02;  // bisection ends when the lowest not met is so much above the highest met
  double most = 1e7;
  double most_errors = 0.001;  // share of the pages that ended
  std::vector<Threshold> limits;
};

using Measure = std::function<Result<Outcome>(double rate)>;

// Whether an outcome is within the plan's limits, missed no rate and was not limited by the driver; why not.
std::string unmet(const Outcome& outcome, const SearchPlan& plan);

// `measure` runs one open loop; `tell` hears of each probe when it ended. Errors are those of `measure`.
Result<Search> find_max(const SearchPlan& plan, const Measure& measure, const std::function<void(const Probe&)>& tell);

// {"rate", "bounded", "probes": [{"rate", "met", "why", "achieved", "p99_ms", "confirmation"}]}
boost::json::object to_json(const Search& search);

}  // namespace lab::load
