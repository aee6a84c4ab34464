#include "providers/local/processes.hpp"

#include "remote/descriptor.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <charconv>
#include <csignal>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

namespace lab::providers::local {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr int kInit = 1;  // of a container, perhaps: no lab's, whatever it is called
constexpr std::size_t kReadLimit = std::size_t{256} << 10;

struct Process {
  int pid = 0, parent = 0;
  std::string name;  // comm, 15 characters at most
  std::string node;  // whose it is; empty: not known (yet)
};

std::string read_proc(int pid, const char* file) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/" + file, std::ios::binary);
  std::string text(kReadLimit, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

std::vector<int> all_pids() {
  std::vector<int> pids;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename().string();
    int pid = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (parsed.ec == std::errc{} && parsed.ptr == name.data() + name.size() && pid != kInit && pid != getpid()) {
      pids.push_back(pid);
    }
  }
  return pids;
}

std::optional<Process> read_process(int pid) {
  const std::string stat = read_proc(pid, "stat");
  const auto open = stat.find('('), close = stat.rfind(')');
  if (open == std::string::npos || close == std::string::npos) {
    return std::nullopt;
  }
  Process process{pid, 0, stat.substr(open + 1, close - open - 1), {}};
  std::istringstream fields(stat.substr(close + 1));
  std::string state;
  fields >> state >> process.parent;
  return process;
}

// What follows `prefix` in `text`, up to `end`; nothing when it is not a plain name.
std::optional<std::string> name_after(const std::string& text, const std::string& prefix, const std::string& end) {
  const auto at = text.find(prefix);
  if (at == std::string::npos) {
    return std::nullopt;
  }
  const auto start = at + prefix.size();
  const auto stop = text.find(end, start);
  const std::string name = stop == std::string::npos ? std::string() : text.substr(start, stop - start);
  return name.empty() || name.find('/') != std::string::npos ? std::nullopt : std::optional(name);
}

std::string node_of(const Process& process, const fs::path& nodes) {
  const std::string folder = nodes.string() + "/";
  const std::string environment = std::string(1, '\0') + read_proc(process.pid, "environ") + std::string(1, '\0');
  const std::string label = std::string(1, '\0') + kLabel + "=" + folder;
  if (const auto node = name_after(environment, label, std::string(1, '\0'))) {
    return *node;
  }
  if (!process.name.starts_with("sshd")) {
    return {};  // an editor may have the file open
  }
  return name_after(read_proc(process.pid, "cmdline"), folder, "/ssh/sshd_config").value_or("");
}

// A child belongs where its parent does: so do sessions of a node's sshd. Never the other way: what has been orphaned has a parent
// that is nobody's, and may be the init of a container.
void join_families(std::vector<Process>& all) {
  std::map<int, const Process*> by_pid;
  for (const Process& process : all) {
    by_pid[process.pid] = &process;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (Process& process : all) {
      const auto parent = by_pid.find(process.parent);
      if (process.node.empty() && parent != by_pid.end() && !parent->second->node.empty()) {
        process.node = parent->second->node;
        changed = true;
      }
    }
  }
}

std::string title_of(int pid) {
  constexpr std::size_t kTitleLimit = 120;
  std::string title = read_proc(pid, "cmdline");
  while (!title.empty() && (title.back() == '\0' || title.back() == ' ')) {
    title.pop_back();
  }
  std::replace(title.begin(), title.end(), '\0', ' ');
  return title.size() <= kTitleLimit ? title : title.substr(0, kTitleLimit) + "…";
}

// A process held by a descriptor that no other process can come to stand for, where the kernel has those (5.3).
class Held {
 public:
  explicit Held(const NodeProcess& process)
      : identity_(process.identity), fd_(static_cast<int>(syscall(SYS_pidfd_open, process.identity.pid, 0))) {}

  bool running() const { return remote::is_running(identity_); }
  void signal(int number) const {
    if (!running()) {
      return;
    }
    if (fd_.open()) {
      syscall(SYS_pidfd_send_signal, fd_.get(), number, nullptr, 0);
    } else {
      kill(identity_.pid, number);
    }
  }
  void await_end(Deadline deadline) const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd entry{fd_.get(), POLLIN, 0};
    poll(&entry, fd_.open() ? 1 : 0, static_cast<int>(std::clamp<std::chrono::milliseconds>(left, 0ms, fd_.open() ? 1000ms : 2ms).count()));
  }

 private:
  remote::ProcessIdentity identity_;
  remote::Descriptor fd_;
};

void end_once(const std::vector<NodeProcess>& targets, int signal, Deadline until) {
  std::vector<Held> held;
  held.reserve(targets.size());
  for (const NodeProcess& target : targets) {
    held.emplace_back(target);
  }
  for (const Held& process : held) {
    process.signal(signal);
    process.signal(SIGCONT);  // a stopped process ends only once it runs
  }
  for (const Held& process : held) {
    while (process.running() && Clock::now() < until) {
      process.await_end(until);
    }
  }
}

}  // namespace

std::vector<NodeProcess> find_processes(const fs::path& nodes) {
  std::vector<Process> all;
  for (const int pid : all_pids()) {
    if (auto process = read_process(pid)) {
      process->node = node_of(*process, nodes);
      all.push_back(std::move(*process));
    }
  }
  join_families(all);
  std::vector<NodeProcess> found;
  for (const Process& process : all) {
    const auto identity = process.node.empty() ? std::nullopt : remote::identify(process.pid);
    if (identity) {
      found.push_back({*identity, process.node, title_of(process.pid)});
    }
  }
  return found;
}

std::vector<NodeProcess> processes_in(const fs::path& procs, const std::string& node) {
  std::vector<NodeProcess> found;
  std::ifstream file(procs);
  for (int pid = 0; file >> pid;) {
    const auto identity = pid == getpid() ? std::nullopt : remote::identify(pid);
    if (identity) {
      found.push_back({*identity, node, title_of(pid)});
    }
  }
  return found;
}

Result<void> end_all(const std::function<std::vector<NodeProcess>()>& find, std::chrono::nanoseconds grace, Deadline deadline) {
  const Deadline patience = std::min(deadline, Clock::now() + grace);
  auto left = find();
  while (!left.empty()) {
    const bool gently = Clock::now() < patience;
    if (!gently && Clock::now() >= deadline) {
      std::string detail;
      for (const NodeProcess& process : left) {
        detail += "process " + std::to_string(process.identity.pid) + ": " + process.title + "\n";
      }
      return Error{"processes do not end", "node " + left.front().node, "look at their state in /proc; a D there waits for a disk", detail};
    }
    end_once(left, gently ? SIGTERM : SIGKILL, gently ? patience : deadline);
    left = find();
  }
  return {};
}

std::uint64_t cpu_time_us(const std::vector<NodeProcess>& processes) {
  static const auto ticks_per_second = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  std::uint64_t ticks = 0;
  for (const NodeProcess& process : processes) {
    const std::string stat = read_proc(process.identity.pid, "stat");
    std::istringstream fields(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
    std::string skipped;
    for (int number = 3; number < 14; ++number) {
      fields >> skipped;
    }
    std::uint64_t user = 0, system = 0;  // fields 14 and 15, proc(5)
    fields >> user >> system;
    ticks += user + system;
  }
  return ticks * 1'000'000 / ticks_per_second;
}

}  // namespace lab::providers::local
