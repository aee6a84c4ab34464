#include "report/host.hpp"

#include "lab/units.hpp"
#include "report/scenario.hpp"
#include "report/text.hpp"
#include "store/read.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <boost/json.hpp>
#include <cmath>

namespace lab::report {

namespace {

std::string text_of(const boost::json::value& value) {
  if (value.is_string()) {
    return std::string(std::string_view(value.get_string()));
  }
  if (value.is_bool()) {
    return value.get_bool() ? "on" : "off";
  }
  if (value.is_double()) {
    return exact(value.get_double());
  }
  if (value.is_array()) {
    std::vector<std::string> parts;
    for (const auto& each : value.get_array()) {
      parts.push_back(text_of(each));
    }
    return join(parts, ", ");
  }
  return value.is_null() ? "" : boost::json::serialize(value);
}

// LPARs of which only the lab's own guests are known.
std::vector<std::string> bounded_machines(const Run& run) {
  std::vector<std::string> machines;
  for (const auto& [machine, carrier] : store::object_of(run.results.environment, "carriers")) {
    const auto* const bound = carrier.is_object() ? carrier.get_object().if_contains("lower_bound") : nullptr;
    if (bound != nullptr && *bound == true) {
      machines.emplace_back(machine);
    }
  }
  return machines;
}

std::string nested_text(const Run& run, std::string_view key, std::string_view inner) {
  const auto* outer = run.results.environment.if_contains(key);
  const auto* object = outer != nullptr ? outer->if_object() : nullptr;
  const auto* value = object != nullptr ? object->if_contains(inner) : nullptr;
  return value != nullptr ? text_of(*value) : "";
}

// How far the drivers' starts may have been apart.
std::string clocks_text(const Run& run) {
  std::int64_t offset = 0, error = 0;
  for (const Trial& trial : run.trials) {
    for (const auto& [node, clock] : trial.clocks) {
      offset = std::max(offset, std::abs(clock.offset_ns));
      error = std::max(error, clock.error_ns);
    }
  }
  const auto us = [](std::int64_t ns) { return number(static_cast<double>(ns) / 1e3); };
  return error == 0 ? "" : fmt::format("at most {} µs from the controller's, known to ± {} µs in the worst pass", us(offset), us(error));
}

bool has_role(const Run& run, Role role) {
  return std::ranges::any_of(run.lab.nodes, [&](const Node& node) { return node.has(role); });
}

std::string cpu_limit(const Run& run) {
  const std::string method = environment_text(run, "cpu_method");
  const std::string note = environment_text(run, "cpu_note");
  std::string text = method == "quota"           ? "cgroup quota"
                     : method == "stop-continue" ? "stopping and continuing the process on its CPU clock"
                     : method == "none"          ? "not limited"
                                                 : method;
  if (const double period = environment_number(run, "quota_period_us"); method == "quota" && period > 0) {
    text += fmt::format(", period {} ms", exact(period / 1000));
  }
  return note.empty() || method == "quota" ? text : fmt::format("{} ({})", text, note);
}

std::string memory(double bytes) { return bytes > 0 ? fmt::format("{:.1f} GiB", bytes / (1024.0 * 1024 * 1024)) : ""; }

void add(Facts& facts, std::string name, std::string value) {
  if (!value.empty()) {
    facts.emplace_back(std::move(name), std::move(value));
  }
}

bool paired(const Run& run) {
  return std::ranges::any_of(run.results.pairs, [](const PairResult& pair) { return pair.kind == "pair"; });
}

double noise_floor(const Run& run) {
  double floor = 0;
  for (const PairResult& pair : run.results.pairs) {
    floor = std::max(floor, pair.noise_floor);
  }
  return floor;
}

int fewest_repeats(const Run& run) {
  int fewest = 0;
  for (const CellResult& cell : run.results.cells) {
    if (cell.status == "measured") {
      fewest = fewest == 0 ? cell.trials : std::min(fewest, cell.trials);
    }
  }
  return fewest;
}

// What the playbook's claims say that take more CPUs than there are.
std::vector<std::string> undecidable(const Run& run, double cores) {
  std::vector<std::string> says;
  for (const Claim& claim : run.playbook.claims) {
    if (cores > 0 && claim.needs_cpus > cores) {
      says.push_back(claim.says);
    }
  }
  return says;
}

// What stands for the parts of the study that the built-in playbook repeats.
void add_study_parts(const Run& run, Facts& facts) {
  if (has_role(run, Role::gateway)) {
    facts.emplace_back("WebSEAL, the gateway under test", "lab's own gateway: junctions, basic authentication, LDAP, request logs");
  }
  if (has_role(run, Role::directory)) {
    facts.emplace_back("Tivoli Access Manager and Directory Server", "lab's own LDAP directory");
  }
  if (has_role(run, Role::pages)) {
    facts.emplace_back("WebSphere Application Server", "lab's own page server: pages of the same sizes, no application work");
  }
  if (environment_text(run, "provider") == "local") {
    facts.emplace_back("z/VM guests and a z/OS LPAR", "processes of one Linux host, a loopback address a node");
    facts.emplace_back("Two firewalls", "none");
  } else if (environment_text(run, "provider") == "container") {
    facts.emplace_back("z/VM guests and a z/OS LPAR", "containers of one Linux host, with networks of their own");
    facts.emplace_back("Two firewalls", "containers that forward what the lab declares, by nftables");
  }
  if (!nested_text(run, "crypto", "features").empty() && environment_text(run, "architecture") != "s390x") {
    facts.emplace_back("CPACF, crypto instructions of System z", "the CPU's own crypto instructions, switched off for “software”");
  }
}

}  // namespace

std::string environment_text(const Run& run, std::string_view key) {
  const auto* value = run.results.environment.if_contains(key);
  return value != nullptr ? text_of(*value) : "";
}

double environment_number(const Run& run, std::string_view key) {
  const auto* value = run.results.environment.if_contains(key);
  boost::json::error_code ignored;
  return value != nullptr && value->is_number() ? value->to_number<double>(ignored) : 0;
}

Facts host_facts(const Run& run) {
  Facts facts;
  add(facts, "Host", environment_text(run, "hostname"));
  add(facts, "CPU", environment_text(run, "cpu_model"));
  add(facts, "Cores", environment_text(run, "cores"));
  add(facts, "SMT", environment_text(run, "smt"));
  const std::string governor = environment_text(run, "governor");
  add(facts, "Frequency governor", governor.empty() ? "not shown by this host" : governor);
  add(facts, "Memory", memory(environment_number(run, "memory_bytes")));
  add(facts, "Architecture", environment_text(run, "architecture"));
  add(facts, "Kernel", environment_text(run, "kernel"));
  add(facts, "OpenSSL", environment_text(run, "openssl"));
  add(facts, "Provider", environment_text(run, "provider"));
  add(facts, "Gateway CPUs limited by", cpu_limit(run));
  if (const double unit = environment_number(run, "cpu_unit"); unit > 0) {
    add(facts, "A lab CPU is worth", fmt::format("{} host CPUs", exact(unit)));
  }
  add(facts, "Clocks of the load nodes", clocks_text(run));
  add(facts, "Crypto instructions", nested_text(run, "crypto", "features"));
  add(facts, "“Hardware” crypto", nested_text(run, "crypto", "hardware"));
  add(facts, "“Software” crypto", nested_text(run, "crypto", "software"));
  add(facts, "lab",
      environment_text(run, "version") + (environment_text(run, "build").empty() ? "" : ", build " + environment_text(run, "build")));
  return facts;
}

std::vector<std::string> limitations(const Run& run) {
  std::vector<std::string> out;
  const double cores = environment_number(run, "cores");
  const double unit = environment_number(run, "cpu_unit");
  const std::string method = environment_text(run, "cpu_method");
  if (cores > 0 && cores < 4) {
    out.push_back(fmt::format("On {} host CPUs the drivers, the gateway and the back ends take CPU from each other.", exact(cores)));
  }
  for (const std::string& machine : bounded_machines(run)) {
    out.push_back(fmt::format("The use of machine {} is a lower bound: the lab's guests alone; nothing there may ask what else runs on it.",
                              machine));
  }
  if (const auto claims = undecidable(run, cores); !claims.empty()) {
    out.push_back(fmt::format("Not decided here, for want of CPUs: {}.", join(claims, "; ")));
  }
  if (unit > 0 && unit != 1) {
    out.push_back(
        fmt::format("A gateway CPU is {} of a host CPU here. Ratios between cells are comparable, pages per second are not.", exact(unit)));
  }
  if (method == "quota") {
    out.push_back(
        "The gateway's CPUs are a quota. A throttled gateway pays more CPU for a page, so that more CPUs gain more than real CPUs would, "
        "and service times carry the quota's period: no claim is made on latency.");
  } else if (method == "stop-continue") {
    out.push_back(
        "The gateway is stopped and continued to limit its CPU, a coarser way than a quota: what more CPUs gain is biased upwards.");
  } else if (method == "none") {
    out.push_back("The gateway's CPUs could not be limited on this host: cells that differ in CPUs measure the same thing.");
  }
  if (environment_text(run, "provider") == "local") {
    out.push_back("The nodes talk over loopback: no firewalls, no network cost.");
  } else if (!has_role(run, Role::firewall)) {
    out.push_back("There are no firewalls between the nodes.");
  } else if (environment_text(run, "provider") == "container") {
    out.push_back(
        "The firewalls forward inside this host's kernel, on the CPU time of whoever sends: their own CPU stays near zero, and what "
        "forwarding costs stands in the CPU of clients, gateway and back ends.");
  }
  if (!run.results.cells.empty() && !paired(run)) {
    out.push_back(
        "Ratios come from separate trials, compared block by block. The speed of a small shared host wanders by about 10% within seconds, "
        "so effects of a few percent cannot be seen this way.");
  }
  if (const int n = fewest_repeats(run); n > 0 && n < kEnoughRepeats) {
    out.push_back(fmt::format("{} a cell: indicative. A 95% interval of a median needs {}; what stands beside the numbers is their range.",
                              count(static_cast<std::size_t>(n), "repeat", "repeats"), kEnoughRepeats));
  }
  return out;
}

bool repeats_study(const Run& run) { return run.playbook.name == "webseal-2007"; }

Facts substitutions(const Run& run) {
  Facts facts;
  if (repeats_study(run)) {
    add_study_parts(run, facts);
  }
  for (const Scenario& scenario : run.playbook.scenarios) {
    const bool used = std::ranges::any_of(run.results.cells, [&](const CellResult& cell) { return cell.scenario == scenario.id; });
    const bool said = std::ranges::any_of(facts, [&](const auto& fact) { return fact.second == scenario.notes; });
    if (used && !said && !scenario.notes.empty()) {
      facts.emplace_back("Scenario " + scenario.id, scenario.notes);
    }
  }
  return facts;
}

std::vector<std::string> method(const Run& run) {
  const auto seconds = [](std::chrono::nanoseconds time) { return format_duration(time); };
  std::vector<std::string> out;
  out.push_back(fmt::format(
      "{} run in a closed loop: each client has one connection and asks for the next page when it has the last. A trial is {} of warm-up, "
      "which no number counts, and {} of measurement; {} passes over all of them, each pass in a random order drawn from seed {}.",
      "Clients", seconds(run.record.warmup), seconds(run.record.measure), run.record.repeats, run.record.seed));
  out.push_back(
      "A cell's number is the median of its trials, with the distribution-free 95% interval of the median; every trial is a dot in the "
      "charts. A ratio is taken inside a block, or inside a pair, and then its median. Averages of percentiles are not used anywhere.");
  if (paired(run)) {
    out.push_back(
        "What can be switched within a trial is compared there, as a pair: two gateways stand at once and are loaded in turn, in slices A "
        "B B "
        "A of 100 ms and more, each drained before the next, the first two dropped. The pair's ratio is the mean of the logarithms over "
        "these groups: what the host does slowly meets both sides alike. A quotient of two cells' medians need not equal it.");
  }
  std::vector<std::string> resumed;
  for (const Trial& trial : run.trials) {
    if (std::ranges::find(trial.notes, kResumedNote) != trial.notes.end()) {
      resumed.push_back(std::to_string(trial.trial));
    }
  }
  if (!resumed.empty()) {
    out.push_back(fmt::format("The run was broken off and resumed before trial {}: what the host was doing may have changed there.",
                              join(resumed, " and ")));
  }
  if (const double floor = noise_floor(run); floor > 0) {
    out.push_back(fmt::format("The same cell loaded against itself (A/A) gives the noise floor, {}. No smaller effect is called one.",
                              percent(std::expm1(floor))));
  } else {
    out.push_back("No A/A pair was measured, so this run knows no noise floor of its own.");
  }
  out.push_back(
      "A published figure agrees when the 95% interval lies within it ± its tolerance, differs when the interval lies outside, and cannot "
      "be told otherwise.");
  out.push_back(
      "Every trial's books are balanced: requests at the driver, lines in the gateway's log, pages served, page lengths and contents, TLS "
      "version and cipher. CPU time is read on every node at the edges of the measurement. What does not add up is flagged wherever its "
      "number appears.");
  return out;
}

}  // namespace lab::report
