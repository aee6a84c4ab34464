// One thread's event loop: edge-triggered epoll, lazy timers, messages from other threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

struct epoll_event;

namespace lab::net {

using Nanos = std::int64_t;  // CLOCK_MONOTONIC

Nanos monotonic_now();
Nanos thread_cpu_now();  // CPU time that the calling thread has used

// Something that owns a descriptor and is told of its events.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void on_events(std::uint32_t events) = 0;  // EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLHUP | EPOLLERR
};

class Loop {
 public:
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Registers once, edge-triggered, for reading, writing and hang-up. Read and write until "again".
  void watch(int fd, Watcher& watcher);
  // Level-triggered, for listeners: what is not accepted now is reported again.
  void watch_level(int fd, Watcher& watcher);
  // Before the descriptor is closed. Events of this batch still waiting for the watcher are dropped.
  void unwatch(int fd, Watcher& watcher);
  // The same for a descriptor that is closed right afterwards, which takes it off by itself: a system call less. Not where the process
  // forks meanwhile: a child's copy would keep it on.
  void forget(Watcher& watcher);

  // From now on it never sleeps, but looks again and again: what wakes up late is on time then, at the price of a core.
  void spin() { spinning_ = true; }
  Nanos spun() const { return spun_; }  // CPU time that went into that

  void run();                              // until stop(); handles what was posted before
  void stop();                             // from any thread, and from a signal handler
  void post(std::function<void()> task);   // from any thread: runs on the loop's thread
  void call(std::function<void()> task);   // from another thread: returns when the task has run, or the loop has ended
  void defer(std::function<void()> task);  // from the loop's thread: after this batch of events, e.g. to delete oneself

  Nanos now() const { return now_; }  // read once an iteration

 private:
  friend class Timer;
  struct Due {
    Nanos at;
    class Timer* timer;
  };
  void push(Nanos at, Timer* timer);
  void remove(std::size_t at);
  void place(std::size_t at, Due due);
  void rise(std::size_t at);
  void sink(std::size_t at);
  void run_timers();
  void run_tasks();
  void wake();
  bool end();
  int look_again();
  Nanos wait_ns() const;

  int epoll_ = -1;
  int wake_ = -1;
  std::atomic<bool> stopping_{false};
  Nanos now_ = 0;
  bool spinning_ = false;
  Nanos spun_ = 0;
  std::vector<Due> heap_;  // a timer has one entry at most, and knows its place
  std::vector<epoll_event> batch_;
  int batch_size_ = 0, batch_at_ = 0;
  std::vector<std::function<void()>> deferred_;
  std::mutex posted_mutex_;
  std::vector<std::function<void()>> posted_;
  bool ended_ = false;  // under the same mutex
};

// Re-arming to a later instant costs a store: the heap is looked at when the old instant comes.
class Timer {
 public:
  Timer(Loop& loop, std::function<void()> on_expire);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  void arm(Nanos delay) { arm_at(loop_.now() + delay); }
  void arm_at(Nanos instant);
  void cancel() { due_ = 0; }
  bool armed() const { return due_ != 0; }

 private:
  friend class Loop;
  Loop& loop_;
  std::function<void()> on_expire_;
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  Nanos due_ = 0;                 // 0: not armed
  std::size_t place_ = kNowhere;  // in the heap
};

}  // namespace lab::net
