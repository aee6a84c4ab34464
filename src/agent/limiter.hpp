// Limits processes to a share of CPU time by stopping and continuing them on their CPU clock, where no cgroup may be written.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace lab::agent {

// The CPU clock of a process, all its threads, in nanoseconds; negative when it has none any more.
std::int64_t process_cpu_ns(int pid);

// A budget of `cpus` × 10 ms in every 10 ms, like a CFS quota: what is not used is lost, what is used too much is owed.
class Limiter {
 public:
  Limiter();
  Limiter(const Limiter&) = delete;
  Limiter& operator=(const Limiter&) = delete;
  ~Limiter();  // leaves nothing stopped

  void limit(double cpus);  // host CPUs, of all watched together
  void release();
  void watch(int pid);                                          // the leader of a process group
  void watch_family(int leader, const std::vector<int>& pids);  // whose time counts, and who stops, with one that is watched
  void unwatch(int pid);                                        // before it is reaped; it runs afterwards

 private:
  void run();
  std::int64_t used();  // since the last call
  void signal_all(int signal);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int, std::map<int, std::int64_t>> watched_;  // process group to its processes' clocks at the last look
  double cpus_ = 0;                                     // 0: no limit
  bool stopped_ = false;
  bool ending_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace lab::agent
