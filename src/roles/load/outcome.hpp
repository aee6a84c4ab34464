// What a run found out, as JSON, as a verdict, and against thresholds.
#pragma once

#include "lab/error.hpp"
#include "roles/load/load.hpp"

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

// The object that `lab load --json` prints (docs/load.md).
boost::json::object to_json(const Outcome& outcome);

// An error when nothing succeeded, or when not every client that wanted a connection got one.
Result<void> verdict(const Outcome& outcome);

// "p99>50ms", "errors>0.1%", "rate<1000": what --fail-if asks. Metrics: p50, p90, p99, p99.9, max, mean (of service times), errors, rate.
struct Threshold {
  enum class Metric : std::uint8_t { percentile, max, mean, errors, rate } metric = Metric::percentile;
  double percentile = 0;  // 0 … 100
  bool above = true;      // missed when above the limit, else when below it
  double limit = 0;       // ns, per cent of the pages that ended, or pages a second
  std::string text;
};
Result<Threshold> parse_threshold(const std::string& text);
// Failure::missed with all thresholds missed in its text.
Result<void> judge(const Outcome& outcome, const std::vector<Threshold>& thresholds);

}  // namespace lab::load
