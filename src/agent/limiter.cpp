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

// The group, and those who left it for one of their own.
void signal_family(const std::pair<const int, std::map<int, std::int64_t>>& group, int signal) {
  kill(-group.first, signal);
  for (const auto& [pid, clock] : group.second) {
    if (pid != group.first && getpgid(pid) != group.first) {
      kill(pid, signal);
    }
  }
}

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
  watched_[pid] = {{pid, std::max<std::int64_t>(process_cpu_ns(pid), 0)}};
  if (stopped_) {
    kill(-pid, SIGSTOP);
  }
  changed_.notify_all();
}

void Limiter::watch_family(int leader, const std::vector<int>& pids) {
  const std::lock_guard lock(mutex_);
  const auto group = watched_.find(leader);
  if (group == watched_.end()) {
    return;
  }
  std::map<int, std::int64_t> family;
  for (const int pid : pids) {
    const auto known = group->second.find(pid);
    family[pid] = known != group->second.end() ? known->second : std::max<std::int64_t>(process_cpu_ns(pid), 0);
  }
  group->second = std::move(family);
}

void Limiter::unwatch(int pid) {
  const std::lock_guard lock(mutex_);
  const auto group = watched_.find(pid);
  if (group != watched_.end() && stopped_) {
    signal_family(*group, SIGCONT);
  }
  watched_.erase(pid);
}

std::int64_t Limiter::used() {
  std::int64_t sum = 0;
  for (auto& [leader, family] : watched_) {
    for (auto& [pid, last] : family) {
      const std::int64_t now = std::max(process_cpu_ns(pid), last);
      sum += now - last;
      last = now;
    }
  }
  return sum;
}

void Limiter::signal_all(int signal) {
  for (const auto& group : watched_) {
    signal_family(group, signal);
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
