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

// The axes a scenario may have: page, crypto, cpus, clients, log, gateway.
inline constexpr const char* kAxes[] = {"page", "crypto", "cpus", "clients", "log", "gateway"};

struct Profile {
  std::string name;
  std::chrono::nanoseconds warmup{0}, measure{0};
  int repeats = 1;
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
  std::string id;     // "1", "1-log"
  std::string title;
  std::string like;   // as written; already merged
  bool https = false;  // client: http | https
  JunctionPlan junction;
  LoginMode login = LoginMode::none;  // auth:
  ScenarioTls tls;
  std::vector<AxisValues> axes;
  std::vector<std::string> keep;
  std::string notes;  // e.g. a substitution that the report must name
  bool operator==(const Scenario&) const = default;
};

// Selects cells: axis name (or "scenario") to value; what it does not name is free.
using Selector = std::map<std::string, std::string>;

struct Claim {
  enum class Kind { ratio, share, order, below };
  enum class Metric { pages_per_s, pages_per_s_per_client, cpu, machine_cpu };
  std::string id;
  std::string says;
  Kind kind = Kind::ratio;
  Metric metric = Metric::pages_per_s;
  Selector of, to;                 // ratio: of ÷ to
  std::vector<Selector> rising;    // order: each has more of the metric than the one before
  std::string node;                // share, below: whose CPU; or `machine`
  std::vector<std::string> nodes;  // below: several
  std::optional<double> published; // ratio, share
  std::optional<double> limit;     // below
  double tolerance = 0.10;         // relative to published
  std::string note;                // why it cannot be told here, or what stands beside the figure
  bool operator==(const Claim&) const = default;
};

struct Playbook {
  std::string name;
  std::vector<Profile> profiles;
  std::vector<Scenario> scenarios;
  std::vector<Claim> claims;
  std::string source;
  std::string path;

  const Profile* profile(const std::string& name) const;
  bool operator==(const Playbook&) const = default;
};

}  // namespace lab
