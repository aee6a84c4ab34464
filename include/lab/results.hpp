// What a run leaves (design: files a run leaves): trials.jsonl line by line, and results.json.
// src/store reads and writes them; src/run makes them; src/report draws them.
#pragma once

#include "lab/playbook.hpp"

#include <boost/json/object.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lab {

struct Interval {  // 95%, distribution-free; low = high = median where n is 1
  double median = 0, low = 0, high = 0;
  int n = 0;
};

struct Counts {                                                    // over warm-up, measurement and drain
  std::uint64_t started = 0, done = 0, failed = 0, in_flight = 0;  // at the driver; page exchanges
  std::uint64_t logins = 0;                                        // 401 exchanges at the driver, counted apart
  std::uint64_t gateway = 0;                    // lines in the gateway's log, or its counter where the log is not written
  bool gateway_counter = false;                 // it was the counter
  std::uint64_t pages = 0;                      // served by the back end
  std::uint64_t retries = 0;                    // gateway to back end
  std::map<std::string, std::uint64_t> errors;  // by class
};

struct Slice {                // a measured stretch of one side; a single trial has one
  std::int64_t start_ns = 0;  // since the trial began
  double s = 0;               // length
  std::uint64_t done = 0;
  std::map<std::string, std::uint64_t> cpu_us;  // by node
};

struct Percentiles {
  double p50 = 0, p99 = 0;
};

struct Side {
  std::string cell;
  Counts counts;
  double pages_per_s = 0;
  std::map<std::string, double> cpu;              // by node: share of its allotment
  std::map<std::string, double> cpu_us_per_page;  // by node
  std::map<std::string, double> machines;         // by machine: share of its CPUs
  double service_us_p50 = 0, service_us_p99 = 0;
  std::optional<Percentiles> latency_us;  // of an open loop, from the instant at which a request was due
  std::string tls_version, tls_cipher, openssl_cpu;
  std::vector<Slice> slices;
};

// Among a trial's notes: the first that was made after a run was broken off.
inline constexpr const char* kResumedNote = "the run was broken off before this trial, and resumed";

struct ClockOffset {           // a node's CLOCK_MONOTONIC against the controller's
  std::int64_t offset_ns = 0;  // node's − controller's
  std::int64_t error_ns = 0;   // the offset is within ± this: half the shortest round trip
};

struct Trial {
  int trial = 0;                // number in order of execution, from 1
  std::string kind = "single";  // single | pair | aa
  int block = 0, order = 0;     // which pass, which place in it, both from 0
  std::uint64_t seed = 0;
  std::vector<Side> sides;                    // one, or a and b
  std::optional<double> ratio;                // of a pair
  std::vector<std::string> flags;             // unreconciled, driver-bound, … (design §8)
  std::vector<std::string> notes;             // what exactly did not add up, a line each
  std::string failed;                         // why, where the trial failed; else empty
  std::map<std::string, ClockOffset> clocks;  // by load node: its drivers start at one instant
};

struct Latency {  // of a cell's trials
  Interval p50, p99;
};

struct CellResult {
  std::string id, scenario;
  std::vector<std::pair<std::string, std::string>> axes;
  std::string status = "measured";  // measured | skipped | failed
  std::string reason;
  int trials = 0;
  Interval pages_per_s;
  double service_us_p50 = 0, service_us_p99 = 0;
  std::optional<Latency> latency_us;  // of an open loop
  std::map<std::string, double> cpu, cpu_us_per_page, machines;
  std::uint64_t errors = 0;
  std::string tls_version, tls_cipher;
  std::string limited_by;  // node, or empty
  std::vector<std::string> flags;
};

struct PairResult {
  std::string a, b, kind;
  Interval ratio;          // b ÷ a
  double noise_floor = 0;  // of |log ratio|; 0: not known
  std::vector<std::string> flags;
};

struct ClaimResult {
  std::string id, says;
  std::string kind;                     // of the playbook's claim: ratio | share | order | below
  std::string published;                // as text: "0.65", "order"
  Interval measured;                    // n = 0: nothing was measured
  std::string verdict = "cannot-tell";  // agrees | differs | cannot-tell
  std::string reason;
  std::string of;  // the axes value that this verdict is for, "clients=8"; empty: one verdict
  // Of a ratio or a share: how far from `published` still agrees, relative to it. 0: none, or not known.
  double tolerance = 0;
};

// `environment`, as the report reads it; a key that could not be learnt is absent, never a placeholder:
//   lab, playbook, profile, provider            names
//   command, seed, started, finished            the command line; UTC, "2026-11-30T20:15:00Z"
//   warmup_s, measure_s, repeats
//   version, build, architecture, kernel, openssl, hostname
//   cpu_model, cores, smt (bool), governor, memory_bytes
//   cpu_unit (host CPUs a lab CPU is worth), cpu_method ("quota" | "stop-continue" | "none"), cpu_note, quota_period_us
//   crypto: {features: ["aes", …], hardware, software}      what OPENSSL_info said in the gateway under each setting
//   nodes: [{name, roles: […], networks: […], address, machine, cpus (lab CPUs), host_cpus: […]}]    in the lab's order
struct Results {
  std::vector<CellResult> cells;
  std::vector<PairResult> pairs;
  std::vector<ClaimResult> claims;
  boost::json::object environment;
};

}  // namespace lab
