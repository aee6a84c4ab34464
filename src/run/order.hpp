// In which order a run's trials are made: blocks, each a pass over all of them in random order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lab::run {

struct Comparison {  // what a pass measures once
  std::string kind = "single";
  std::vector<std::string> sides;  // ids of cells
  bool quota = false;              // the gateway's CPUs are set before each slice of a pair
};

struct TrialPlan {
  std::string kind;
  int block = 0, order = 0;  // which pass, which place in it, both from 0
  std::vector<std::string> sides;
  bool quota = false;
  bool operator==(const TrialPlan&) const = default;
};

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): the same sequence from the same seed in every build, which std::shuffle does not promise.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  std::uint64_t below(std::uint64_t bound);  // 0 … bound − 1, without bias; bound > 0

 private:
  std::uint64_t state_;
};

// One block of them.
std::vector<TrialPlan> in_random_order(const std::vector<Comparison>& comparisons, int block, Random& random);

std::vector<TrialPlan> in_random_blocks(const std::vector<Comparison>& comparisons, int repeats, std::uint64_t seed);

}  // namespace lab::run
