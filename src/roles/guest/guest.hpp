// Another guest of the gateway's machine that wants all the CPU it may have: threads that do nothing but run, for a bounded time.
#pragma once

#include "lab/roles.hpp"
#include "net/socket.hpp"

#include <atomic>
#include <thread>
#include <vector>

namespace lab::guest {

class Guest {
 public:
  explicit Guest(const GuestConfig& config);
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;
  ~Guest();  // stops at once

  int ended() const { return ended_.get(); }  // readable once the time is over
  bool over() const { return running_.load() == 0; }

 private:
  void run(std::chrono::steady_clock::time_point until);

  net::Fd ended_;  // an eventfd
  std::atomic<bool> stop_{false};
  std::atomic<int> running_;
  std::vector<std::thread> threads_;
};

}  // namespace lab::guest
