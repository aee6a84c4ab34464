// What goes wrong on purpose: latency and failures, by operation, name, share and thread.
#pragma once

#include "lab/roles.hpp"

#include <cstdint>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

namespace lab::directory {

// One a thread; its randomness is seeded with the thread's number, so that a run can be repeated.
class Faults {
 public:
  explicit Faults(int thread) : thread_(thread), random_(static_cast<std::uint64_t>(thread) + 1) {}

  void set(std::shared_ptr<const std::vector<Fault>> faults) { faults_ = std::move(faults); }

  struct Verdict {
    std::int64_t delay_ns = 0;
    Fault::Answer answer = Fault::Answer::usual;
  };
  // All faults that apply add their latency; the first that changes the answer counts.
  Verdict judge(Fault::Operation operation, std::string_view normal_dn);
  bool none() const { return faults_ == nullptr || faults_->empty(); }

 private:
  std::int64_t draw(const Fault& fault);

  const int thread_;
  std::mt19937_64 random_;
  std::shared_ptr<const std::vector<Fault>> faults_;
};

}  // namespace lab::directory
