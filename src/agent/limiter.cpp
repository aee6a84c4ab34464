#include "agent/limiter.hpp"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>

namespace lab::agent {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::nanoseconds kPeriod = 10ms;
constexpr std::chrono::nanoseconds kShortest = 200us;  // between two looks: each costs a few microseconds
constexpr int kNice = -10;                             // where permitted: it must wake on time beside busy roles

}  // namespace

std::int64_t process_cpu_ns(int pid) {
  clockid_t clock = 0;
  timespec time{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) {
    return -1;
  }
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

Limiter::Limiter() : thread_([this] { run(); }) {}

Limiter::~Limiter() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
  signal_all(SIGCONT);
}

void Limiter::limit(double cpus) {
  const std::lock_guard lock(mutex_);
  cpus_ = cpus;
  changed_.notify_all();
}

void Limiter::release() { limit(0); }

void Limiter::watch(int pid) {
  const std::lock_guard lock(mutex_);
  watched_[pid] = std::max<std::int64_t>(process_cpu_ns(pid), 0);
  if (stopped_) {
    kill(-pid, SIGSTOP);
  }
  changed_.notify_all();
}

void Limiter::unwatch(int pid) {
  const std::lock_guard lock(mutex_);
  if (watched_.erase(pid) != 0 && stopped_) {
    kill(-pid, SIGCONT);
  }
}

std::int64_t Limiter::used() {
  std::int64_t sum = 0;
  for (auto& [pid, last] : watched_) {
    const std::int64_t now = std::max(process_cpu_ns(pid), last);
    sum += now - last;
    last = now;
  }
  return sum;
}

void Limiter::signal_all(int signal) {
  for (const auto& [pid, last] : watched_) {
    kill(-pid, signal);
  }
  stopped_ = signal == SIGSTOP;
}

void Limiter::run() {
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNice);
  const auto host_cpus = std::max<std::int64_t>(std::thread::hardware_concurrency(), 1);
  std::unique_lock lock(mutex_);
  while (!ending_) {
    if (cpus_ <= 0 || watched_.empty()) {
      if (stopped_) {
        signal_all(SIGCONT);
      }
      changed_.wait(lock);
      used();  // what ran without a limit is not owed
      continue;
    }
    const auto budget = static_cast<std::int64_t>(cpus_ * static_cast<double>(kPeriod.count()));
    std::int64_t credit = budget;
    auto period_end = Clock::now() + kPeriod;
    while (!ending_ && cpus_ > 0 && !watched_.empty()) {
      credit -= used();
      const auto now = Clock::now();
      for (; now >= period_end; period_end += kPeriod) {
        credit = std::min(credit + budget, budget);
      }
      if (stopped_ != (credit <= 0)) {
        signal_all(credit <= 0 ? SIGSTOP : SIGCONT);
      }
      const auto soonest = now + std::max(kShortest, std::chrono::nanoseconds(credit / host_cpus));
      changed_.wait_until(lock, stopped_ ? period_end : std::min(soonest, period_end));
    }
  }
}

}  // namespace lab::agent
