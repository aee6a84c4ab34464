#include "roles/guest/guest.hpp"

#include <sys/eventfd.h>

namespace lab::guest {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kStretch = 100'000;  // some 50 µs between two looks at the clock

}  // namespace

Guest::Guest(const GuestConfig& config) : ended_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)), running_(config.threads) {
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(config.duration);
  for (int i = 0; i < config.threads; ++i) {
    threads_.emplace_back([this, until] { run(until); });
  }
}

Guest::~Guest() {
  stop_ = true;
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void Guest::run(Clock::time_point until) {
  volatile unsigned work = 0;
  while (!stop_ && Clock::now() < until) {
    for (int i = 0; i < kStretch; ++i) {
      work = work * 1664525U + 1013904223U;
    }
  }
  if (--running_ == 0) {
    eventfd_write(ended_.get(), 1);
  }
}

}  // namespace lab::guest
