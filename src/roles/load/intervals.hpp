// A run second by second: for the live line, the CSV file and the lines of an HdrHistogram log.
#pragma once

#include "stats/histogram.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace lab::load {

inline constexpr std::int64_t kIntervalNs = 1'000'000'000;

struct Interval {
  std::uint64_t number = 0;                  // from 0; one a second from the start on, the last one may be shorter
  std::int64_t start_ns = 0, length_ns = 0;  // CLOCK_MONOTONIC
  std::uint64_t started = 0, done = 0, failed = 0;
  std::int64_t cpu_ns = 0;  // of the driver's threads
  stats::Histogram times;   // ns, of the measurement: latency in an open loop, else service

  void merge(const Interval& other);
};

// What one worker hands over and another thread fetches.
class IntervalQueue {
 public:
  void put(Interval interval);
  std::deque<Interval> take();

 private:
  std::mutex mutex_;
  std::deque<Interval> waiting_;
};

// Puts the intervals of several workers together: one comes out when all have handed theirs over, or ended.
class IntervalMerger {
 public:
  explicit IntervalMerger(std::size_t workers) : workers_(workers) {}
  void add(const std::deque<Interval>& intervals);
  std::vector<Interval> ready(bool all_ended);

 private:
  struct Part {
    Interval interval;
    std::size_t workers = 0;
  };
  std::size_t workers_;
  std::deque<Part> parts_;  // in order of their numbers, without holes
  std::uint64_t first_ = 0;
};

}  // namespace lab::load
