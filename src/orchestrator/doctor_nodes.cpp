// What the nodes of a standing lab lack.
#include "lab/units.hpp"
#include "orchestrator/doctor.hpp"
#include "orchestrator/parallel.hpp"
#include "orchestrator/state.hpp"
#include "zlinux/cryptocards.hpp"
#include "zlinux/sysinfo.hpp"

#include <charconv>
#include <map>
#include <sstream>

namespace lab::orchestrator {

namespace {

using Grade = Finding::Grade;

constexpr std::uint64_t kOpenFiles = 4096;  // a gateway with 1,000 clients has 2,000 sockets
constexpr std::uint64_t kFreeKilobytes = std::uint64_t{128} << 10U;

// One shell, whatever the node is: "key value" lines. A program that is missing leaves its value empty.
constexpr const char* kNodeQuestions = R"(
echo machine $(uname -m) $(uname -r)
echo files $(ulimit -n)
echo free $(df -Pk . | awk 'NR == 2 { print $4 }')
echo clock $(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)
echo forward $(cat /proc/sys/net/ipv4/ip_forward)
echo nft $(command -v nft)
PATH=$PATH:/usr/sbin:/sbin
if command -v lszcrypt >/dev/null; then lszcrypt | sed 's/^/card /'; fi
sed 's/^/sysinfo /' /proc/sysinfo 2>/dev/null
exit 0
)";

std::map<std::string, std::string> answers_in(std::string_view text) {
  std::map<std::string, std::string> answers;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const auto space = line.find(' ');
    answers[line.substr(0, space)] = space == std::string::npos ? "" : line.substr(space + 1);
  }
  return answers;
}

// Of all lines that begin so, what follows.
std::string lines_after(std::string_view text, const std::string& prefix) {
  std::string found;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    found += line.starts_with(prefix) ? line.substr(prefix.size()) + "\n" : "";
  }
  return found;
}

// Of an IBM Z guest: where it runs, and whether a crypto adapter serves it.
void judge_mainframe(std::string_view text, std::vector<Finding>& findings) {
  const auto info = zlinux::parse_sysinfo(lines_after(text, "sysinfo "));
  if (!info) {
    return;
  }
  findings.push_back({Grade::good, "z/VM",
                      info->guest.empty() ? "LPAR " + info->lpar : info->guest + ", " + info->control_program + ", LPAR " + info->lpar,
                      ""});
  const std::string why = zlinux::why_no_card(zlinux::parse_lszcrypt(lines_after(text, "card ")));
  findings.push_back(why.empty() ? Finding{Grade::good, "adapter", "a crypto card serves this guest", ""}
                                 : Finding{Grade::note, "adapter", why + ": cells with crypto: adapter are skipped",
                                           "have CRYPTO APVIRTUAL in the guest's directory entry, and s390-tools in its Linux"});
}

std::uint64_t number_in(const std::string& text) {
  std::uint64_t value = text == "unlimited" ? ~std::uint64_t{0} : 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::vector<Finding> ask(const World& world, const std::filesystem::path& state, const StandingNode& node, const Node& described,
                         Deadline deadline) {
  auto remote = world.connect(target_of(state, node), deadline);
  if (!remote) {
    return {{Grade::bad, "ssh", remote.error().what, "`lab up` again repairs what can be repaired"}};
  }
  const auto answers = (*remote)->exec(kNodeQuestions, {}, deadline);
  return answers ? judge_node(described, answers->out)
                 : std::vector<Finding>{{Grade::bad, "ssh", answers.error().what, "`lab up` again repairs what can be repaired"}};
}

}  // namespace

std::vector<Finding> judge_node(const Node& node, std::string_view text) {
  auto answers = answers_in(text);
  std::vector<Finding> findings{{Grade::good, "machine", answers["machine"], ""}};
  const std::string files = answers["files"] + " open files";
  findings.push_back(number_in(answers["files"]) < kOpenFiles
                         ? Finding{Grade::bad, "limits", files, "raise the hard limit of open files to " + std::to_string(kOpenFiles)}
                         : Finding{Grade::good, "limits", files, ""});
  const std::uint64_t free = number_in(answers["free"]);
  const std::string megabytes = std::to_string(free >> 10U) + " MB free";
  findings.push_back(free < kFreeKilobytes ? Finding{Grade::bad, "disk", megabytes, "free 128 MB for the binary and the logs"}
                                           : Finding{Grade::good, "disk", megabytes, ""});
  const std::string& clock = answers["clock"];
  const bool slow = clock == "hpet" || clock == "acpi_pm" || clock == "jiffies";
  findings.push_back(slow ? Finding{Grade::bad, "clock", clock + " takes a system call a reading", "boot with clocksource=tsc"}
                          : Finding{Grade::good, "clock", clock.empty() ? "unknown" : clock, ""});
  judge_mainframe(text, findings);
  if (node.has(Role::firewall)) {
    const bool filters = !answers["nft"].empty(), forwards = answers["forward"] == "1";
    findings.push_back(filters && forwards ? Finding{Grade::good, "firewall", "forwards, with nftables", ""}
                       : filters           ? Finding{Grade::bad, "firewall", "does not forward", "sysctl net.ipv4.ip_forward=1"}
                                           : Finding{Grade::bad, "firewall", "nft not found", "apt-get install nftables"});
  }
  return findings;
}

Result<std::vector<NodeFindings>> examine_nodes(const World& world, const std::string& name, Deadline deadline) {
  const auto state = load(world.root / name);
  if (!state) {
    return state.error();
  }
  std::vector<NodeFindings> all;
  if (!*state) {
    return all;
  }
  const Standing standing = standing_of(world.root, **state);
  for (const StandingNode& node : standing.nodes) {
    all.push_back({node.name, {}});
  }
  std::vector<std::size_t> places(all.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i] = i;
  }
  for_each_at_once(places, [&](std::size_t i) -> Result<void> {
    const StandingNode& node = standing.nodes[i];
    all[i].findings = ask(world, standing.state, node, *standing.lab.find(node.name), deadline);
    return {};
  });
  return all;
}

}  // namespace lab::orchestrator
