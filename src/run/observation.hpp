// What one side of a trial was seen to do, as it came from the nodes; src/run/check.hpp draws the conclusions.
#pragma once

#include "lab/results.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lab::run {

struct DriverResult {  // `lab load --json`
  std::string node;
  Counts total;                 // warm-up, measurement and drain
  std::uint64_t responses = 0;  // likewise: complete ones of any status, logins included
  std::uint64_t retries = 0;    // likewise: requests sent again; the first of the two may have been served, too
  std::uint64_t done = 0;       // pages within the measurement
  double duration_s = 0;        // of the measurement
  double service_us_mean = 0;
  double busy_clients = 0;                        // throughput × mean service time
  std::uint64_t first_half = 0, second_half = 0;  // pages done in each half of the measurement; of a pair's side: 0
  std::string histogram;                          // of service times, ns; HdrHistogram V2, base64
  std::string latency;                            // likewise, from when requests were due; of an open loop only
  std::uint64_t due = 0, unstarted = 0;           // likewise: requests within the measurement, and those that found no free client
  std::string tls_version, tls_cipher;
};

struct Edge {  // a node's counters at one instant; instants in ns since the trial's start
  std::int64_t at_ns = 0, taken_ns = 0;
  std::uint64_t cpu_us = 0;                                                      // roles and agent
  std::uint64_t user = 0, system = 0, idle = 0, iowait = 0, steal = 0, irq = 0;  // of its host
  std::uint64_t accounted = 0;                                                   // CPU time of all its processes, exact; 0: not known
  int host_cpus = 0;
  std::map<std::string, std::uint64_t> roles;  // CPU time of each, µs
  std::optional<std::uint64_t> pages;          // that its page server had served, where that was asked for
  std::int64_t pages_known_ns = 0;             // when it said so
  int carrier_cpus = 0;                        // of the LPAR that carries its host; 0: not known, or none
  std::uint64_t carrier_us = 0;                // CPU time of everything there, as of carrier_at_ns; 0: not known
  std::int64_t carrier_at_ns = 0;
};

struct NodeUse {
  double s = 0;  // of the stretch as that node saw it
  std::uint64_t cpu_us = 0;
};

struct Stretch {  // a measured one of a side
  std::int64_t start_ns = 0;
  double s = 0;
  std::uint64_t done = 0;
  std::map<std::string, NodeUse> used;  // by node; without those whose counters were read too late for it
};

struct Observation {
  std::string openssl_cpu;  // of the gateway's process
  std::vector<DriverResult> drivers;
  std::map<std::string, std::vector<Edge>> edges;  // by node: the measurement's start, instants between, its end; of a pair: all of it
  std::vector<Stretch> slices;                     // of a pair's side; none: the measurement is one stretch
  std::uint64_t gateway_responses = 0;             // lines of its log, or its counter
  bool gateway_counter = false;
  std::uint64_t log_errors = 0;    // lines that could not be written
  std::uint64_t retries = 0;       // gateway to back end
  std::uint64_t pages_served = 0;  // by the junction's back ends
};

}  // namespace lab::run
