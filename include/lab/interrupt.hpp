// Ctrl-C as a value that long work looks at: the first asks it to end cleanly, the second to end at once.
#pragma once

#include <atomic>

namespace lab {

class Interrupt {
 public:
  bool requested() const { return count_.load(std::memory_order_relaxed) > 0; }
  bool at_once() const { return count_.load(std::memory_order_relaxed) > 1; }
  void raise() { count_.fetch_add(1, std::memory_order_relaxed); }  // async-signal-safe

 private:
  std::atomic<int> count_{0};
};

}  // namespace lab
