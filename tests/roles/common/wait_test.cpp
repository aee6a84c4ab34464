#include "lab/interrupt.hpp"
#include "net/socket.hpp"
#include "roles/common/role.hpp"

#include <sys/eventfd.h>
#include <catch2/catch.hpp>
#include <thread>

using namespace lab;

TEST_CASE("a wait ends with Ctrl-C, whichever thread the signal came to, and asks again when its descriptor can be read") {
  Interrupt interrupt;
  const net::Fd wake(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  std::thread other([&] { eventfd_write(wake.get(), 1); });
  int asked = 0;
  roles::wait_until(
      interrupt,
      [&] {
        eventfd_t count = 0;
        ++asked;
        return eventfd_read(wake.get(), &count) == 0;
      },
      wake.get());
  other.join();
  CHECK(asked <= 2);
  std::thread signalled([&] { interrupt.raise(); });
  roles::wait_until(
      interrupt, [] { return false; }, wake.get());
  signalled.join();
  CHECK(interrupt.requested());
}
