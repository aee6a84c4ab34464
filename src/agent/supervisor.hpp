// Starts, watches and ends the roles of a node. All on the agent's loop; outcomes come by Reply.
#pragma once

#include "agent/adapter.hpp"
#include "agent/limiter.hpp"
#include "agent/rpc.hpp"
#include "lab/units.hpp"
#include "remote/process.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/array.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace lab::agent {

struct RoleOrder {
  std::string name;  // letters, digits, '.', '-', '_'
  std::string role;  // gateway | directory | pages | load | database | guest
  boost::json::object config;
  boost::json::object environment;
  bool adapter = false;  // its crypto is to be done by a crypto adapter

  bool operator==(const RoleOrder&) const = default;
};

class Supervisor {
 public:
  // `program` is run as `program ROLE -c FILE --ready-fd 3`, in folders under `directory`/roles.
  Supervisor(boost::asio::io_context& loop, std::filesystem::path program, Adapter adapter, std::filesystem::path directory);
  ~Supervisor();

  void start(RoleOrder order, std::chrono::nanoseconds timeout, Reply reply);
  void stop(const std::string& name, std::chrono::nanoseconds timeout, Reply reply);
  void wait(const std::string& name, std::chrono::nanoseconds timeout, Reply reply);
  void call(const std::string& name, const std::string& method, const boost::json::object& params, std::chrono::nanoseconds timeout,
            Reply reply);
  boost::json::array list() const;
  Result<std::string> log(const std::string& name, std::size_t lines) const;
  // Ends all roles; SIGKILL at the end of the grace. Then calls back.
  void stop_all(std::chrono::nanoseconds grace, std::function<void()> done);

  void renew_lease();
  // CPU time in µs of every role that ever ran here, over all its processes.
  std::map<std::string, std::uint64_t> cpu_us() const;
  // Of all roles together, by stopping and continuing. Nothing: no limit.
  void limit_cpus(std::optional<double> host_cpus);

 private:
  struct Role;
  using RolePtr = std::shared_ptr<Role>;

  Result<RolePtr> launch(RoleOrder order);
  Result<remote::ProcessIdentity> run(const Role& role, int ready, int out, int log) const;
  void read_ready_line(const RolePtr& role);
  void watch_end(const RolePtr& role);
  void ended(const RolePtr& role);
  void answer_start(const RolePtr& role, bool already, Deadline deadline, Reply reply);
  void give_up_start(const RolePtr& role, Reply reply);
  void end(const RolePtr& role, Deadline deadline, Reply reply);
  void tick();
  Result<RolePtr> find(const std::string& name) const;

  boost::asio::io_context& loop_;
  std::filesystem::path program_;
  Adapter adapter_;
  std::filesystem::path directory_;
  std::map<std::string, RolePtr> roles_;
  std::map<std::string, std::uint64_t> spent_us_;  // by processes that have ended
  Deadline lease_end_{};
  boost::asio::steady_timer ticker_;
  Limiter limiter_;
};

}  // namespace lab::agent
