#include "roles/common/role.hpp"

#include "net/tls.hpp"

#include <poll.h>
#include <sys/types.h>
#include <unistd.h>
#include <array>
#include <boost/json/serialize.hpp>
#include <cerrno>

namespace lab::roles {

void tell_ready(int fd, const std::vector<std::string>& listen) { tell_ready(fd, listen, net::openssl_cpu_settings()); }

void tell_ready(int fd, const std::vector<std::string>& listen, const std::string& openssl_cpu) {
  if (fd < 0) {
    return;
  }
  boost::json::array addresses;
  for (const std::string& address : listen) {
    addresses.emplace_back(address);
  }
  const boost::json::object ready{{"listen", addresses}, {"openssl_cpu", openssl_cpu}, {"pid", getpid()}};
  const std::string line = boost::json::serialize(ready) + "\n";
  std::size_t sent = 0;
  while (sent < line.size()) {
    const ssize_t wrote = write(fd, line.data() + sent, line.size() - sent);
    if (wrote < 0 && errno != EINTR) {
      break;  // nobody waits any more
    }
    sent += wrote > 0 ? static_cast<std::size_t>(wrote) : 0;
  }
  close(fd);
}

void wait_until(const Interrupt& interrupt, const std::function<bool()>& done, int wake, int period_ms) {
  std::array<pollfd, 2> events{{{interrupt.fd(), POLLIN, 0}, {wake, POLLIN, 0}}};
  while (!interrupt.requested() && !done()) {
    poll(events.data(), events.size(), period_ms);
  }
}

}  // namespace lab::roles
