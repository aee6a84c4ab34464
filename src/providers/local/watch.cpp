#include "providers/local/watch.hpp"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>
#include <array>

namespace lab::providers::local {

Watch::Watch(const std::filesystem::path& folder) : fd_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  inotify_add_watch(fd_.get(), folder.c_str(), IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO);
}

bool Watch::await_change(Deadline deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  pollfd entry{fd_.get(), POLLIN, 0};
  if (left <= 0 || poll(&entry, 1, static_cast<int>(left)) <= 0) {
    return false;
  }
  std::array<char, 4096> events;
  while (read(fd_.get(), events.data(), events.size()) > 0) {
  }
  return true;
}

}  // namespace lab::providers::local
