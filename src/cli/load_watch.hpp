// A load while it runs: the live line, and what is written to files every second.
#pragma once

#include "command.hpp"
#include "lab/roles.hpp"
#include "roles/load/load.hpp"

#include <fstream>
#include <string>

namespace lab::cli {

// The files of --csv and --hdr; each second adds a line, so that they do not grow in memory.
class LoadFiles {
 public:
  // Creates them. The HdrHistogram log holds latency with a rate, else service times.
  Result<void> open(const LoadConfig& config);
  bool any() const { return csv_.is_open() || hdr_.is_open(); }
  void add(const load::Interval& interval);
  Result<void> close();

 private:
  std::string csv_path_, hdr_path_;
  std::ofstream csv_, hdr_;
  std::int64_t began_ns_ = 0;  // CLOCK_MONOTONIC; of the first interval
};

// Until the load has finished. The first Ctrl-C ends the measurement and drains, the second cuts off.
void watch(load::Load& load, LoadFiles& files, Context& context);

// Whether a live line will be shown, or files are written: then the load has to hand over its seconds.
bool wants_intervals(const LoadFiles& files, const Context& context);

}  // namespace lab::cli
