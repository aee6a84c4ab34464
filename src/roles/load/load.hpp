// The load driver: clients against one URL, or two in turn, spread over threads that share nothing; closed or open loop.
#pragma once

#include "lab/error.hpp"
#include "lab/roles.hpp"
#include "roles/load/intervals.hpp"
#include "roles/load/tally.hpp"
#include "stats/slices.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace lab::load {

struct LiveCounts {
  std::uint64_t started = 0, done = 0, failed = 0, in_flight = 0;  // pages
};

// All that a run found out. Instants are CLOCK_MONOTONIC in ns.
struct Outcome {
  Tally tally;               // of both sides of a pair
  std::vector<Tally> sides;  // of a pair: two
  std::vector<stats::Slot> slots;
  std::optional<stats::SlotPlan> slot_plan;
  std::optional<double> target_rate;
  std::int64_t start_ns = 0;                // first connect
  std::int64_t measure_ns = 0, end_ns = 0;  // the measurement; with a page count it ends with the last response
  std::uint64_t clients = 0;
  std::uint64_t threads = 0;
  bool tls = false;
};

class Load {
 public:
  // Checks everything, resolves hosts, makes contexts, clients and threads; nothing is sent yet. With `intervals` what happened is
  // to be fetched every second or so.
  static Result<std::unique_ptr<Load>> prepare(const LoadConfig& config, bool intervals = false);
  ~Load();  // cuts off what is under way
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  void begin();             // at config.start_at_ns, or now
  void stop();              // the measurement ends now; responses under way are drained
  void cut_off();           // everything ends now
  int finished_fd() const;  // readable once finished: for poll
  bool finished() const;
  LiveCounts live() const;
  std::vector<Interval> take_intervals();  // whole ones since the last call; the rest once finished
  Outcome outcome();                       // once finished

 private:
  Load();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lab::load
