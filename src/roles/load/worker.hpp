// One thread of the load driver: its own loop, clients, TLS contexts and tallies. Shares nothing with the others but what is constant.
#pragma once

#include "http/message.hpp"
#include "net/loop.hpp"
#include "net/tls.hpp"
#include "roles/load/arrivals.hpp"
#include "roles/load/client.hpp"
#include "roles/load/intervals.hpp"
#include "roles/load/tally.hpp"
#include "roles/load/target.hpp"
#include "stats/slices.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace lab::load {

// The same for all workers, and constant.
struct Setup {
  std::vector<Target> targets;  // one; two for a pair
  std::size_t threads = 1;
  bool intervals = false;  // hand over what happened every second

  const LoadConfig& config() const { return targets.front().config; }
};

// Instants of CLOCK_MONOTONIC. No page begins at or after `end`; what is under way then has until `drained`.
struct Schedule {
  net::Nanos start = 0, measure = 0, end = 0, drained = 0;
  std::optional<stats::SlotPlan> slots;
};

struct Live {
  std::atomic<std::uint64_t> started{0}, done{0}, failed{0};
};

class Worker {
 public:
  // `number` of setup.threads; `clients` are numbers among all clients of a side of this driver. `pages`: how many to begin from
  // `measure` on; absent: no limit. A TLS context for each target.
  Worker(const Setup& setup, std::size_t number, std::vector<net::TlsContext> contexts, const std::vector<std::size_t>& clients,
         std::optional<std::uint64_t> pages);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void run();  // on the worker's thread, until all clients have finished

  // From any thread.
  void begin(const Schedule& schedule);
  void end_at(net::Nanos end, net::Nanos drained);  // earlier than scheduled
  void cut_off();                                   // now, without a drain
  const Live& live() const { return live_; }
  IntervalQueue& intervals() { return intervals_; }
  bool finished() const { return finished_.load(std::memory_order_acquire); }
  const Tally& tally(std::size_t side) const { return tallies_[side]; }  // once finished
  const std::vector<stats::Slot>& slots() const { return slots_; }       // once finished

  // For its clients.
  net::Loop& loop() { return loop_; }
  SSL_CTX& context(std::size_t side) { return *contexts_[side]; }
  std::span<char> scratch() { return scratch_; }
  http::Response& response() { return response_; }
  HeadCache& head_cache(std::size_t side) { return head_caches_[side]; }
  Window window_of(net::Nanos instant) const;
  void ready(Client& client);  // it can begin another page: now, when one is due, or never again
  void page_ended(std::size_t slot, net::Nanos began, net::Nanos now, bool good);
  void page_cut_off(std::size_t slot, net::Nanos began, net::Nanos now);
  bool ended() const { return ended_; }  // no page will begin any more
  void client_finished();

 private:
  struct Parked {
    Client* client;
    net::Nanos since;
  };

  void start();
  net::Nanos cpu_used() const;
  void on_measure();
  void on_end();
  void close_measurement();
  void give_up();
  void on_arrival();
  void on_slot();
  void on_interval();
  void hand_over_interval(net::Nanos now);
  void park(Client& client, net::Nanos now);
  bool begin_page(Client& client, net::Nanos now, net::Nanos due, net::Nanos free_since);
  bool take_page(net::Nanos now);
  void finish_parked();
  void under_way_changed(net::Nanos now, int change);
  net::Nanos within_measurement(net::Nanos instant) const;
  void count_unstarted(net::Nanos end);

  const Setup& setup_;
  const std::size_t number_;
  std::vector<net::TlsContext> contexts_;
  net::Loop loop_;
  std::vector<char> scratch_;
  http::Response response_;
  std::vector<HeadCache> head_caches_;  // by side
  std::vector<Tally> tallies_;          // by side
  Live live_;
  Schedule schedule_{0, 0, std::numeric_limits<net::Nanos>::max(), std::numeric_limits<net::Nanos>::max(), {}};
  std::optional<std::uint64_t> pages_left_;
  net::Timer start_, measure_, end_, drained_, arrival_, slot_, interval_;
  std::optional<Arrivals> arrivals_;          // open loop
  std::array<std::deque<Parked>, 2> parked_;  // by side: clients without a page, the longest free first
  std::vector<stats::Slot> slots_;            // of a pair
  std::size_t current_slot_ = 0;
  std::int64_t cpu_at_measure_ = -1;
  net::Nanos middle_ = std::numeric_limits<net::Nanos>::max();  // of the measurement as it was planned
  std::uint64_t under_way_ = 0;
  net::Nanos changed_ = 0;  // when under_way_ last did
  bool ended_ = false;
  std::atomic<bool> finished_{false};
  std::size_t running_ = 0;
  IntervalQueue intervals_;
  Interval handed_over_;  // up to the last interval's end, cumulated
  std::vector<std::unique_ptr<Client>> clients_;
};

}  // namespace lab::load
