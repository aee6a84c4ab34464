// What a side's observation comes to: its numbers, and what does not add up.
#pragma once

#include "allotment.hpp"
#include "lab/results.hpp"
#include "lab/standing.hpp"
#include "observation.hpp"
#include "setup.hpp"
#include "stats/histogram.hpp"

#include <string>
#include <vector>

namespace lab::run {

struct Finding {
  std::string flag;  // unreconciled, driver-bound, … (design: files a run leaves); empty: only to be noted
  std::string note;  // what exactly, one line
  bool operator==(const Finding&) const = default;
};

// Of the measurement, of all drivers together.
stats::Histogram service_times(const Observation& seen);
stats::Histogram latencies(const Observation& seen);  // empty where no driver had a rate

// Throughput, CPU shares (of a node's allotment; of a machine's CPUs), CPU time a page, service times, counts.
Side conclude(const Observation& seen, const Setup& setup, const Standing& standing, const HostCpus& allotments);

// Counts over warm-up, measurement and drain: started = done + failed + in flight; driver = gateway's log = back end; TLS as asked;
// throughput × mean service time = clients. A retry may have been served before its connection broke, or not, and nobody knows of a
// failed page or one in flight: so the back ends' pages are checked only up to that many more than were done. Retries are counted and
// told, and bound how loose this is.
std::vector<Finding> reconcile(const Observation& seen, const Setup& setup, const Scenario& scenario);

// Of the pages alone: for both sides of a pair together, where the back ends' counters could not be told apart.
std::vector<Finding> reconcile_pages(const Observation& seen);

// Who limited it, from CPU shares.
std::vector<Finding> find_limits(const Side& side, const Setup& setup, const Standing& standing, const HostCpus& allotments);

// Whether the second half of a single trial's measurement went on as the first: `unsettled` when by over a fifth it did not.
std::vector<Finding> find_drift(const Observation& seen);
// Likewise of a pair, by how much its ratio changed (stats::pair_drift).
std::vector<Finding> find_drift(double log_ratio);

// Whether its hosts were quiet.
std::vector<Finding> find_noise(const Observation& seen, const Standing& standing);

}  // namespace lab::run
