#include "agent/daemon.hpp"

#include "agent/unix_socket.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <array>
#include <cerrno>

namespace lab::agent {
namespace {

// One direction: bytes that were read and not yet written.
struct Flow {
  int from, to;
  std::array<char, 65536> buffer{};
  std::size_t begin = 0, end = 0;
  bool at_end = false;

  bool empty() const { return begin == end; }
  bool finished() const { return at_end && empty(); }

  // False: the other side of `to` is gone.
  bool move() {
    if (empty() && !at_end) {
      const ssize_t got = read(from, buffer.data(), buffer.size());
      begin = 0;
      end = got > 0 ? static_cast<std::size_t>(got) : 0;
      at_end = got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
    }
    if (!empty()) {
      const ssize_t wrote = write(to, buffer.data() + begin, end - begin);
      if (wrote < 0 && errno != EAGAIN && errno != EINTR) {
        return false;
      }
      begin += wrote > 0 ? static_cast<std::size_t>(wrote) : 0;
    }
    return true;
  }
};

void set_nonblocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

}  // namespace

Result<void> attach(const std::string& socket, int in, int out) {
  const auto agent = connect_unix(socket);
  if (!agent) {
    Error error = agent.error();
    error.remedy = "no agent answers there; `lab up` starts it";
    return error;
  }
  set_nonblocking(in);
  set_nonblocking(out);
  Flow to_agent{in, agent->get()};
  Flow from_agent{agent->get(), out};
  bool told_end = false;
  while (!from_agent.finished()) {
    if (!to_agent.move() || !from_agent.move()) {
      break;
    }
    if (to_agent.finished() && !told_end) {
      shutdown(agent->get(), SHUT_WR);
      told_end = true;
    }
    // A descriptor below zero is not looked at.
    std::array<pollfd, 3> entries{
        {{to_agent.empty() && !to_agent.at_end ? in : -1, POLLIN, 0},
         {from_agent.empty() ? -1 : out, POLLOUT, 0},
         {agent->get(), static_cast<short>((from_agent.empty() ? POLLIN : 0) | (to_agent.empty() ? 0 : POLLOUT)), 0}}};
    if (poll(entries.data(), entries.size(), -1) < 0) {
      break;  // asked to end by a signal
    }
  }
  return {};
}

}  // namespace lab::agent
