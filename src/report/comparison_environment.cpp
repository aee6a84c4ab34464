#include "report/comparison.hpp"
#include "report/host.hpp"

#include <array>
#include <boost/json.hpp>

namespace lab::report {

namespace {

struct Fact {
  const char* key;  // of the run's environment
  const char* name;
  const char* why;
};

constexpr const char* kOtherHost = "rates of two machines differ for reasons of their own; ratios of pairs differ least";
constexpr const char* kOtherShare = "the gateway has another share of CPU: rates are not of the same thing";
constexpr const char* kOtherPlan = "other cells, lengths or numbers of passes: intervals differ in width";
constexpr const char* kOtherLab = "another build of gateway, page server and driver: what is compared, or what changed beside it";
constexpr const char* kOtherSetting = "another environment: cells of the same name need not mean the same";

constexpr std::array<Fact, 23> kFacts{{
    {"lab", "lab", kOtherSetting},
    {"provider", "provider", kOtherSetting},
    {"playbook", "playbook", kOtherSetting},
    {"profile", "profile", kOtherPlan},
    {"warmup_s", "warm-up, s", kOtherPlan},
    {"measure_s", "measurement, s", kOtherPlan},
    {"repeats", "passes", kOtherPlan},
    {"version", "version of lab", kOtherLab},
    {"build", "build of lab", kOtherLab},
    {"openssl", "OpenSSL", "crypto and handshakes may cost something else"},
    {"hostname", "host", kOtherHost},
    {"cpu_model", "CPU", kOtherHost},
    {"cores", "cores", kOtherHost},
    {"smt", "SMT", "two lab CPUs may be one core"},
    {"architecture", "architecture", kOtherHost},
    {"memory_bytes", "memory, bytes", kOtherHost},
    {"governor", "frequency governor", "the CPU's clock may differ, and wander"},
    {"kernel", "kernel", "network, scheduler and mitigations may cost something else"},
    {"cpu_unit", "host CPUs a lab CPU", kOtherShare},
    {"cpu_method", "CPUs limited by", kOtherShare},
    {"quota_period_us", "quota period, µs", "a throttled gateway's cost and p99 depend on it"},
    {"crypto", "crypto", "what “hardware” and “software” stand for"},
    {"nodes", "nodes", kOtherSetting},
}};

// What is compared: addresses of nodes, which each standing lab has of its own, are not.
std::string compared(const Run& run, const Fact& fact) {
  const auto* value = run.results.environment.if_contains(fact.key);
  if (value == nullptr || !value->is_array()) {
    return environment_text(run, fact.key);
  }
  boost::json::array all = value->get_array();
  for (boost::json::value& each : all) {
    if (auto* node = each.if_object()) {
      node->erase("address");
    }
  }
  return boost::json::serialize(all);
}

// Of nodes and crypto only that they differ: their texts are long, and in both reports.
std::string shown(const Run& run, const Fact& fact) {
  const std::string key = fact.key;
  if (key == "nodes" || key == "crypto") {
    return environment_text(run, key).empty() ? "" : "see its report";
  }
  return environment_text(run, key);
}

void add_file(std::vector<Difference>& found, const char* what, const std::string& a, const std::string& b, const char* why) {
  if (a != b) {
    found.push_back({what, "as its run.json has it", "another text", why});
  }
}

}  // namespace

std::vector<Difference> differences(const Run& a, const Run& b) {
  std::vector<Difference> found;
  for (const Fact& fact : kFacts) {
    if (compared(a, fact) != compared(b, fact)) {
      const std::string in_a = shown(a, fact), in_b = shown(b, fact);
      found.push_back({fact.name, in_a.empty() ? "not known" : in_a, in_b.empty() ? "not known" : in_b, fact.why});
    }
  }
  add_file(found, "lab file", a.record.lab_text, b.record.lab_text, kOtherSetting);
  add_file(found, "playbook file", a.record.playbook_text, b.record.playbook_text, kOtherSetting);
  return found;
}

}  // namespace lab::report
