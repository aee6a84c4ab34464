// Something that happens once on the agent's loop, and those who wait for it, each with a deadline of its own.
#pragma once

#include "lab/units.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace lab::agent {

class Event {
 public:
  explicit Event(boost::asio::io_context& loop) : loop_(loop) {}

  bool happened() const { return happened_; }

  // Calls back from the loop: true once it has happened, false at the deadline.
  void wait(Deadline deadline, std::function<void(bool)> callback) {
    auto waiter = std::make_shared<Waiter>(Waiter{boost::asio::steady_timer(loop_, deadline), happened_});
    waiter->timer.async_wait([waiter, callback = std::move(callback)](const boost::system::error_code&) { callback(waiter->happened); });
    if (happened_) {
      waiter->timer.cancel();
    } else {
      std::erase_if(waiters_, [](const auto& known) { return known.expired(); });
      waiters_.push_back(waiter);
    }
  }

  void happen() {
    happened_ = true;
    for (const auto& known : std::exchange(waiters_, {})) {
      if (const auto waiter = known.lock()) {
        waiter->happened = true;
        waiter->timer.cancel();
      }
    }
  }

 private:
  struct Waiter {
    boost::asio::steady_timer timer;
    bool happened;
  };
  boost::asio::io_context& loop_;
  bool happened_ = false;
  std::vector<std::weak_ptr<Waiter>> waiters_;
};

}  // namespace lab::agent
