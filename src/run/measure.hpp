// Executes a plan on a standing lab, trial by trial, each on disk before the next begins.
#pragma once

#include "bench.hpp"
#include "lab/results.hpp"
#include "plan.hpp"
#include "store/run_directory.hpp"

#include <chrono>
#include <optional>
#include <vector>

namespace lab::run {

struct LiveSample {
  std::string node;
  double cpus = 0;  // host CPUs in use over the last second
};

class Progress {  // told about the run while it goes on; from measure()'s thread
 public:
  virtual ~Progress() = default;
  // `number` of `total`, both counting trials of earlier parts of a resumed run.
  virtual void starting(const TrialPlan& trial, int number, int total, std::chrono::nanoseconds left) = 0;
  virtual void finished(const Trial& trial, int number, int total) = 0;
  virtual void sampled(const LiveSample&) {}  // during a trial; from any thread
};

struct Outcome {
  std::vector<Trial> trials;  // all that are on disk, in order of execution
  bool interrupted = false;
  std::optional<Error> error;  // what ended it early: the run directory could not be written
};

// `done`: trials of an earlier part, which are not made again. A trial that fails is recorded and the next one begins;
// the failed one's gateway log goes to logs/. An interrupted one is not recorded. At the end the gateways are as `lab up` left them.
Outcome measure(Bench& bench, const Plan& plan, std::vector<Trial> done, store::RunDirectory& directory, Progress& progress);

}  // namespace lab::run
