#include "orchestrator/doctor.hpp"

#include "lab/units.hpp"
#include "orchestrator/cpus.hpp"
#include "providers/container/engine.hpp"
#include "providers/container/image.hpp"
#include "providers/container/needs.hpp"
#include "providers/local/account.hpp"
#include "providers/local/cgroup.hpp"
#include "remote/process.hpp"

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

namespace lab::orchestrator {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Grade = Finding::Grade;

constexpr std::uint64_t kOpenFiles = 4096;  // a gateway with 1,000 clients has 2,000 sockets
constexpr std::uint64_t kFreeBytes = std::uint64_t{512} << 20;

std::string first_line(const fs::path& file) {
  std::string line;
  std::getline(std::ifstream(file) >> std::ws, line);
  return line;
}

std::vector<std::string> cpu_flags() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("flags") || line.starts_with("features") || line.starts_with("Features")) {
      std::istringstream words(line.substr(line.find(':') + 1));
      return {std::istream_iterator<std::string>(words), {}};
    }
  }
  return {};
}

std::string account_problem() {
  namespace local = providers::local;
  const auto account = local::current_account(Clock::now() + 5s);
  if (!account) {
    return account.error().what;
  }
  const auto good = local::check_login(*account);
  return good ? "" : good.error().what + " (" + good.error().remedy + ")";
}

std::string cgroup_problem() {
  namespace local = providers::local;
  const auto probed = local::probe_cgroup(local::cgroup_parents(), "lab-doctor-" + std::to_string(getpid()), Clock::now() + 5s);
  return probed ? "" : probed.error().what;
}

Finding program(const std::string& topic, const std::optional<std::string>& path, const std::string& remedy, Grade missing) {
  return path ? Finding{Grade::good, topic, *path, ""} : Finding{missing, topic, "not found", remedy};
}

// Asks the engine only where that wakes up nothing that this user never used.
void ask_engine(HostFacts& facts) {
  namespace container = providers::container;
  const auto host = container::this_host();
  const auto engine = container::Engine::find(host);
  if (!engine) {
    return;
  }
  facts.engine = engine->program();
  const Deadline deadline = Clock::now() + 20s;
  facts.engine_lacks = container::missing_here(*engine, host, deadline);
  if (!facts.engine_lacks.empty() || engine->never_used()) {
    return;
  }
  const auto found = engine->facts(deadline);
  const auto fits = found ? container::check_runtime(*found, host) : Result<void>(found.error());
  if (!fits) {
    facts.engine_lacks = {fits.error()};
    return;
  }
  facts.engine_limits = found->cpu && found->memory;
  facts.engine_ways = found->version + (found->rootless ? ", rootless" : "") + ", cgroups v" + std::to_string(found->cgroup) +
                      (found->mixed ? " beside v2" : "") + ", runtime " +
                      (found->runtime.empty() ? found->default_runtime : found->runtime) + ", storage " + found->storage;
  const auto there = container::has_image(*engine, container::image_name(), deadline);
  facts.image = there && *there;
}

std::vector<Finding> judge_engine(const HostFacts& facts) {
  if (!facts.engine) {
    return {{Grade::note, "engine", "not found", "apt-get install podman runc, for provider container"}};
  }
  std::vector<Finding> findings;
  for (const Error& lack : facts.engine_lacks) {
    findings.push_back({Grade::note, "engine", lack.what, lack.remedy});
  }
  if (!findings.empty()) {
    return findings;
  }
  findings.push_back({Grade::good, "engine", *facts.engine + (facts.engine_ways.empty() ? "" : ": " + facts.engine_ways), ""});
  if (facts.engine_ways.find("storage vfs") != std::string::npos) {
    findings.push_back({Grade::note, "engine", "storage vfs copies the whole image for each node",
                        "set driver = \"overlay\" under [storage] in ~/.config/containers/storage.conf, then: podman system reset"});
  }
  if (!facts.engine_limits) {
    findings.push_back({Grade::note, "engine",
                        "it cannot limit CPUs and memory: CPUs are limited by stopping and continuing, `memory` is refused",
                        "run lab as root; or boot with cgroups v2 alone (systemd.unified_cgroup_hierarchy=1)"});
  }
  return findings;
}

bool has_flag(const HostFacts& facts, const std::string& flag) {
  return std::find(facts.cpu_flags.begin(), facts.cpu_flags.end(), flag) != facts.cpu_flags.end();
}

Finding judge_crypto(const HostFacts& facts) {
  if (facts.architecture == "s390x") {
    return has_flag(facts, "msa")
               ? Finding{Grade::good, "crypto", "CPACF (msa)", ""}
               : Finding{Grade::note, "crypto", "no CPACF", "enable it for the LPAR: hardware crypto cannot be measured"};
  }
  return has_flag(facts, "aes") && has_flag(facts, "pclmulqdq")
             ? Finding{Grade::good, "crypto", "AES and carry-less multiplication instructions", ""}
             : Finding{Grade::note, "crypto", "the CPU shows no AES instructions", "software and hardware crypto will measure alike here"};
}

Finding judge_clock(const HostFacts& facts) {
  const bool slow = facts.clock_source == "hpet" || facts.clock_source == "acpi_pm" || facts.clock_source == "jiffies";
  const std::string found = facts.clock_source.empty() ? "unknown" : facts.clock_source;
  return slow ? Finding{Grade::bad, "clock", found + " takes a system call a reading", "boot with clocksource=tsc"}
              : Finding{Grade::good, "clock", found, ""};
}

Finding judge_governor(const HostFacts& facts) {
  if (facts.governor.empty()) {
    return {Grade::note, "governor", "not to be seen from here (a virtual machine, perhaps)", "the CPUs' frequency is the host's to fix"};
  }
  return facts.governor == "performance" ? Finding{Grade::good, "governor", facts.governor, ""}
                                         : Finding{Grade::note, "governor", facts.governor + ": the frequency changes with load",
                                                   "cpupower frequency-set -g performance"};
}

Finding judge_cpus(const HostFacts& facts) {
  const std::string found = std::to_string(facts.cpus);
  return facts.cpus < 2 ? Finding{Grade::bad, "CPUs", found, "give the machine two: driver and gateway must not share one"}
                        : Finding{Grade::good, "CPUs", found, ""};
}

Finding judge_limits(const HostFacts& facts) {
  const std::string found = std::to_string(facts.open_files) + " open files";
  return facts.open_files < kOpenFiles ? Finding{Grade::bad, "limits", found, "ulimit -n " + std::to_string(kOpenFiles)}
                                       : Finding{Grade::good, "limits", found, ""};
}

Finding judge_disk(const HostFacts& facts) {
  const std::string found = std::to_string(facts.free_bytes >> 20U) + " MB free";
  return facts.free_bytes < kFreeBytes
             ? Finding{Grade::bad, "disk", found, "free " + format_size(kFreeBytes) + " where state is kept, or set XDG_STATE_HOME"}
             : Finding{Grade::good, "disk", found, ""};
}

}  // namespace

HostFacts gather_facts(const fs::path& state_root) {
  HostFacts facts;
  facts.sshd = remote::find_program("sshd");
  facts.keygen = remote::find_program("ssh-keygen");
  facts.ssh = remote::find_program("ssh");
  ask_engine(facts);
  facts.account = account_problem();
  facts.cgroup = cgroup_problem();
  facts.cpus = allowed_cpus().size();
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  facts.open_files = files.rlim_cur;
  fs::path there = state_root;
  std::error_code missing;
  while (!fs::exists(there, missing) && there.has_relative_path()) {
    there = there.parent_path();
  }
  facts.free_bytes = fs::space(there, missing).available;
  utsname host{};
  uname(&host);
  facts.architecture = host.machine;
  facts.cpu_flags = cpu_flags();
  facts.governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  facts.clock_source = first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  return facts;
}

std::vector<Finding> judge(const HostFacts& facts) {
  std::vector<Finding> findings{
      program("sshd", facts.sshd, "apt-get install openssh-server", Grade::bad),
      program("ssh-keygen", facts.keygen, "apt-get install openssh-client", Grade::bad),
      program("ssh", facts.ssh, "apt-get install openssh-client: lab ssh, exec and logs -f use it", Grade::note),
  };
  const auto engine = judge_engine(facts);
  findings.insert(findings.end(), engine.begin(), engine.end());
  if (!facts.engine_ways.empty()) {
    findings.push_back(facts.image ? Finding{Grade::good, "image", "of this build, for containers", ""}
                                   : Finding{Grade::note, "image", "not made yet, for provider container", "lab image build"});
  }
  findings.push_back(facts.account.empty() ? Finding{Grade::good, "account", "may log in by key", ""}
                                           : Finding{Grade::bad, "account", facts.account, "run lab as another user"});
  findings.push_back(facts.cgroup.empty() ? Finding{Grade::good, "cgroups", "CPU quotas can be set", ""}
                                          : Finding{Grade::note, "cgroups", facts.cgroup,
                                                    "run lab as root for quotas; CPUs are limited by stopping and continuing"});
  findings.push_back(judge_cpus(facts));
  findings.push_back(judge_limits(facts));
  findings.push_back(judge_disk(facts));
  findings.push_back(judge_crypto(facts));
  findings.push_back(judge_clock(facts));
  findings.push_back(judge_governor(facts));
  return findings;
}

}  // namespace lab::orchestrator
