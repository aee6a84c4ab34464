// What a run found out, as JSON, as a verdict, and against thresholds.
#pragma once

#include "lab/error.hpp"
#include "roles/load/load.hpp"
#include "stats/pairs.hpp"

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lab::load {

struct PageCounts {  // started = done + failed + in_flight
  std::uint64_t started = 0, done = 0, failed = 0, in_flight = 0;
};
// Of a window: started are those under way in it, in_flight those under way at its end.
PageCounts pages_in(const Tally& tally, Window window);
// From the first connect to the end of the drain; in_flight were cut off.
PageCounts all_pages(const Tally& tally);

double seconds(const Outcome& outcome);  // of the measurement
double rate(const Outcome& outcome);     // done pages a second, in the measurement

// started = done + failed + in flight, in each window and over all, and the errors by class are the failures.
bool counts_add_up(const Tally& tally);

// What a run says against its own figures.
enum class Flag : std::uint8_t {
  unreconciled,  // counts do not add up, or Little's law does not hold
  rate_missed,   // fewer than 99% of the pages that were due began
  driver_bound,  // the driver's threads were busy for over 90% of the measurement
  drain          // of a pair: slices were not drained before the next
};
const char* name_of(Flag flag);
std::vector<Flag> flags_of(const Outcome& outcome);
// One sentence for people.
std::string explain(const Outcome& outcome, Flag flag);

// Little's law: pages under way on average, observed, and by rate × mean time of a page. They differ by what straddles the edges.
struct Little {
  double observed = 0, computed = 0;
};
Little littles_law(const Outcome& outcome);

// Latency in an open loop, else service time.
const stats::Histogram& times_of(const Outcome& outcome);
double cpu_share(const Outcome& outcome);  // of the driver's threads, 0 … 1
// Of a pair; n is 0 where there is none.
stats::PairRatio ratio_of(const Outcome& outcome);

// The object that `lab load --json` prints (docs/load.md).
boost::json::object to_json(const Outcome& outcome);

// An error when nothing succeeded, or when not every client that wanted a connection got one.
Result<void> verdict(const Outcome& outcome);

// "p99>50ms", "errors>0.1%", "rate<1000": what --fail-if asks. Metrics: p50, p90, p99, p99.9, max, mean (of latency in an open loop, else
// of service time), errors, rate.
struct Threshold {
  enum class Metric : std::uint8_t { percentile, max, mean, errors, rate } metric = Metric::percentile;
  double percentile = 0;  // 0 … 100
  bool above = true;      // missed when above the limit, else when below it
  double limit = 0;       // ns, per cent of the pages that ended, or pages a second
  std::string text;
};
Result<Threshold> parse_threshold(const std::string& text);
// What --slo asks for: as a threshold, but it is met when it holds.
bool holds(const Outcome& outcome, const Threshold& threshold);
// Failure::missed with all thresholds missed in its text.
Result<void> judge(const Outcome& outcome, const std::vector<Threshold>& thresholds);

}  // namespace lab::load
