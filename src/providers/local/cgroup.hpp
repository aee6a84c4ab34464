// CPU accounting and limits by control groups, v1 (cpu and cpuacct, mounted together or apart) and v2; cgroups(7).
#pragma once

#include "lab/error.hpp"
#include "lab/units.hpp"

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lab::providers::local {

// A node's group: one folder, or two where v1 mounts the controllers apart.
struct Cgroup {
  std::string cpu;       // has the quota
  std::string cpuacct;   // has the CPU time
  bool unified = false;  // v2

  std::vector<std::string> folders() const;
  bool operator==(const Cgroup&) const = default;
};

boost::json::object to_json(const Cgroup& group);
std::optional<Cgroup> cgroup_from_json(const boost::json::object& details);

// Where groups may be made, from the texts of /proc/self/mountinfo and /proc/self/cgroup: this process's own group
// first, then its parents, the hierarchy's root last. Empty: the cpu controller is not mounted.
std::vector<Cgroup> cgroup_parents(std::string_view mountinfo, std::string_view own);
std::vector<Cgroup> cgroup_parents();  // of this process

// Makes the group under the first parent that lets it be limited; v2: where needed, that parent hands the controller down until the last
// group of any lab under it is removed.
// The error says why the last one did not.
Result<Cgroup> make_cgroup(const std::vector<Cgroup>& parents, const std::string& name);
// Whether a process may join it; a plain shell tries.
Result<void> try_to_join(const Cgroup& group, Deadline deadline);
// Whether a node could be limited here: makes a group, joins it, and leaves everything as it was.
Result<void> probe_cgroup(const std::vector<Cgroup>& parents, const std::string& name, Deadline deadline);
// The groups under these parents whose name starts so.
std::vector<Cgroup> find_cgroups(const std::vector<Cgroup>& parents, const std::string& prefix);
Result<void> remove_cgroup(const Cgroup& group, Deadline deadline);

// In periods of 10 ms; nothing lifts the limit.
Result<void> set_quota(const Cgroup& group, std::optional<double> host_cpus);
Result<std::uint64_t> cpu_time_us(const Cgroup& group);

}  // namespace lab::providers::local
