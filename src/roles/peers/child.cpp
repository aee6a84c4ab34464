#include "roles/peers/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <utility>

namespace lab::peers {

namespace {

constexpr std::size_t kOutput = std::size_t{64} << 10;

class Actions {
 public:
  Actions() { posix_spawn_file_actions_init(&actions_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  ~Actions() { posix_spawn_file_actions_destroy(&actions_); }
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

// Default signals, none blocked: what this process waits for by descriptors is not the child's.
class Attributes {
 public:
  Attributes() {
    posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

int milliseconds_until(Deadline deadline) {
  return static_cast<int>(std::max<std::int64_t>(0, std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count()));
}

}  // namespace

Result<Child> Child::start(const std::vector<std::string>& command, int out) {
  const auto program = find_program(command.front());
  if (!program) {
    return Error{command.front() + " is not installed here", {}, "apt-get install " + command.front(), {}};
  }
  Actions actions;
  posix_spawn_file_actions_addopen(actions.get(), 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(actions.get(), out, 1);
  posix_spawn_file_actions_addclosefrom_np(actions.get(), 3);
  const Attributes attributes;
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  pid_t pid = 0;
  if (const int failed = posix_spawn(&pid, program->c_str(), actions.get(), attributes.get(), arguments.data(), environ); failed != 0) {
    return system_error("start " + *program, failed);
  }
  return Child(pid, net::Fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))));
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), watch_(std::move(other.watch_)), exit_(std::exchange(other.exit_, 0)) {}

Child::~Child() {
  if (pid_ > 0 && !reap()) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
}

std::optional<int> Child::reap() {
  int status = 0;
  if (!exit_ && pid_ > 0 && waitpid(pid_, &status, WNOHANG) == pid_) {
    exit_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  return exit_;
}

void Child::signal(int number) const {
  if (pid_ > 0 && !exit_) {
    kill(pid_, number);
  }
}

void Child::stop(int number, Deadline deadline) {
  signal(number);
  while (!reap() && Clock::now() < deadline) {
    pollfd entry{ended(), POLLIN, 0};
    poll(&entry, 1, milliseconds_until(deadline));
  }
  if (!reap()) {
    signal(SIGKILL);
  }
}

std::optional<std::string> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    return access(name.c_str(), X_OK) == 0 ? std::optional(name) : std::nullopt;
  }
  const char* const path = std::getenv("PATH");
  std::istringstream folders((path == nullptr ? std::string() : std::string(path)) + ":/usr/sbin:/sbin:/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = folder + "/" + name;
    if (folder.starts_with('/') && access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return std::nullopt;
}

std::vector<std::string> dying_with_us(const std::string& signal, const std::vector<std::string>& command) {
  std::vector<std::string> words{"setpriv", "--pdeathsig", signal, "--"};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

std::string output_of(const std::vector<std::string>& command, Deadline deadline) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return {};
  }
  const net::Fd reading(ends[0]);
  net::Fd writing(ends[1]);
  auto child = Child::start(command, writing.get());
  writing.reset();
  if (!child) {
    return {};
  }
  std::string text;
  std::array<char, 4096> piece;
  pollfd entry{reading.get(), POLLIN, 0};
  while (text.size() < kOutput && poll(&entry, 1, milliseconds_until(deadline)) > 0) {
    const ssize_t got = read(reading.get(), piece.data(), piece.size());
    if (got <= 0) {
      child->stop(0, deadline);
      return child->reap() == 0 ? text : std::string();
    }
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return {};
}

}  // namespace lab::peers
