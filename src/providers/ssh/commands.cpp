#include "providers/ssh/commands.hpp"

#include <algorithm>
#include <chrono>
#include <sstream>

namespace lab::providers::ssh {

namespace {

using namespace std::chrono_literals;

constexpr auto kGrace = 1s;  // for services to drain

constexpr const char* kMake = R"sh(
umask 077
rmdir "$1" 2>/dev/null
if [ "$(cat "$1/.lab-node" 2>/dev/null)" = "$2" ]; then exit 0; fi
mkdir "$1" && printf '%s\n' "$2" >"$1/.lab-node"
)sh";

constexpr const char* kRemove = R"sh(
logs=$(cat "$1/log-folder" 2>/dev/null)
case $logs in /*/.lab-logs-*) rm -rf -- "$logs" ;; esac
if [ "$(cat "$1/.lab-node" 2>/dev/null)" = "$2" ]; then rm -rf -- "$1"; elif [ -e "$1" ]; then rmdir -- "$1"; fi
)sh";

// Its own shell and what that starts carry no label, and run elsewhere. proc(5).
constexpr const char* kLook = R"sh(
LC_ALL=C; export LC_ALL
echo "tick $(getconf CLK_TCK)"
echo "cpus $(getconf _NPROCESSORS_ONLN)"
read -r line </proc/stat; echo "$line"
pids=$({ grep -lzFx -- "LAB_NODE=$1" /proc/[0-9]*/environ
  ls -ln /proc/[0-9]*/exe /proc/[0-9]*/cwd | grep -F -e " -> $1/bin/lab-" -e " -> $1/roles/"
} 2>/dev/null | sed -n 's|^[^/]*/proc/\([0-9][0-9]*\)/.*|\1|p' | sort -un)
for pid in $pids; do cat "/proc/$pid/stat" 2>/dev/null; done
exit 0
)sh";

std::string arguments(std::initializer_list<std::string> words) {
  std::string text;
  for (const std::string& word : words) {
    text += " " + remote::shell_quote(word);
  }
  return text;
}

Result<std::string> run(remote::Remote& remote, const char* script, const std::string& words, const std::string& doing, Deadline deadline) {
  auto done = remote.exec("sh -s --" + words, script, deadline);
  if (!done) {
    return done.error();
  }
  if (done->exit != 0) {
    return Error{doing + " fails", "", "", done->err};
  }
  return std::move(done->out);
}

// /proc/PID/stat: pid (name) state ppid … utime stime cutime cstime are fields 14 to 17; zombies have nothing left to end.
void add_process(HostLoad& load, const std::string& line, std::uint64_t tick_us) {
  const auto open = line.find('('), close = line.rfind(')');
  if (open == std::string::npos || close == std::string::npos) {
    return;
  }
  std::istringstream fields(line.substr(close + 1));
  std::string state, skipped;
  fields >> state;
  for (int field = 4; field < 14; ++field) {
    fields >> skipped;
  }
  HostProcess process{std::atoi(line.c_str()), line.substr(open + 1, close - open - 1), 0};
  for (int i = 0; i < 4; ++i) {
    std::uint64_t ticks = 0;
    fields >> ticks;
    process.cpu_us += ticks * tick_us;
  }
  if (state != "Z") {
    load.processes.push_back(std::move(process));
  }
}

// cpu user nice system idle iowait irq softirq steal, in ticks
void add_host(HostLoad& load, std::istringstream fields, std::uint64_t tick_us) {
  std::string label;
  std::uint64_t user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
  fields >> label >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
  load.busy_us = (user + nice + system + irq + softirq) * tick_us;
  load.idle_us = (idle + iowait) * tick_us;
  load.steal_us = steal * tick_us;
}

Result<void> signal(remote::Remote& remote, const HostLoad& load, bool kill, Deadline deadline) {
  std::string pids;
  for (const HostProcess& process : load.processes) {
    pids += " " + std::to_string(process.pid);
  }
  const auto done = remote.exec("kill -" + std::string(kill ? "KILL" : "TERM") + pids, {}, deadline);
  return done ? Result<void>() : done.error();  // some may have ended by themselves
}

}  // namespace

Result<void> make_directory(remote::Remote& remote, const std::string& directory, const std::string& label, Deadline deadline) {
  const auto made = run(remote, kMake, arguments({directory, label}), "making " + directory, deadline);
  return made ? Result<void>() : made.error();
}

Result<bool> has_directory(remote::Remote& remote, const std::string& directory, Deadline deadline) {
  const auto seen = remote.exec("test -e " + remote::shell_quote(directory), {}, deadline);
  return seen ? Result<bool>(seen->exit == 0) : seen.error();
}

Result<HostLoad> look_at_processes(remote::Remote& remote, const std::string& directory, Deadline deadline) {
  const auto text = run(remote, kLook, arguments({directory}), "looking at the node's processes", deadline);
  if (!text) {
    return text.error();
  }
  HostLoad load;
  std::istringstream lines(*text);
  std::uint64_t tick_us = 10'000;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("tick ")) {
      tick_us = 1'000'000 / std::max<std::uint64_t>(1, std::strtoull(line.c_str() + 5, nullptr, 10));
    } else if (line.starts_with("cpus ")) {
      load.cpus = std::atoi(line.c_str() + 5);
    } else if (line.starts_with("cpu ")) {
      add_host(load, std::istringstream(line), tick_us);
    } else {
      add_process(load, line, tick_us);
    }
  }
  return load;
}

Result<void> end_processes(remote::Remote& remote, const std::string& directory, const std::string& node, Deadline deadline) {
  const std::string program = remote::shell_quote(directory + "/bin/lab");
  const auto stopped =
      remote.exec("! test -x " + program + " || " + program + " agent --stop --dir " + remote::shell_quote(directory), {}, deadline);
  if (!stopped) {
    return stopped.error();
  }
  const Deadline patience = Clock::now() + kGrace;
  bool asked = false;
  while (true) {
    const auto load = look_at_processes(remote, directory, deadline);
    if (!load || load->processes.empty()) {
      return load ? Result<void>() : load.error();
    }
    if (Clock::now() >= deadline) {
      const HostProcess& first = load->processes.front();
      return Error{std::to_string(load->processes.size()) + " processes do not end, among them " + std::to_string(first.pid) + " (" +
                       first.title + ")",
                   "node " + node, "end them by hand, then run `lab down` again"};
    }
    const bool kill = Clock::now() >= patience;
    if (!asked || kill) {
      if (auto told = signal(remote, *load, kill, deadline); !told) {
        return told;
      }
      asked = true;
    }
  }
}

Result<void> remove_directory(remote::Remote& remote, const std::string& directory, const std::string& label, Deadline deadline) {
  const auto removed = run(remote, kRemove, arguments({directory, label}), "removing " + directory, deadline);
  return removed ? Result<void>() : removed.error();
}

}  // namespace lab::providers::ssh
