// A thread a node; what they share are messages and what the caller guards.
#pragma once

#include "lab/error.hpp"

#include <mutex>
#include <thread>
#include <vector>

namespace lab::orchestrator {

// Calls `work` with each item at once and waits for all. The errors come in the items' order.
template <class Item, class Work>
Errors for_each_at_once(const std::vector<Item>& items, Work work) {
  std::vector<Result<void>> results(items.size());
  std::vector<std::thread> threads;
  threads.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    threads.emplace_back([&, i] { results[i] = work(items[i]); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  Errors errors;
  for (Result<void>& result : results) {
    if (!result) {
      errors.push_back(result.error());
    }
  }
  return errors;
}

}  // namespace lab::orchestrator
