// Ctrl-C as a value that long work looks at: the first asks it to end cleanly; the second ends the process, or is taken by work that says
// so.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <cstdint>

namespace lab {

class Interrupt {
 public:
  Interrupt() : fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  ~Interrupt() { close(fd_); }
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool requested() const { return count_.load(std::memory_order_relaxed) > 0; }
  bool at_once() const { return count_.load(std::memory_order_relaxed) > 1; }
  void take_second() { second_taken_.store(true, std::memory_order_relaxed); }
  bool second_taken() const { return second_taken_.load(std::memory_order_relaxed); }
  int fd() const { return fd_; }  // readable once requested, whatever thread had the signal: for poll

  // Async-signal-safe.
  void raise() {
    const int before = errno;
    count_.fetch_add(1, std::memory_order_relaxed);
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(fd_, &one, sizeof one);
    errno = before;
  }

 private:
  std::atomic<int> count_{0};
  std::atomic<bool> second_taken_{false};
  int fd_;
};

}  // namespace lab
