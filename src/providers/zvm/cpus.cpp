#include "providers/zvm/cpus.hpp"

#include "zlinux/lines.hpp"
#include "zlinux/vmcp.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>

namespace lab::providers::zvm {

namespace {

// "key value" lines, then /proc/sysinfo as it is. s390-tools and chcpu are in sbin, which a plain shell may not look into.
constexpr const char* kLook = R"sh(
LC_ALL=C; export LC_ALL
echo "home $HOME"
echo "arch $(uname -m)"
echo "tick $(getconf CLK_TCK)"
echo "online $(cat /sys/devices/system/cpu/online)"
echo "present $(cat /sys/devices/system/cpu/present)"
read -r line </proc/stat; echo "$line"
hypfs=/sys/hypervisor/s390
if [ -d $hypfs/systems ]; then
  echo 1 2>/dev/null >$hypfs/update
  echo "hypfs $(cat $hypfs/systems/*/cpus/cputime_us 2>/dev/null | awk '{ sum += $1 } END { printf "%.0f", sum }')"
  echo "hypcpus $(cat $hypfs/cpus/count 2>/dev/null)"
fi
echo sysinfo; cat /proc/sysinfo 2>/dev/null
exit 0
)sh";

// cpu user nice system idle iowait irq softirq steal, in ticks
void add_times(Inside& inside, std::istringstream fields, std::uint64_t tick_us) {
  std::string label;
  std::uint64_t user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
  fields >> label >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
  inside.busy_us = (user + nice + system + irq + softirq) * tick_us;
  inside.idle_us = (idle + iowait) * tick_us;
  inside.steal_us = steal * tick_us;
}

std::string listed(const std::vector<int>& cpus) {
  std::string text;
  for (const int cpu : cpus) {
    text += (text.empty() ? "" : ",") + std::to_string(cpu);
  }
  return text;
}

Result<remote::Output> as_root(remote::Remote& remote, const std::string& command, Deadline deadline) {
  return remote.exec("PATH=$PATH:/usr/sbin:/sbin; if [ \"$(id -u)\" = 0 ]; then " + command + "; else sudo -n " + command + "; fi", {},
                     deadline);
}

Result<void> chcpu(remote::Remote& remote, const std::string& node, const std::string& words, Deadline deadline) {
  const auto done = as_root(remote, "chcpu " + words, deadline);
  if (!done) {
    return done.error();
  }
  return done->exit == 0 ? Result<void>()
                         : Error{"the guest's CPUs cannot be changed", "node " + node + ": chcpu " + words,
                                 "it takes root, or sudo without a password", done->out + done->err};
}

Result<void> apply(remote::Remote& remote, const std::string& node, const CpuChange& change, Deadline deadline) {
  if (!change.off.empty()) {
    if (auto off = chcpu(remote, node, "-d " + listed(change.off), deadline); !off) {
      return off;
    }
  }
  return change.on.empty() ? Result<void>() : chcpu(remote, node, "-e " + listed(change.on), deadline);
}

// CP numbers CPUs in hexadecimal; what is defined shows in Linux after a rescan.
Result<void> define_by_cp(remote::Remote& remote, const std::string& node, int from, int count, Deadline deadline) {
  for (int i = 0; i < count; ++i) {
    std::array<char, 8> number{};
    std::snprintf(number.data(), number.size(), "%02X", static_cast<unsigned>(from + i));
    const std::string command = std::string("define cpu ") + number.data();
    const auto done = as_root(remote, "vmcp " + command, deadline);
    if (!done) {
      return done.error();
    }
    if (auto judged = zlinux::judge_vmcp(command, done->exit, done->out + done->err); !judged) {
      return Error{judged.error().what, "node " + node + ": " + judged.error().where, judged.error().remedy, judged.error().detail};
    }
  }
  return {};
}

}  // namespace

Inside parse_inside(std::string_view text) {
  Inside inside;
  std::istringstream lines{std::string(text)};
  std::uint64_t tick_us = 10'000;
  std::string rest;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string key = line.substr(0, space), value = zlinux::squeezed(std::string_view(line).substr(space));
    if (key == "home") {
      inside.home = value;
    } else if (key == "arch") {
      inside.architecture = value;
    } else if (key == "tick") {
      tick_us = 1'000'000 / std::max<std::uint64_t>(1, zlinux::whole_number<std::uint64_t>(value));
    } else if (key == "online") {
      inside.online = zlinux::parse_cpu_list(value);
    } else if (key == "present") {
      inside.present = zlinux::parse_cpu_list(value);
    } else if (key == "cpu") {
      add_times(inside, std::istringstream(line), tick_us);
    } else if (key == "hypfs") {
      const auto sum = zlinux::whole_number<std::uint64_t>(value);
      inside.hypervisor_us = sum > 0 ? std::optional(sum) : std::nullopt;
    } else if (key == "hypcpus") {
      inside.hypervisor_cpus = zlinux::whole_number(value);
    } else if (key == "sysinfo") {
      rest.assign(std::istreambuf_iterator<char>(lines), {});
    }
  }
  inside.sysinfo = zlinux::parse_sysinfo(rest);
  return inside;
}

Result<Inside> look_inside(remote::Remote& remote, const std::string& node, Deadline deadline) {
  const auto said = remote.exec("sh -s", kLook, deadline);
  if (!said) {
    return said.error();
  }
  Inside inside = parse_inside(said->out);
  if (said->exit != 0 || inside.home.empty() || inside.online.empty()) {
    return Error{"the guest does not run commands as a shell would", "node " + node, "give the user a login shell", said->out + said->err};
  }
  return inside;
}

CpuChange change_of(const Inside& now, int wanted) {
  CpuChange change;
  std::vector<int> online = now.online;
  std::sort(online.begin(), online.end());
  int count = static_cast<int>(online.size());
  for (; count > std::max(wanted, 1); --count) {
    change.off.push_back(online.back());
    online.pop_back();
  }
  for (const int cpu : now.present) {
    if (count < wanted && std::find(now.online.begin(), now.online.end(), cpu) == now.online.end()) {
      change.on.push_back(cpu);
      ++count;
    }
  }
  change.define = std::max(0, wanted - count);
  return change;
}

Result<void> set_cpus(remote::Remote& remote, const std::string& node, int wanted, const Define& define, Deadline deadline) {
  auto now = look_inside(remote, node, deadline);
  if (!now) {
    return now.error();
  }
  if (CpuChange change = change_of(*now, wanted); change.define > 0) {
    const int known = static_cast<int>(now->present.size());
    const auto defined = define ? define(wanted) : define_by_cp(remote, node, known, change.define, deadline);
    if (!defined) {
      return defined;
    }
    if (auto seen = chcpu(remote, node, "-r", deadline); !seen) {
      return seen;
    }
    now = look_inside(remote, node, deadline);
    if (!now) {
      return now.error();
    }
  }
  if (auto applied = apply(remote, node, change_of(*now, wanted), deadline); !applied) {
    return applied;
  }
  now = look_inside(remote, node, deadline);
  if (!now) {
    return now.error();
  }
  const int online = static_cast<int>(now->online.size());
  return online == wanted ? Result<void>()
                          : Error{"the guest runs " + std::to_string(online) + " CPUs, not " + std::to_string(wanted), "node " + node,
                                  "look at `lscpu -e` there, and at `vmcp query virtual cpus`"};
}

Result<void> restore_cpus(remote::Remote& remote, const std::string& node, const std::vector<int>& online, Deadline deadline) {
  const auto now = look_inside(remote, node, deadline);
  if (!now) {
    return now.error();
  }
  CpuChange change;
  for (const int cpu : now->present) {
    const bool is = std::find(now->online.begin(), now->online.end(), cpu) != now->online.end();
    const bool was = std::find(online.begin(), online.end(), cpu) != online.end();
    if (is && !was) {
      change.off.push_back(cpu);
    } else if (was && !is) {
      change.on.push_back(cpu);
    }
  }
  return apply(remote, node, change, deadline);
}

}  // namespace lab::providers::zvm
