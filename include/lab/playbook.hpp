// A playbook as its file describes it (playbooks/NAME.yaml), checked, with `like` already resolved.
#pragma once

#include "lab/lab.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lab {

// Axis values stay as written ("5.8KB", "1", "null"): they are what cell ids are made of.
using AxisValues = std::pair<std::string, std::vector<std::string>>;  // name and values, both in file order

// The axes a scenario may have.
inline constexpr const char* kAxes[] = {"page", "crypto", "cpus", "clients", "log", "gateway", "busy"};

// A/A pairs of a run, whose ratios are the noise floor: one for each way of switching between sides, or one in all.
enum class AaPairs { each, one };

struct Profile {
  std::string name;
  std::chrono::nanoseconds warmup{0}, measure{0};
  int repeats = 1;
  AaPairs aa = AaPairs::each;
  std::vector<AxisValues> axes;  // narrows a scenario's axes, except those it keeps
  bool operator==(const Profile&) const = default;
};

struct ScenarioTls {
  HandshakeMode handshake = HandshakeMode::once;
  std::optional<TlsVersion> version;
  std::string cipher;  // OpenSSL name
  bool operator==(const ScenarioTls&) const = default;
};

struct Scenario {
  std::string id;  // "1", "1-log"
  std::string title;
  std::string like;    // as written; already merged
  bool https = false;  // client: http | https
  JunctionPlan junction;
  LoginMode login = LoginMode::none;  // auth:
  ScenarioTls tls;
  std::optional<double> rate;  // open loop: requests a second of all drivers together; else each client sends when it is answered
  std::vector<AxisValues> axes;
  std::vector<std::string> keep;
  std::string notes;  // e.g. a substitution that the report must name
  bool operator==(const Scenario&) const = default;
};

// Selects cells: axis name (or "scenario") to value; what it does not name is free.
using Selector = std::map<std::string, std::string>;

// What an order compares: the metric over the cells of `of`; with `to`, the quotient of ÷ to.
struct Quantity {
  Selector of, to;
  std::string node;  // metric cpu: whose; metric machine_cpu: the machine; else empty
  bool operator==(const Quantity&) const = default;
};

struct Claim {
  enum class Kind { ratio, share, order, below, stated };  // stated: nothing here varies it; always cannot-tell, `note` says why
  enum class Metric { pages_per_s, pages_per_s_per_client, cpu, machine_cpu };
  std::string id;
  std::string says;
  Kind kind = Kind::ratio;
  Metric metric = Metric::pages_per_s;
  Selector of, to;                  // ratio: of ÷ to; share, below: of
  std::vector<Quantity> rising;     // order: each is more than the one before
  std::string node;                 // share: whose CPU; metric machine_cpu: the machine, "host" for the lab's own
  std::vector<std::string> nodes;   // below: whose CPU, each of them; those that the lab lacks are left out
  std::optional<double> published;  // ratio, share
  std::optional<double> limit;      // below
  double tolerance = 0.10;          // relative to published
  int needs_cpus = 0;               // with fewer host CPUs it is cannot-tell, and `note` says why
  std::string note;                 // why it cannot be told here, or what stands beside the figure
  bool operator==(const Claim&) const = default;
};

struct PairPlan {  // cells to be compared within trials: a value each of the axes that neither names
  Selector a, b;
  bool operator==(const PairPlan&) const = default;
};

struct Playbook {
  std::string name;
  std::vector<Profile> profiles;
  std::vector<Scenario> scenarios;
  std::vector<PairPlan> pairs;  // beside those that follow from scenarios and claims
  std::vector<Claim> claims;
  std::string source;
  std::string path;

  const Profile* profile(const std::string& name) const;
  bool operator==(const Playbook&) const = default;
};

}  // namespace lab
