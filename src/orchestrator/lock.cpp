#include "orchestrator/lock.hpp"

#include "remote/descriptor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <fstream>

namespace lab::orchestrator {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

struct Holder {
  int pid = 0;
  std::string command = "another command";

  std::string text() const { return "`" + command + "`" + (pid > 0 ? " (process " + std::to_string(pid) + ")" : ""); }
};

Holder read_holder(const fs::path& folder) {
  Holder holder;
  std::string command;
  std::ifstream file(folder / kHolderFile);
  if (file >> holder.pid && file.get() == ' ' && std::getline(file, command) && !command.empty()) {
    holder.command = command;
  }
  return holder;
}

// Until the holder is gone, or a little while: it may as well let go and live on.
void await_end(const Holder& holder, Deadline deadline) {
  constexpr auto kLookAgain = 50ms;
  const remote::Descriptor watched(holder.pid > 0 ? static_cast<int>(syscall(SYS_pidfd_open, holder.pid, 0)) : -1);
  const auto left =
      std::clamp<std::chrono::milliseconds>(std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()), 0ms, kLookAgain);
  pollfd entry{watched.get(), POLLIN, 0};
  poll(&entry, watched.open() ? 1 : 0, static_cast<int>(left.count()));
}

// `lab down` removes the folder while it holds the lock: what was waited for may be gone.
bool still_there(int fd, const fs::path& folder) {
  struct stat held {
  }, now{};
  return fstat(fd, &held) == 0 && stat(folder.c_str(), &now) == 0 && held.st_ino == now.st_ino && held.st_dev == now.st_dev;
}

Error busy(const fs::path& folder, const Holder& holder) {
  const std::string remedy = holder.pid > 0 ? "wait for it, or end it: kill -INT " + std::to_string(holder.pid) : "wait for it";
  return Error{"lab " + folder.filename().string() + " is in the hands of " + holder.text(), "", remedy};
}

}  // namespace

Result<std::unique_ptr<Lock>> Lock::take(const fs::path& folder, const std::string& command, const Waiting& waiting,
                                         const Interrupt& interrupt, Deadline deadline) {
  bool told = false;
  while (true) {
    std::error_code failed;
    fs::create_directories(folder, failed);
    remote::Descriptor opened(failed ? -1 : open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!opened.open()) {
      return system_error("open " + folder.string(), failed ? failed.value() : errno, "make its parent writable, or set XDG_STATE_HOME");
    }
    if (flock(opened.get(), LOCK_EX | LOCK_NB) == 0) {
      if (!still_there(opened.get(), folder)) {
        continue;
      }
      std::ofstream(folder / kHolderFile) << getpid() << " " << command << "\n";
      return std::unique_ptr<Lock>(new Lock(std::move(opened), folder));
    }
    if (errno != EWOULDBLOCK) {
      return system_error("lock " + folder.string(), errno);
    }
    const Holder holder = read_holder(folder);
    if (holder.command.starts_with("lab run") || Clock::now() >= deadline) {
      return busy(folder, holder);
    }
    if (interrupt.requested()) {
      return Error{"interrupted while waiting for " + holder.text(), "lab " + folder.filename().string(), "", "", Failure::interrupted};
    }
    if (!std::exchange(told, true) && waiting) {
      waiting(holder.text());
    }
    await_end(holder, deadline);
  }
}

Lock::~Lock() {
  if (still_there(fd_.get(), folder_)) {
    std::error_code ignored;
    fs::remove(folder_ / kHolderFile, ignored);
  }
}

}  // namespace lab::orchestrator
