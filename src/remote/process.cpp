#include "remote/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace lab::remote {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kOutputLimit = std::size_t{1} << 20;
constexpr int kHighDescriptor = 64;  // above every number that a child is given

int milliseconds_until(Deadline deadline, std::chrono::milliseconds at_most) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  return static_cast<int>(std::clamp<std::chrono::milliseconds>(left, 0ms, at_most).count());
}

// Waits for the process to end; on kernels that cannot tell, a short while.
void await_end(const Descriptor& watched, Deadline deadline) {
  pollfd entry{watched.get(), POLLIN, 0};
  poll(&entry, watched.open() ? 1 : 0, milliseconds_until(deadline, watched.open() ? 1000ms : 2ms));
}

bool gone_by(const ProcessIdentity& process, const Descriptor& watched, Deadline deadline) {
  while (is_running(process)) {
    if (Clock::now() >= deadline) {
      return false;
    }
    await_end(watched, deadline);
  }
  return true;
}

class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

class SpawnAttributes {
 public:
  SpawnAttributes() {
    posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  ~SpawnAttributes() { posix_spawnattr_destroy(&attributes_); }
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!added.contains(text.substr(0, text.find('=')))) {
      all.push_back(text);
    }
  }
  for (const auto& [name, value] : added) {
    all.push_back(name + "=" + value);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) {
    all.push_back(word.data());
  }
  all.push_back(nullptr);
  return all;
}

// What the child's descriptors are made from, moved out of the way of the numbers that it gets.
Result<std::map<int, Descriptor>> gather(const std::map<int, int>& given) {
  std::map<int, Descriptor> sources;
  for (const auto& [target, fd] : given) {
    sources[target].reset(fcntl(fd, F_DUPFD_CLOEXEC, kHighDescriptor));
    if (!sources[target].open()) {
      return system_error("duplicate descriptor " + std::to_string(fd), errno);
    }
  }
  return sources;
}

void arrange(FileActions& actions, const std::map<int, Descriptor>& sources) {
  for (int standard = 0; standard <= 2; ++standard) {
    if (!sources.contains(standard)) {
      posix_spawn_file_actions_addopen(actions.get(), standard, "/dev/null", O_RDWR, 0);
    }
  }
  int highest = 2;
  for (const auto& [target, source] : sources) {
    posix_spawn_file_actions_adddup2(actions.get(), source.get(), target);
    highest = std::max(highest, target);
  }
  posix_spawn_file_actions_addclosefrom_np(actions.get(), highest + 1);
}

int exit_code(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

std::uint64_t microseconds(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(time.tv_usec);
}

struct Pipe {
  Descriptor read, write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return system_error("make a pipe", errno);
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return Pipe{Descriptor{ends[0]}, Descriptor{ends[1]}};
}

// Takes what is there; closes at the end.
void drain(Descriptor& from, std::string& into) {
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
    if (got > 0) {
      into.append(buffer.data(), std::min(static_cast<std::size_t>(got), kOutputLimit - into.size()));
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      return from.reset();
    } else if (errno == EAGAIN) {
      return;
    }
  }
}

}  // namespace

std::optional<ProcessIdentity> identify(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  if (pid <= 0 || !std::getline(file, text, '\0')) {
    return std::nullopt;
  }
  const auto name_end = text.rfind(')');  // the name may hold anything
  if (name_end == std::string::npos) {
    return std::nullopt;
  }
  std::istringstream fields(text.substr(name_end + 1));
  std::string field;
  fields >> field;
  if (field == "Z" || field == "X") {
    return std::nullopt;
  }
  for (int number = 4; number <= 22; ++number) {
    fields >> field;
  }
  return ProcessIdentity{pid, std::strtoull(field.c_str(), nullptr, 10)};
}

Descriptor watch_end(int pid) { return Descriptor{static_cast<int>(syscall(SYS_pidfd_open, pid, 0))}; }

bool is_running(const ProcessIdentity& process) { return identify(process.pid) == process; }

Result<void> end_process_group(const ProcessIdentity& process, std::chrono::nanoseconds grace, Deadline deadline) {
  const Descriptor watched = watch_end(process.pid);
  if (!is_running(process)) {
    return {};
  }
  kill(-process.pid, SIGTERM);
  kill(-process.pid, SIGCONT);  // a stopped process ends only once it runs
  const bool ended = gone_by(process, watched, std::min(deadline, Clock::now() + grace));
  kill(-process.pid, SIGKILL);  // and whatever of its group is left
  if (!ended && !gone_by(process, watched, std::max(deadline, Clock::now() + 100ms))) {
    return Error{
        "process " + std::to_string(process.pid) + " does not end", {}, "look at its state in /proc; a D there waits for a disk", {}};
  }
  return {};
}

Result<ProcessIdentity> start(const Command& command) {
  const auto program = command.arguments.empty() ? std::nullopt : find_program(command.arguments.front());
  if (!program) {
    const std::string name = command.arguments.empty() ? "(none)" : command.arguments.front();
    return Error{"program " + name + " not found", {}, "install it, or put it on PATH", {}};
  }
  auto sources = gather(command.descriptors);
  if (!sources) {
    return sources.error();
  }
  FileActions actions;
  if (!command.directory.empty()) {
    posix_spawn_file_actions_addchdir_np(actions.get(), command.directory.c_str());
  }
  arrange(actions, *sources);
  const SpawnAttributes attributes;
  std::vector<std::string> arguments = command.arguments;
  std::vector<std::string> environment = merged_environment(command.environment);
  int pid = 0;
  const int failure =
      posix_spawn(&pid, program->c_str(), actions.get(), attributes.get(), pointers(arguments).data(), pointers(environment).data());
  if (failure != 0) {
    return system_error("start " + *program, failure);
  }
  // One that ended at once is a zombie still: it keeps its pid until it is reaped.
  return identify(pid).value_or(ProcessIdentity{pid, 0});
}

std::optional<Ended> reap(int pid) {
  int status = 0;
  rusage usage{};
  if (wait4(pid, &status, WNOHANG, &usage) != pid) {
    return std::nullopt;
  }
  return Ended{exit_code(status), microseconds(usage.ru_utime) + microseconds(usage.ru_stime)};
}

Result<Finished> run(const std::vector<std::string>& arguments, const std::map<std::string, std::string>& environment, Deadline deadline) {
  auto out = make_pipe();
  auto err = make_pipe();
  if (!out || !err) {
    return (out ? err : out).error();
  }
  const auto child = start({arguments, environment, {}, {{1, out->write.get()}, {2, err->write.get()}}});
  if (!child) {
    return child.error();
  }
  out->write.reset();
  err->write.reset();
  const Descriptor watched = watch_end(child->pid);
  Finished finished;
  while (true) {
    const auto ended = reap(child->pid);  // before the pipes are drained: nothing is written to them after the end
    drain(out->read, finished.out);
    drain(err->read, finished.err);
    if (ended) {
      finished.exit = ended->exit;
      return finished;
    }
    if (Clock::now() >= deadline) {
      kill(-child->pid, SIGKILL);
      waitpid(child->pid, nullptr, 0);
      return Error{arguments.front() + " did not end in time", {}, {}, finished.err};
    }
    std::array<pollfd, 3> entries{{{out->read.get(), POLLIN, 0}, {err->read.get(), POLLIN, 0}, {watched.get(), POLLIN, 0}}};
    poll(entries.data(), entries.size(), milliseconds_until(deadline, watched.open() ? 1000ms : 2ms));
  }
}

std::optional<std::string> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    return access(name.c_str(), X_OK) == 0 ? std::optional(name) : std::nullopt;
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders((path != nullptr ? std::string(path) : "/usr/local/bin:/usr/bin:/bin") + ":/usr/sbin:/sbin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = folder + "/" + name;
    if (!folder.empty() && access(candidate.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(candidate)) {
      return candidate;
    }
  }
  return std::nullopt;
}

}  // namespace lab::remote
