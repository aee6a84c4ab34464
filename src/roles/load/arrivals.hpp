// When requests are due in an open loop: a schedule that does not wait for answers.
#pragma once

#include <cstdint>
#include <optional>

namespace lab::load {

// One thread's share of the arrivals: its k-th of constant ones comes at origin + (k × threads + thread) ÷ rate, so that all
// threads together are evenly spaced; Poisson arrivals of threads are independent, and their sum is Poisson again.
class Arrivals {
 public:
  struct Plan {
    double rate = 1;  // a second, of all threads
    bool poisson = false;
    std::uint64_t seed = 1;
    std::uint64_t threads = 1, thread = 0;
  };

  Arrivals(const Plan& plan, std::int64_t origin_ns);

  std::int64_t next() const { return next_; }  // instant of the next arrival, ns
  void pop();                                  // it was taken
  // How many are due before `end`, next() included. Of Poisson ones beyond the first million the expected number.
  std::uint64_t due_before(std::int64_t end) const;

 private:
  void advance();

  Plan plan_;
  std::int64_t origin_;
  double gap_ns_;  // mean, of this thread
  std::uint64_t taken_ = 0;
  std::uint64_t random_;
  double elapsed_ns_ = 0;  // Poisson: since the origin
  std::int64_t next_ = 0;
};

// xorshift64*: never 0 from a state that is not 0. Uniform in (0, 1].
double uniform(std::uint64_t& state);
std::uint64_t seeded(std::uint64_t seed, std::uint64_t stream);  // a state that differs for each stream

}  // namespace lab::load
