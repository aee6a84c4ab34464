#include "roles/common/role.hpp"

#include "net/tls.hpp"

#include <poll.h>
#include <sys/types.h>
#include <unistd.h>
#include <array>
#include <boost/json/serialize.hpp>
#include <cerrno>

namespace lab::roles {

namespace {

using Words = std::vector<std::string>;

void tell(int fd, const Words& listen, const std::string& openssl_cpu, const Words& openssl_providers) {
  if (fd < 0) {
    return;
  }
  const auto array = [](const Words& words) { return boost::json::array(words.begin(), words.end()); };
  const boost::json::object ready{
      {"listen", array(listen)}, {"openssl_cpu", openssl_cpu}, {"openssl_providers", array(openssl_providers)}, {"pid", getpid()}};
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

}  // namespace

void tell_ready(int fd, const Words& listen) { tell(fd, listen, net::openssl_cpu_settings(), net::openssl_providers()); }

void tell_ready(int fd, const Words& listen, const std::string& openssl_cpu) { tell(fd, listen, openssl_cpu, {}); }

void wait_until(const Interrupt& interrupt, const std::function<bool()>& done, int wake, int period_ms) {
  std::array<pollfd, 2> events{{{interrupt.fd(), POLLIN, 0}, {wake, POLLIN, 0}}};
  while (!interrupt.requested() && !done()) {
    poll(events.data(), events.size(), period_ms);
  }
}

}  // namespace lab::roles
