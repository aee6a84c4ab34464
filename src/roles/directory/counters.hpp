// What one thread has done, read by the control thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lab::directory {

struct Counters {
  static constexpr std::size_t kCodes = 128;  // result codes above are counted as the last

  std::atomic<std::uint64_t> binds{0}, searches{0}, connections{0};  // connections: open now
  std::array<std::atomic<std::uint64_t>, kCodes> results{};

  // One writer: no locked instruction needed.
  static void add(std::atomic<std::uint64_t>& counter, std::uint64_t n = 1) {
    counter.store(counter.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  void count_result(int code) { add(results[code >= 0 && code < static_cast<int>(kCodes) ? static_cast<std::size_t>(code) : kCodes - 1]); }
};

}  // namespace lab::directory
