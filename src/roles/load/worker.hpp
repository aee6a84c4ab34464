// One thread of the load driver: its own loop, clients, TLS context and tally. Shares nothing with the others but what is constant.
#pragma once

#include "http/message.hpp"
#include "lab/roles.hpp"
#include "net/loop.hpp"
#include "net/socket.hpp"
#include "net/tls.hpp"
#include "roles/load/body_check.hpp"
#include "roles/load/client.hpp"
#include "roles/load/request.hpp"
#include "roles/load/tally.hpp"
#include "roles/load/url.hpp"

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace lab::load {

// The same for all workers, and constant.
struct Setup {
  LoadConfig config;
  Url url;
  net::Address address;
  Expectation expectation;
  Users users;
  std::string first_request;  // without credentials
  bool connection_per_page = false;
};

// Instants of CLOCK_MONOTONIC. No page begins at or after `end`; what is under way then has until `drained`.
struct Schedule {
  net::Nanos start = 0, measure = 0, end = 0, drained = 0;
};

struct Live {
  std::atomic<std::uint64_t> started{0}, done{0}, failed{0};
};

class Worker {
 public:
  // `clients` are numbers among all clients of this driver. `pages`: how many to begin from `measure` on; absent: no limit.
  Worker(const Setup& setup, net::TlsContext context, const std::vector<std::size_t>& clients, std::optional<std::uint64_t> pages);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void run();  // on the worker's thread, until all clients have finished

  // From any thread.
  void begin(const Schedule& schedule);
  void end_at(net::Nanos end, net::Nanos drained);  // earlier than scheduled
  void cut_off();                                   // now, without a drain
  const Live& live() const { return live_; }
  bool finished() const { return finished_.load(std::memory_order_acquire); }
  const Tally& tally() const { return tally_; }  // once finished

  // For its clients.
  const Setup& setup() const { return setup_; }
  net::Loop& loop() { return loop_; }
  SSL_CTX& context() { return *context_; }
  std::span<char> scratch() { return scratch_; }
  http::Response& response() { return response_; }
  Tally& counted() { return tally_; }
  Live& shown() { return live_; }
  Window window_of(net::Nanos instant) const;
  bool take_page(net::Nanos now);        // whether another page may begin; it is counted as begun
  bool ended() const { return ended_; }  // no page will begin any more
  void client_finished();

 private:
  void start();
  void on_measure();
  void on_end();
  void give_up();

  const Setup& setup_;
  net::TlsContext context_;
  net::Loop loop_;
  std::vector<char> scratch_;
  http::Response response_;
  Tally tally_;
  Live live_;
  Schedule schedule_{0, 0, std::numeric_limits<net::Nanos>::max(), std::numeric_limits<net::Nanos>::max()};
  std::optional<std::uint64_t> pages_left_;
  net::Timer start_, measure_, end_, drained_;
  std::int64_t cpu_at_measure_ = -1;
  bool ended_ = false;
  std::atomic<bool> finished_{false};
  std::size_t running_ = 0;
  std::vector<std::unique_ptr<Client>> clients_;
};

}  // namespace lab::load
