#include "net/loop.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <ctime>
#include <future>
#include <limits>
#include <stdexcept>
#include <utility>

namespace lab::net {

namespace {

constexpr std::size_t kBatch = 256;
constexpr Nanos kMillisecond = 1'000'000, kSecond = 1'000'000'000;
constexpr Nanos kLongestWait = 60 * kSecond;

// To the nanosecond where the kernel can (Linux 5.11), else rounded up to milliseconds. Negative: until something happens.
int wait(int epoll, std::vector<epoll_event>& batch, Nanos left) {
  static std::atomic<bool> coarse{false};
  const int room = static_cast<int>(batch.size());
  if (!coarse.load(std::memory_order_relaxed)) {
    const timespec time{left / kSecond, left % kSecond};
    const int ready = epoll_pwait2(epoll, batch.data(), room, left < 0 ? nullptr : &time, nullptr);
    if (ready >= 0 || errno != ENOSYS) {
      return ready;
    }
    coarse.store(true, std::memory_order_relaxed);
  }
  return epoll_wait(epoll, batch.data(), room, left < 0 ? -1 : static_cast<int>((left + kMillisecond - 1) / kMillisecond));
}

void control(int epoll, int operation, int fd, std::uint32_t events, void* data) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = data;
  if (epoll_ctl(epoll, operation, fd, &event) != 0 && operation == EPOLL_CTL_ADD) {
    throw std::logic_error("epoll_ctl: a descriptor watched twice, or none");
  }
}

}  // namespace

Nanos monotonic_now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return Nanos{time.tv_sec} * kSecond + time.tv_nsec;
}

Nanos thread_cpu_now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return Nanos{time.tv_sec} * kSecond + time.tv_nsec;
}

Loop::Loop() : epoll_(epoll_create1(EPOLL_CLOEXEC)), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), now_(monotonic_now()), batch_(kBatch) {
  if (epoll_ < 0 || wake_ < 0) {
    throw std::runtime_error("no descriptors left for an event loop: raise the limit (ulimit -n)");
  }
  control(epoll_, EPOLL_CTL_ADD, wake_, EPOLLIN, nullptr);
}

Loop::~Loop() {
  close(wake_);
  close(epoll_);
}

void Loop::watch(int fd, Watcher& watcher) { control(epoll_, EPOLL_CTL_ADD, fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, &watcher); }

void Loop::watch_level(int fd, Watcher& watcher) { control(epoll_, EPOLL_CTL_ADD, fd, EPOLLIN, &watcher); }

void Loop::unwatch(int fd, Watcher& watcher) {
  control(epoll_, EPOLL_CTL_DEL, fd, 0, nullptr);
  forget(watcher);
}

void Loop::forget(Watcher& watcher) {
  for (int i = batch_at_; i < batch_size_; ++i) {
    epoll_event& event = batch_[static_cast<std::size_t>(i)];
    if (event.data.ptr == &watcher) {
      event.events = 0;
    }
  }
}

void Loop::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(wake_, &one, sizeof one);  // a full counter wakes as well
}

void Loop::stop() {
  stopping_.store(true);
  wake();
}

void Loop::post(std::function<void()> task) {
  {
    const std::lock_guard lock(posted_mutex_);
    posted_.push_back(std::move(task));
  }
  wake();
}

void Loop::call(std::function<void()> task) {
  std::promise<void> done;
  std::future<void> waited = done.get_future();
  {
    const std::lock_guard lock(posted_mutex_);
    if (ended_) {
      return;
    }
    posted_.emplace_back([&task, &done] {
      task();
      done.set_value();
    });
  }
  wake();
  waited.wait();
}

void Loop::defer(std::function<void()> task) { deferred_.push_back(std::move(task)); }

void Loop::run() {
  while (!stopping_.load()) {
    batch_at_ = batch_size_ = 0;
    const int ready = spinning_ ? look_again() : wait(epoll_, batch_, wait_ns());
    now_ = monotonic_now();
    batch_size_ = std::max(ready, 0);
    while (batch_at_ < batch_size_) {
      const epoll_event event = batch_[static_cast<std::size_t>(batch_at_++)];
      if (event.data.ptr == nullptr) {
        std::uint64_t count = 0;
        [[maybe_unused]] const auto drained = read(wake_, &count, sizeof count);
      } else if (event.events != 0) {
        static_cast<Watcher*>(event.data.ptr)->on_events(event.events);
      }
    }
    batch_at_ = batch_size_ = 0;
    run_timers();
    run_tasks();
  }
  while (!end()) {
    run_tasks();
  }
}

// Until something happens or a timer is due.
int Loop::look_again() {
  const Nanos began = thread_cpu_now();
  const Nanos left = wait_ns();
  const Nanos until = left < 0 ? std::numeric_limits<Nanos>::max() : monotonic_now() + left;
  int ready = 0;
  do {
    ready = epoll_wait(epoll_, batch_.data(), static_cast<int>(batch_.size()), 0);
  } while (ready == 0 && monotonic_now() < until);
  spun_ += thread_cpu_now() - began;
  return ready;
}

// Whoever waits in call() is either run before or turned away after.
bool Loop::end() {
  const std::lock_guard lock(posted_mutex_);
  ended_ = posted_.empty();
  return ended_;
}

// Tasks that tasks add wait for the next turn, but the loop does not sleep over them.
void Loop::run_tasks() {
  std::vector<std::function<void()>> tasks;
  tasks.swap(deferred_);
  {
    const std::lock_guard lock(posted_mutex_);
    std::move(posted_.begin(), posted_.end(), std::back_inserter(tasks));
    posted_.clear();
  }
  for (auto& task : tasks) {
    task();
  }
}

Nanos Loop::wait_ns() const {
  if (!deferred_.empty()) {
    return 0;
  }
  if (heap_.empty()) {
    return -1;
  }
  return std::clamp<Nanos>(heap_.front().at - monotonic_now(), 0, kLongestWait);
}

void Loop::place(std::size_t at, Due due) {
  heap_[at] = due;
  due.timer->place_ = at;
}

void Loop::rise(std::size_t at) {
  const Due due = heap_[at];
  while (at > 0 && heap_[(at - 1) / 2].at > due.at) {
    place(at, heap_[(at - 1) / 2]);
    at = (at - 1) / 2;
  }
  place(at, due);
}

void Loop::sink(std::size_t at) {
  const Due due = heap_[at];
  for (std::size_t child = 2 * at + 1; child < heap_.size(); child = 2 * at + 1) {
    if (child + 1 < heap_.size() && heap_[child + 1].at < heap_[child].at) {
      ++child;
    }
    if (heap_[child].at >= due.at) {
      break;
    }
    place(at, heap_[child]);
    at = child;
  }
  place(at, due);
}

void Loop::push(Nanos at, Timer* timer) {
  heap_.push_back({at, timer});
  rise(heap_.size() - 1);
}

void Loop::remove(std::size_t at) {
  heap_[at].timer->place_ = Timer::kNowhere;
  const Due last = heap_.back();
  heap_.pop_back();
  if (at < heap_.size()) {
    place(at, last);
    rise(at);
    sink(last.timer->place_);
  }
}

void Loop::run_timers() {
  while (!heap_.empty() && heap_.front().at <= now_) {
    Timer* timer = heap_.front().timer;
    if (timer->due_ > now_) {  // re-armed to later meanwhile
      heap_.front().at = timer->due_;
      sink(0);
      continue;
    }
    remove(0);
    if (std::exchange(timer->due_, 0) != 0) {
      timer->on_expire_();
    }
  }
}

Timer::Timer(Loop& loop, std::function<void()> on_expire) : loop_(loop), on_expire_(std::move(on_expire)) {}

Timer::~Timer() {
  if (place_ != kNowhere) {
    loop_.remove(place_);
  }
}

void Timer::arm_at(Nanos instant) {
  due_ = std::max<Nanos>(instant, 1);
  if (place_ == kNowhere) {
    loop_.push(due_, this);
  } else if (due_ < loop_.heap_[place_].at) {
    loop_.heap_[place_].at = due_;
    loop_.rise(place_);
  }
}

}  // namespace lab::net
