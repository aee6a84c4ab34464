#include "check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <sstream>

namespace lab::run {

namespace {

constexpr const char* kUnreconciled = "unreconciled";
constexpr double kNoise = 0.05;  // of a host's CPU time: stolen, or used by nobody of the lab
constexpr double kLittleMargin = 0.10;
constexpr double kDrift = 1.2;           // one half to the other
constexpr double kFewestForDrift = 100;  // pages
constexpr double kFewestBegun = 0.99;    // of the requests that were due

std::string percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f%%", share * 100);
  return text.data();
}

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

std::uint64_t error_count(const Counts& counts, const char* name) {
  const auto at = counts.errors.find(name);
  return at == counts.errors.end() ? 0 : at->second;
}

Counts total_of(const Observation& seen) {
  Counts sum;
  for (const DriverResult& driver : seen.drivers) {
    sum.started += driver.total.started;
    sum.done += driver.total.done;
    sum.failed += driver.total.failed;
    sum.in_flight += driver.total.in_flight;
    sum.logins += driver.total.logins;
    for (const auto& [name, count] : driver.total.errors) {
      sum.errors[name] += count;
    }
  }
  sum.gateway = seen.gateway_responses;
  sum.gateway_counter = seen.gateway_counter;
  sum.pages = seen.pages_served;
  sum.retries = seen.retries;
  return sum;
}

struct Window {  // what passed on one node between the measurement's edges
  double s = 0;
  std::uint64_t cpu_us = 0;
};

Window window_of(const std::vector<Edge>& edges) {
  if (edges.size() < 2) {
    return {};
  }
  const Edge& first = edges.front();
  const Edge& last = edges.back();
  return {static_cast<double>(last.taken_ns - first.taken_ns) / 1e9, last.cpu_us - std::min(first.cpu_us, last.cpu_us)};
}

// The measurement as one, where it was not in slices.
Stretch whole(const Observation& seen, const std::string& gateway) {
  Stretch all;
  for (const DriverResult& driver : seen.drivers) {
    all.done += driver.done;
    all.s = std::max(all.s, driver.duration_s);
  }
  for (const auto& [node, edges] : seen.edges) {
    const Window window = window_of(edges);
    all.used[node] = {window.s, window.cpu_us};
    if (node == gateway && !edges.empty()) {
      all.start_ns = edges.front().at_ns;
    }
  }
  return all;
}

void add_slices(Side& side, const std::vector<Stretch>& stretches) {
  for (const Stretch& stretch : stretches) {
    Slice slice{stretch.start_ns, stretch.s, stretch.done, {}};
    for (const auto& [node, use] : stretch.used) {
      slice.cpu_us[node] = use.cpu_us;
    }
    side.slices.push_back(std::move(slice));
  }
}

NodeUse use_of(const std::string& node, const std::vector<Stretch>& stretches) {
  NodeUse sum;
  for (const Stretch& stretch : stretches) {
    if (const auto at = stretch.used.find(node); at != stretch.used.end()) {
      sum.s += at->second.s;
      sum.cpu_us += at->second.cpu_us;
    }
  }
  return sum;
}

struct Carried {  // what a node sees of what carries it
  double cpus = 0, cpus_used = 0;
};

Carried carried_by(const std::vector<Edge>& edges) {
  const Edge &first = edges.front(), &last = edges.back();
  const std::int64_t ns = last.carrier_at_ns - first.carrier_at_ns;
  const bool known = first.carrier_us > 0 && last.carrier_us > first.carrier_us && ns > 0;
  return {static_cast<double>(first.carrier_cpus),
          known ? static_cast<double>(last.carrier_us - first.carrier_us) * 1e3 / static_cast<double>(ns) : 0};
}

void add_cpu(Side& side, const Observation& seen, const std::vector<Stretch>& stretches, const Standing& standing,
             const HostCpus& allotments) {
  std::map<std::string, double> used;                       // by machine, in host CPUs
  std::map<std::string, double> of_all;                     // its CPUs
  std::map<std::string, double> carried_use, carrier_cpus;  // by machine, as an LPAR's guests see it; 0: they do not
  for (const StandingNode& node : standing.nodes) {
    const NodeUse use = use_of(node.name, stretches);
    if (use.s <= 0) {
      continue;
    }
    const double cpus = static_cast<double>(use.cpu_us) / 1e6 / use.s;
    const double allotment = allotments.at(node.name);
    // A slice begins with a whole period's quota that an idle node has not used: more than all of it is no use.
    side.cpu[node.name] = seen.slices.empty() ? cpus / allotment : std::min(1.0, cpus / allotment);
    if (side.pages_per_s > 0) {
      side.cpu_us_per_page[node.name] = cpus * 1e6 / side.pages_per_s;
    }
    used[node.machine] += cpus;
    const int host_cpus = seen.edges.at(node.name).front().host_cpus;
    const Carried carried = carried_by(seen.edges.at(node.name));
    carried_use[node.machine] = std::max(carried_use[node.machine], carried.cpus_used);
    carrier_cpus[node.machine] = std::max(carrier_cpus[node.machine], carried.cpus);
    of_all[node.machine] = node.machine == "host" && host_cpus > 0 ? host_cpus : of_all[node.machine] + allotment;
  }
  for (const auto& [machine, cpus] : used) {  // of an LPAR that no guest may look into, the lab's guests are a lower bound
    const double all = carrier_cpus[machine] > 0 ? carrier_cpus[machine] : of_all[machine];
    side.machines[machine] = std::max(cpus, carried_use[machine]) / all;
  }
}

void check_driver(const Observation& seen, std::vector<Finding>& findings) {
  for (const DriverResult& driver : seen.drivers) {
    const Counts& t = driver.total;
    if (t.started != t.done + t.failed + t.in_flight) {
      std::ostringstream note;
      note << driver.node << ": started " << t.started << ", but done " << t.done << " + failed " << t.failed << " + in flight "
           << t.in_flight << " = " << t.done + t.failed + t.in_flight;
      findings.push_back({kUnreconciled, note.str()});
    }
  }
}

struct Expected {  // exchanges that must show up further on, and those of which the driver cannot know
  std::uint64_t sure = 0, unsure = 0;
  bool holds(std::uint64_t count) const { return count >= sure && count <= sure + unsure; }
};

// Failed pages that had a complete response.
std::uint64_t answered(const Counts& total) { return std::min(total.failed, error_count(total, "status") + error_count(total, "body")); }

std::uint64_t drivers_retries(const Observation& seen) {
  std::uint64_t sum = 0;
  for (const DriverResult& driver : seen.drivers) {
    sum += driver.retries;
  }
  return sum;
}

std::string text(const Expected& expected) {
  return std::to_string(expected.sure) + (expected.unsure == 0 ? "" : " to " + std::to_string(expected.sure + expected.unsure));
}

void check_gateway(const Observation& seen, const Counts& total, std::vector<Finding>& findings) {
  Expected expected;
  for (const DriverResult& driver : seen.drivers) {
    expected.sure += driver.responses;
  }
  expected.unsure = drivers_retries(seen) + total.failed - answered(total) + total.in_flight;
  if (!expected.holds(seen.gateway_responses)) {
    findings.push_back({kUnreconciled, "the drivers had " + text(expected) + " responses, logins included, the gateway " +
                                           (seen.gateway_counter ? "counted " : "logged ") + std::to_string(seen.gateway_responses)});
  }
  if (seen.log_errors > 0) {
    findings.push_back({kUnreconciled, "the gateway could not write " + std::to_string(seen.log_errors) + " log lines"});
  }
}

void check_back_end(const Observation& seen, const Counts& total, std::vector<Finding>& findings) {
  const std::uint64_t bodies = std::min(total.failed, error_count(total, "body"));
  const Expected expected{total.done + bodies, drivers_retries(seen) + seen.retries + total.failed - bodies + total.in_flight};
  if (!expected.holds(seen.pages_served)) {
    findings.push_back({kUnreconciled, "the drivers had " + text(expected) +
                                           " pages through the junction, retries included, the back end served " +
                                           std::to_string(seen.pages_served)});
  }
}

bool listed(const std::string& list, const std::string& name) { return (":" + list + ":").find(":" + name + ":") != std::string::npos; }

void check_tls(const Observation& seen, const Scenario& scenario, std::vector<Finding>& findings) {
  for (const DriverResult& driver : seen.drivers) {
    if (scenario.tls.version) {
      const std::string wanted = *scenario.tls.version == TlsVersion::tls1_2 ? "1.2" : "1.3";
      if (driver.tls_version != wanted) {
        findings.push_back({kUnreconciled, driver.node + ": TLS " + wanted + " was asked for, negotiated: " + driver.tls_version});
      }
    }
    if (!scenario.tls.cipher.empty() && scenario.tls.version != TlsVersion::tls1_3 && !listed(scenario.tls.cipher, driver.tls_cipher)) {
      findings.push_back(
          {kUnreconciled, driver.node + ": cipher " + scenario.tls.cipher + " was asked for, negotiated: " + driver.tls_cipher});
    }
  }
}

// Little's law. A connection or a login with every page takes time that is no service time, a slice drains at its end, and clients of
// an open loop wait for requests that are due: then it bounds from above only. Pages that straddle an edge may shift it by one service time
// in the measurement.
void check_little(const Observation& seen, const Setup& setup, const Scenario& scenario, std::vector<Finding>& findings) {
  double busy = 0;
  double straddling = 0;
  for (const DriverResult& driver : seen.drivers) {
    busy += driver.busy_clients;
    if (driver.duration_s > 0) {
      straddling = std::max(straddling, driver.service_us_mean / 1e6 / driver.duration_s);
    }
  }
  const bool service_only =
      scenario.login != LoginMode::every && scenario.tls.handshake == HandshakeMode::once && seen.slices.empty() && !scenario.rate;
  const double margin = (kLittleMargin + straddling) * setup.clients;
  if (busy > setup.clients + margin || (service_only && busy < setup.clients - margin)) {
    findings.push_back(
        {kUnreconciled, "throughput × mean service time is " + number(busy) + " clients, not " + std::to_string(setup.clients)});
  }
}

void check_noise(const std::string& host, const Edge& first, const Edge& last, double nodes_us, std::vector<Finding>& findings) {
  const double wall = static_cast<double>(last.taken_ns - first.taken_ns) / 1e3 * first.host_cpus;
  if (wall <= 0) {
    return;
  }
  const auto delta = [&](std::uint64_t Edge::*column) { return static_cast<double>(last.*column) - static_cast<double>(first.*column); };
  const bool exact = first.accounted != 0 && last.accounted != 0;
  const double busy = exact ? delta(&Edge::accounted) : delta(&Edge::user) + delta(&Edge::system) + delta(&Edge::irq);
  const double idle = delta(&Edge::idle) + delta(&Edge::iowait);
  const std::array<std::pair<double, const char*>, 2> kinds{{
      {wall - idle - busy, "neither idle nor used by a process"},  // stolen, or the host stood still
      {busy - nodes_us, "used by others than the lab's nodes"},
  }};
  for (const auto& [us, what] : kinds) {
    if (us / wall > kNoise) {
      findings.push_back({"noisy-host", host + ": " + percent(us / wall) + " of the CPU time was " + what});
    }
  }
}

void check_hosts(const Observation& seen, const Standing& standing, std::vector<Finding>& findings) {
  double together = 0;
  for (const auto& [node, edges] : seen.edges) {
    const Window window = window_of(edges);
    together += static_cast<double>(window.cpu_us);
    if (!on_one_host(standing) && window.s > 0) {
      check_noise(node, edges.front(), edges.back(), static_cast<double>(window.cpu_us), findings);
    }
  }
  if (on_one_host(standing) && !seen.edges.empty() && seen.edges.begin()->second.size() > 1) {
    const auto& edges = seen.edges.begin()->second;
    check_noise("the host", edges.front(), edges.back(), together, findings);
  }
}

stats::Histogram merged(const Observation& seen, std::string DriverResult::*times) {
  stats::Histogram all;
  for (const DriverResult& driver : seen.drivers) {
    stats::Histogram one;
    if (stats::Histogram::decode(driver.*times, one)) {
      all.merge(one);
    }
  }
  return all;
}

Percentiles percentiles_us(const stats::Histogram& ns) {
  return {static_cast<double>(ns.percentile(50)) / 1e3, static_cast<double>(ns.percentile(99)) / 1e3};
}

void check_rate(const Observation& seen, std::vector<Finding>& findings) {
  std::uint64_t due = 0, unstarted = 0;
  for (const DriverResult& driver : seen.drivers) {
    due += driver.due;
    unstarted += driver.unstarted;
  }
  if (static_cast<double>(due - unstarted) < kFewestBegun * static_cast<double>(due)) {
    findings.push_back({"rate-missed", std::to_string(unstarted) + " of " + std::to_string(due) +
                                           " requests that were due found no free client; more `clients`, or a lower `rate`"});
  }
}

}  // namespace

stats::Histogram service_times(const Observation& seen) { return merged(seen, &DriverResult::histogram); }
stats::Histogram latencies(const Observation& seen) { return merged(seen, &DriverResult::latency); }

Side conclude(const Observation& seen, const Setup& setup, const Standing& standing, const HostCpus& allotments) {
  Side side;
  side.cell = setup.cell;
  side.counts = total_of(seen);
  side.openssl_cpu = seen.openssl_cpu;
  for (const DriverResult& driver : seen.drivers) {
    side.pages_per_s += driver.duration_s > 0 ? static_cast<double>(driver.done) / driver.duration_s : 0.0;
    side.tls_version = driver.tls_version;
    side.tls_cipher = driver.tls_cipher;
  }
  const std::vector<Stretch> stretches = seen.slices.empty() ? std::vector{whole(seen, setup.gateway)} : seen.slices;
  add_slices(side, stretches);
  const Percentiles service = percentiles_us(service_times(seen));
  side.service_us_p50 = service.p50;
  side.service_us_p99 = service.p99;
  if (const stats::Histogram latency = latencies(seen); latency.count() > 0) {
    side.latency_us = percentiles_us(latency);
  }
  add_cpu(side, seen, stretches, standing, allotments);
  return side;
}

std::vector<Finding> reconcile(const Observation& seen, const Setup& setup, const Scenario& scenario) {
  const Counts total = total_of(seen);
  std::vector<Finding> findings;
  check_driver(seen, findings);
  if (setup.external) {
    findings.push_back({"", "what the gateway answered is not counted there, and its CPU is not known: it is external"});
  } else {
    check_gateway(seen, total, findings);
  }
  if (!setup.pages.empty()) {
    check_back_end(seen, total, findings);
  } else if (!setup.pages_elsewhere.empty()) {
    findings.push_back({"", setup.pages_elsewhere});
  }
  if (scenario.https) {
    check_tls(seen, scenario, findings);
  }
  check_little(seen, setup, scenario, findings);
  check_rate(seen, findings);
  if (total.failed > 0) {
    std::string classes;
    for (const auto& [name, count] : total.errors) {
      classes += count == 0 ? "" : " " + name + " " + std::to_string(count);
    }
    findings.push_back({"errors", std::to_string(total.failed) + " of " + std::to_string(total.started) + " requests failed:" + classes});
  }
  if (total.in_flight > 0) {
    findings.push_back({"drain", std::to_string(total.in_flight) + " requests were still in flight at the end"});
  }
  return findings;
}

std::vector<Finding> find_limits(const Side& side, const Setup& setup, const Standing& standing, const HostCpus& allotments) {
  std::vector<Finding> findings;
  const std::string limiting = limiting_node(side.cpu, allotments, setup.gateway, standing);
  const auto share_of = [&](const std::string& node) {
    const auto at = side.cpu.find(node);
    return at == side.cpu.end() ? 0.0 : at->second;
  };
  if (!setup.guests.empty()) {
    findings.push_back({"", "the gateway had " + percent(share_of(setup.gateway)) + " of its CPUs while " +
                                std::to_string(setup.guests.size()) + " guests wanted theirs"});
  } else if (limiting != setup.gateway && !setup.external && !setup.open_loop) {
    findings.push_back({"unsaturated", "the gateway used " + percent(share_of(setup.gateway)) + " of its CPUs"});
  }
  if (const Node* node = limiting == setup.gateway ? nullptr : standing.lab.find(limiting); node != nullptr && !node->has(Role::guest)) {
    const std::string note = limiting + " used " + percent(share_of(limiting)) + " of its CPUs, which it may share";
    findings.push_back({node->has(Role::load) ? "driver-bound" : "backend-bound", note});
    if (node->cpus && standing.cpu_method != CpuMethod::none) {
      findings.push_back({"throttled", limiting + " is limited to " + number(*node->cpus) + " CPUs"});
    }
  }
  return findings;
}

std::vector<Finding> find_drift(const Observation& seen) {
  double first = 0, second = 0;
  for (const DriverResult& driver : seen.drivers) {
    first += static_cast<double>(driver.first_half);
    second += static_cast<double>(driver.second_half);
  }
  if (first + second < kFewestForDrift || first == 0 || second == 0 || std::abs(std::log(second / first)) <= std::log(kDrift)) {
    return {};
  }
  return {{"unsettled", "the measurement's second half had " + number(100 * std::abs(second / first - 1)) + "% " +
                            (second > first ? "more" : "fewer") + " pages than its first"}};
}

std::vector<Finding> find_drift(double log_ratio) {
  if (std::abs(log_ratio) <= std::log(kDrift)) {
    return {};
  }
  return {{"unsettled", "the ratio of the sides was " + number(100 * std::abs(std::expm1(log_ratio))) + "% " +
                            (log_ratio > 0 ? "higher" : "lower") + " in the second half of the trial"}};
}

std::vector<Finding> find_noise(const Observation& seen, const Standing& standing) {
  std::vector<Finding> findings;
  check_hosts(seen, standing, findings);
  return findings;
}

std::vector<Finding> reconcile_pages(const Observation& seen) {
  std::vector<Finding> findings;
  check_back_end(seen, total_of(seen), findings);
  return findings;
}

}  // namespace lab::run
