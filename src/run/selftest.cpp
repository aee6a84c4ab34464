#include "selftest.hpp"

#include "calls.hpp"
#include "check.hpp"
#include "config/config.hpp"
#include "lab/resolve.hpp"
#include "order.hpp"
#include "pair_trial.hpp"
#include "services.hpp"
#include "stats/pairs.hpp"
#include "store/read.hpp"
#include "trial.hpp"

#include <fmt/format.h>

#include <signal.h>
#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <future>
#include <numbers>
#include <optional>

namespace lab::run {

namespace json = boost::json;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

const char* const kSelfTestLab = R"(lab: selftest
provider: local
nodes:
  client:  {roles: [load]}
  starved: {roles: [load], cpus: 0.2}
  gateway: {roles: [gateway], cpus: 1}
  pages:   {roles: [pages]}
  slow:    {roles: [pages]}
)";

namespace {

using Outcome = SelfCheck::Outcome;

constexpr seconds kQuick{10};
constexpr int kComparisons = 40, kMostAlarms = 5, kSynthetic = 10'000;
constexpr double kDelayMs = 1, kDelayMargin = 0.05;
constexpr double kLessCpu = 0.8, kMostWidth = 0.2;
constexpr double kStopMargin = 0.02;

SelfCheck named(std::string what, std::string expected) {
  SelfCheck check;
  check.what = std::move(what);
  check.expected = std::move(expected);
  return check;
}

SelfCheck& judged(SelfCheck& check, bool held, std::string found) {
  check.outcome = held ? Outcome::held : Outcome::missed;
  check.found = std::move(found);
  return check;
}

// The lab with one of its drivers only.
Standing driven_by(const Standing& standing, const std::string& driver) {
  Standing one = standing;
  std::erase_if(one.lab.nodes, [&](const Node& node) { return node.has(Role::load) && node.name != driver; });
  return one;
}

Playbook plain_pages() {
  Scenario plain;
  plain.id = "selftest";
  plain.junction = {"/selftest", JunctionType::tcp, {"pages"}, {}};
  plain.axes = {{"page", {"5.8KB"}}, {"cpus", {"1", fmt::format("{}", kLessCpu)}}, {"clients", {"8"}}};
  Playbook playbook;
  playbook.name = "selftest";
  playbook.scenarios = {std::move(plain)};
  return playbook;
}

std::vector<Cell> plain_cells() { return *cells_of(plain_pages(), Profile{}, {}); }

// Of a page server, without a gateway between.
std::string page_url(const Standing& standing, const std::string& node) {
  const Node* const described = standing.lab.find(node);
  return "http://" + standing.find(node)->address + ":" + std::to_string(described->pages.http) + "/page/5.8KB";
}

LoadConfig direct_load(const Standing& standing, int clients, nanoseconds duration) {
  LoadConfig load;
  load.url = page_url(standing, "pages");
  load.clients = clients;
  load.duration = duration;
  load.timeout = kQuick;
  load.expect_pages = true;
  return load;
}

// What one driver prints; `meanwhile` gets the instant of its first request.
Result<json::object> drive(Bench& bench, const LoadConfig& load, const std::function<Result<void>(std::int64_t)>& meanwhile = {}) {
  const std::vector<Driver> drivers{{"client", load}};
  for (const nanoseconds lead : kLeads) {
    if (bench.interrupt.requested()) {
      return interrupted();
    }
    const auto start = start_drivers(bench, drivers, lead);
    if (!start) {
      return start.error();
    }
    if (!*start) {
      continue;
    }
    const auto done = meanwhile ? meanwhile(**start) : Result<void>();
    const auto results = wait_for_drivers(bench, drivers);
    if (!done || !results) {
      return done ? results.error() : done.error();
    }
    return results->front();
  }
  return late_drivers("selftest");
}

Result<SelfCheck> synthetic(Bench&) {
  SelfCheck check = named(fmt::format("{} made-up pairs without an effect", kSynthetic), "5% ± 1% called different");
  const double share = false_alarms(kSynthetic, 1);
  return judged(check, share > 0.04 && share < 0.06, fmt::format("{:.1f}%", 100 * share));
}

Result<SelfCheck> no_effect(Bench& bench) {
  SelfCheck check =
      named(fmt::format("{} pairs of one page server with itself", kComparisons), fmt::format("at most {} called different", kMostAlarms));
  LoadConfig load = direct_load(bench.standing, 8, milliseconds(700));
  load.against = LoadAgainst{load.url, milliseconds(25), milliseconds(10), {}, {}, {}, {}, {}};
  int alarms = 0, judgeable = 0;
  for (int i = 0; i < kComparisons; ++i) {
    const auto result = drive(bench, load);
    if (!result) {
      return result.error();
    }
    const auto& ratio = store::object_of(store::object_of(*result, "against"), "ratio");
    if (store::count_of(ratio, "n") > 1) {
      ++judgeable;
      alarms += store::number_of(ratio, "low") > 1 || store::number_of(ratio, "high") < 1 ? 1 : 0;
    }
  }
  return judged(check, alarms <= kMostAlarms && judgeable >= kComparisons * 9 / 10, fmt::format("{} of {}", alarms, judgeable));
}

Result<void> start_pages(Bench& bench, const std::string& name, double delay_ms) {
  const StandingNode* const node = bench.standing.find(name);
  auto config = resolve_pages(bench.standing, *node);
  if (!config) {
    return config.error();
  }
  config->delay = std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double, std::milli>(delay_ms));
  if (auto stopped = call(bench.agents, role_stop(name, "pages"), within(kStart)); !stopped) {
    return stopped.error();
  }
  const json::object params{{"name", "pages"},
                            {"role", "pages"},
                            {"config", config::to_json(*config)},
                            {"env", json::object()},
                            {"timeout_ns", nanoseconds(kStart).count()}};
  const auto started = call(bench.agents, {name, "role.start", params}, within(kStart + kQuick));
  return started ? Result<void>() : Result<void>(started.error());
}

// Both sides wait, one of them for longer, so that being woken costs the same.
Result<SelfCheck> delay(Bench& bench) {
  SelfCheck check =
      named(fmt::format("{} ms more delay in a page server", kDelayMs), fmt::format("{:.2f} ± {:.2f} ms more", kDelayMs, kDelayMargin));
  for (const auto& [node, delay_ms] : {std::pair("pages", kDelayMs), std::pair("slow", 2 * kDelayMs)}) {
    if (auto started = start_pages(bench, node, delay_ms); !started) {
      return started.error();
    }
  }
  LoadConfig load = direct_load(bench.standing, 1, seconds(3));
  load.against = LoadAgainst{page_url(bench.standing, "slow"), milliseconds(100), milliseconds(20), {}, {}, {}, {}, {}};
  const auto result = drive(bench, load);
  if (auto restored = start_pages(bench, "pages", 0); !restored) {
    return restored.error();
  }
  if (!result) {
    return result.error();
  }
  const auto median_us = [&](const char* side) {
    return store::number_of(store::object_of(store::object_of(store::object_of(*result, "against"), side), "service_us"), "p50");
  };
  const double found = (median_us("b") - median_us("a")) / 1000;
  return judged(check, std::abs(found - kDelayMs) <= kDelayMargin, fmt::format("{:.3f} ms more", found));
}

// CPU used a second by slice, in the order A B (missing) A B B A …, as stats::pair_ratio wants it.
std::vector<double> cpu_rates(const PairObservation& seen, const std::string& node) {
  std::vector<double> rates{0, 0};
  const auto &a = seen.sides[0].slices, &b = seen.sides[1].slices;
  const auto rate = [&](const Stretch& slice) {
    const auto used = slice.used.find(node);
    return used == slice.used.end() || used->second.s <= 0 ? 0.0 : static_cast<double>(used->second.cpu_us) / used->second.s;
  };
  for (std::size_t i = 0; i + 1 < std::min(a.size(), b.size()); i += 2) {
    for (const Stretch* slice : {&a[i], &b[i], &b[i + 1], &a[i + 1]}) {
      rates.push_back(rate(*slice));
    }
  }
  return rates;
}

Result<SelfCheck> quota(Bench& bench) {
  SelfCheck check = named(fmt::format("a gateway's CPU cut to {}", kLessCpu),
                          fmt::format("its CPU use × {}, within an interval of {:.0f}% at most", kLessCpu, 100 * kMostWidth));
  if (bench.standing.cpu_method == CpuMethod::none) {
    check.outcome = Outcome::skipped;
    check.reason = "CPUs cannot be limited here: " + bench.standing.cpu_note;
    return check;
  }
  const Standing standing = driven_by(bench.standing, "client");
  const Timing timing{milliseconds(300), seconds(6)};
  const auto cells = plain_cells();
  const auto pair = set_up_pair(cells[0], cells[1], true, standing, bench.facts, timing);
  const auto slots = pair ? calibrate(bench, *pair) : pair.error();
  const auto seen = slots ? observe_pair(bench, *pair, timing, *slots) : slots.error();
  if (!seen) {
    return seen.error();
  }
  const stats::PairRatio ratio = stats::pair_ratio(cpu_rates(*seen, "gateway"));
  const bool told = ratio.n > 1 && ratio.high < ratio.low * (1 + kMostWidth);  // an interval that holds everything says nothing
  return judged(check, told && ratio.low <= kLessCpu && kLessCpu <= ratio.high,
                fmt::format("× {:.3f} ({:.3f} to {:.3f})", ratio.ratio, ratio.low, ratio.high));
}

bool flagged(const std::vector<Finding>& findings, std::string_view flag) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) { return finding.flag == flag; });
}

std::string flags_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    if (!finding.flag.empty() && text.find(finding.flag) == std::string::npos) {
      text += (text.empty() ? "" : ", ") + finding.flag;
    }
  }
  return text.empty() ? "no flag" : text;
}

Result<SelfCheck> starved_driver(Bench& bench) {
  SelfCheck check = named("a load driver with a fifth of the gateway's CPU", "flagged driver-bound");
  if (bench.standing.cpu_method == CpuMethod::none) {
    check.outcome = Outcome::skipped;
    check.reason = "CPUs cannot be limited here: " + bench.standing.cpu_note;
    return check;
  }
  const Standing standing = driven_by(bench.standing, "starved");
  const Timing timing{milliseconds(300), seconds(2)};
  const auto setup = set_up(plain_cells()[0], standing, bench.facts, timing);
  const auto seen = setup ? observe(bench, *setup, timing) : setup.error();
  if (!seen) {
    return seen.error();
  }
  const HostCpus allotments = allotments_of(standing, bench.facts, setup->gateway, setup->cpus);
  const auto findings = find_limits(conclude(*seen, *setup, standing, allotments), *setup, standing, allotments);
  return judged(check, flagged(findings, "driver-bound"), flags_text(findings));
}

Result<SelfCheck> lost_lines(Bench& bench) {
  SelfCheck check = named("lines taken out of the gateway's log", "flagged unreconciled");
  const Standing standing = driven_by(bench.standing, "client");
  const Timing timing{milliseconds(300), seconds(2)};
  const auto cell = plain_cells()[0];
  const auto setup = set_up(cell, standing, bench.facts, timing);
  if (!setup) {
    return setup.error();
  }
  auto trial = std::async(std::launch::async, [&] { return observe(bench, *setup, timing); });
  const json::object what{{"paths", json::array{setup->config.logs.request}}};
  while (trial.wait_for(milliseconds(50)) != std::future_status::ready) {
    if (auto emptied = call(bench.agents, {setup->gateway, "file.truncate", what}, within(kQuick)); !emptied) {
      trial.wait();
      return emptied.error();
    }
  }
  const auto seen = trial.get();
  if (!seen) {
    return seen.error();
  }
  const auto findings = reconcile(*seen, *setup, cell.scenario);
  return judged(check, flagged(findings, "unreconciled"), flags_text(findings));
}

Result<int> pid_of(Bench& bench, const std::string& node, const std::string& role) {
  const auto listed = call(bench.agents, {node, "role.list", {}}, within(kQuick));
  if (!listed) {
    return listed.error();
  }
  for (const json::value& one : store::array_of(*listed, "roles")) {
    if (one.is_object() && store::text_of(one.get_object(), "name") == role && store::text_of(one.get_object(), "state") == "running") {
      return static_cast<int>(store::integer_of(one.get_object(), "pid"));
    }
  }
  return Error{"the role does not run", "node " + node + ": " + role, "its log: lab logs " + node + " " + role, {}};
}

// At a constant rate the hundredth part of the requests that waited longest began their wait in the first T ÷ 100 of the stop.
Result<SelfCheck> stopped_server(Bench& bench) {
  constexpr seconds kLoad{5};
  constexpr nanoseconds kBefore = seconds(2), kStopped = seconds(1);
  SelfCheck check = named("a server stopped for 1 s at a constant rate", "");
  const auto pid = pid_of(bench, "pages", "pages");
  if (!pid) {
    return pid.error();
  }
  LoadConfig load = direct_load(bench.standing, 50, kLoad);
  load.rate = 1000;
  double stopped_s = 0;
  const auto result = drive(bench, load, [&](std::int64_t start) -> Result<void> {
    bench.sleep_until(start + kBefore.count());
    const std::int64_t began = bench.now();
    if (kill(*pid, SIGSTOP) != 0) {
      return Error{"the page server cannot be stopped", "process " + std::to_string(*pid), {}, {}};
    }
    bench.sleep_until(began + kStopped.count());
    kill(*pid, SIGCONT);
    stopped_s = static_cast<double>(bench.now() - began) / 1e9;
    return {};
  });
  if (!result) {
    return result.error();
  }
  const double expected = stopped_s - 0.01 * static_cast<double>(kLoad.count());
  const double found = store::number_of(store::object_of(*result, "latency_us"), "p99") / 1e6;
  check.expected = fmt::format("99th percentile {:.3f} s ± {:.0f}%", expected, 100 * kStopMargin);
  return judged(check, std::abs(found / expected - 1) <= kStopMargin, fmt::format("{:.3f} s", found));
}

struct Known {
  const char* name;
  Result<SelfCheck> (*make)(Bench&);
};
constexpr Known kKnown[] = {
    {"synthetic", synthetic},   {"no-effect", no_effect},          {"delay", delay}, {"quota", quota}, {"starved", starved_driver},
    {"lost-lines", lost_lines}, {"stopped-server", stopped_server}};

}  // namespace

std::vector<std::string> self_check_names() {
  std::vector<std::string> names;
  for (const Known& known : kKnown) {
    names.emplace_back(known.name);
  }
  return names;
}

SelfCheck self_check(Bench& bench, const std::string& name) {
  const auto* const known = std::find_if(std::begin(kKnown), std::end(kKnown), [&](const Known& one) { return one.name == name; });
  SelfCheck check;
  if (known == std::end(kKnown)) {
    check.outcome = Outcome::failed;
    check.reason = "there is no such check";
  } else if (auto made = known->make(bench); made) {
    check = std::move(*made);
  } else {
    check.outcome = Outcome::failed;
    check.reason = to_string(made.error());
  }
  check.name = name;
  return check;
}

double false_alarms(int comparisons, std::uint64_t seed) {
  constexpr int kGroups = 5;
  constexpr double kNoise = 0.05;
  Random random(seed);
  const auto uniform = [&] { return (static_cast<double>(random.next() >> 11U) + 0.5) / 9007199254740992.0; };  // of 2^53
  const auto rate = [&] {                                                                                       // Box and Muller
    return std::exp(kNoise * std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()));
  };
  int alarms = 0;
  for (int i = 0; i < comparisons; ++i) {
    std::vector<double> rates(2 + 4 * kGroups);
    std::generate(rates.begin(), rates.end(), rate);
    const stats::PairRatio ratio = stats::pair_ratio(rates);
    alarms += ratio.low > 1 || ratio.high < 1 ? 1 : 0;
  }
  return static_cast<double>(alarms) / comparisons;
}

}  // namespace lab::run
