// Work on several things at once, but not on all of them.
#pragma once

#include "lab/error.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace lab::providers::zvm {

// Calls `work` with each item, at most so many at a time; after the first error no more are begun. The first error, if any.
template <class Item, class Work>
Result<void> for_each_bounded(const std::vector<Item>& items, std::size_t at_once, Work work) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  Result<void> outcome;
  const auto go = [&] {
    for (std::size_t i = next++; i < items.size(); i = next++) {
      if (auto done = work(items[i]); !done) {
        const std::lock_guard guard(mutex);
        outcome = done;
        next = items.size();
      }
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < std::min(at_once, items.size()); ++i) {
    threads.emplace_back(go);
  }
  go();
  for (std::thread& thread : threads) {
    thread.join();
  }
  return outcome;
}

}  // namespace lab::providers::zvm
