// What each method of the protocol does, whoever asks.
#pragma once

#include "agent/carrier.hpp"
#include "agent/confined_files.hpp"
#include "agent/rpc.hpp"
#include "agent/server.hpp"
#include "agent/supervisor.hpp"

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string_view>

namespace lab::agent {

class Handlers {
 public:
  // `shut_down` is called once a controller has asked for it and all roles have ended; the answer is on its way by then.
  Handlers(boost::asio::io_context& loop, const Options& options, std::function<void()> shut_down);

  void handle(std::string_view method, const boost::json::object& params, Reply reply);
  // Ends the roles, then calls shut_down.
  void end();

 private:
  using Method = void (Handlers::*)(const boost::json::object& params, Reply reply);
  struct Entry {
    std::string_view name;
    Method method;
  };
  static const Entry kMethods[];

  void hello(const boost::json::object& params, Reply reply);
  void clock(const boost::json::object& params, Reply reply);
  void lease(const boost::json::object& params, Reply reply);
  void role_start(const boost::json::object& params, Reply reply);
  void role_stop(const boost::json::object& params, Reply reply);
  void role_list(const boost::json::object& params, Reply reply);
  void role_call(const boost::json::object& params, Reply reply);
  void role_wait(const boost::json::object& params, Reply reply);
  void role_log(const boost::json::object& params, Reply reply);
  void cpu_limit(const boost::json::object& params, Reply reply);
  void sample(const boost::json::object& params, Reply reply);
  void network_set(const boost::json::object& params, Reply reply);
  void network_counters(const boost::json::object& params, Reply reply);
  void file_truncate(const boost::json::object& params, Reply reply);
  void file_count(const boost::json::object& params, Reply reply);
  void shutdown(const boost::json::object& params, Reply reply);

  struct Sampling;
  boost::json::object take_sample(std::int64_t at_ns);
  void add_stats(const std::shared_ptr<Sampling>& sampling, std::size_t i);
  void watch_idleness();

  boost::asio::io_context& loop_;
  Options options_;
  std::function<void()> shut_down_;
  ConfinedFiles files_;
  Supervisor supervisor_;
  Carrier carrier_;
  boost::asio::steady_timer idle_;
};

}  // namespace lab::agent
