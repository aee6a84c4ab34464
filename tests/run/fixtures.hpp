// A small lab and playbook that stand, and agents that answer as real ones do, from numbers instead of processes.
#pragma once

#include "lab/agents.hpp"
#include "lab/cpu_control.hpp"
#include "lab/interrupt.hpp"
#include "lab/playbook.hpp"
#include "lab/standing.hpp"
#include "run/bench.hpp"
#include "run/plan.hpp"
#include "stats/slices.hpp"
#include "store/run_directory.hpp"

#include <boost/json/object.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace lab::run::test {

// client1, client2 → webseal (core 0, quota) → was; tam: all on one host of two cores.
Standing standing();

// Scenario 1 over HTTP with cpus 1, 2 and clients 8, 10; 2 over HTTPS with crypto software, hardware; 5: logins at a local junction.
Playbook playbook();
const Scenario& scenario(const Playbook& playbook, const std::string& id);
Cell cell(const std::string& id);  // of playbook(), profile "all"

// Of playbook()'s profile "all", seed 7, with the cells that `only` lets in.
Plan plan_of(const std::vector<std::string>& only, int repeats, const Standing& standing, const Facts& facts);
// A new run's, below `reports`.
std::unique_ptr<store::RunDirectory> run_directory(const std::filesystem::path& reports);

class FakeLab final : public Agents, public CpuControl {
 public:
  Result<boost::json::value> call(const std::string& node, std::string_view method, boost::json::object params, Deadline deadline) override;
  Result<void> set(const std::string& node, std::optional<double> lab_cpus) override;

  Now now();  // the controller's clock, which the fake moves
  Bench bench(const Standing& standing);

  // What can go wrong.
  int extra_lines = 0;                                                                         // in the gateway's log
  std::function<bool(int)> gateway_fails;                                                      // by the number of its start, from 1
  std::function<void(int)> on_gateway_start;                                                   // likewise
  std::string ignored_environment;                                                             // a variable that does not take
  std::string adapter = "the node has no crypto adapter that is online: lszcrypt shows none";  // as agents say
  bool adapter_ignored = false;                                                                // its provider is not loaded
  std::map<std::string, std::int64_t> offsets;                                                 // of nodes' clocks, ns
  int late_starts = 0;                                                                         // of drivers: so many starts take 0.6 s
  double b_over_a = 1;                    // what side b of a pair does to side a's rate
  std::int64_t drain_ns = 2'000'000;      // of a slice
  std::size_t undrained = SIZE_MAX;       // a slot that takes 50 ms longer than it has
  std::int64_t stats_delay_ns = 100'000;  // of a page server asked with a sample
  double idle_cpus = 0;                   // of the gateway that is not loaded

  // What was asked for.
  std::vector<std::string> calls;  // "webseal role.start gateway"
  std::map<std::string, double> cpus;
  std::vector<double> cpus_set;                        // of any node, in order; 0: the limit was lifted
  std::map<std::string, boost::json::object> configs;  // of the role started last, by node
  int gateway_starts = 0;
  Interrupt interrupt;

 private:
  boost::json::object answer(const std::string& node, const std::string& method, const boost::json::object& params);
  Result<boost::json::object> start(const std::string& node, const boost::json::object& params);
  boost::json::object load_result(const std::string& node) const;
  boost::json::object pair_result(const boost::json::object& config) const;
  boost::json::object side_result(const boost::json::object& config, std::size_t side) const;
  stats::SlotPlan slots(const boost::json::object& config) const;
  std::uint64_t slot_pages(const stats::SlotPlan& plan, std::size_t slot) const;
  std::int64_t offset_of(const std::string& node) const;
  std::uint64_t side_pages(std::size_t side) const;
  std::uint64_t driver_pages(const std::string& driver) const;
  std::uint64_t pair_pages(std::int64_t instant) const;
  double gateway_seconds(std::size_t side, std::int64_t instant) const;
  boost::json::object sample(const std::string& node, const boost::json::object& params);
  boost::json::object sample_at(const std::string& node, std::int64_t at, bool stats);
  std::uint64_t requests(const std::string& node) const;

  mutable std::mutex mutex_;
  std::int64_t now_ns_ = 1'000'000'000;
  std::uint64_t served_ = 0, lines_ = 0;
  std::set<std::string> loading_;  // drivers of a pair whose result has not been fetched
};

}  // namespace lab::run::test
