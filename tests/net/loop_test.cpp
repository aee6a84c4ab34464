#include "net/loop.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <catch2/catch.hpp>
#include <thread>

using namespace lab::net;

namespace {

constexpr Nanos kMs = 1'000'000;

struct Recorder final : Watcher {
  std::function<void(std::uint32_t)> then;
  void on_events(std::uint32_t events) override { then(events); }
};

}  // namespace

TEST_CASE("timers fire in the order of their instants") {
  Loop loop;
  std::string order;
  Timer late(loop, [&] {
    order += 'b';
    loop.stop();
  });
  Timer early(loop, [&] { order += 'a'; });
  late.arm(4 * kMs);
  early.arm(2 * kMs);
  loop.run();
  CHECK(order == "ab");
}

TEST_CASE("a timer armed again fires once, at the later instant") {
  Loop loop;
  int fired = 0;
  const Nanos start = monotonic_now();
  Nanos at = 0;
  Timer timer(loop, [&] {
    ++fired;
    at = monotonic_now();
  });
  Timer end(loop, [&] { loop.stop(); });
  timer.arm(1 * kMs);
  timer.arm(10 * kMs);
  end.arm(20 * kMs);
  loop.run();
  CHECK(fired == 1);
  CHECK(at - start >= 10 * kMs);
}

TEST_CASE("a timer armed to an earlier instant fires once, at that one") {
  Loop loop;
  int fired = 0;
  Timer timer(loop, [&] { ++fired; });
  Timer end(loop, [&] { loop.stop(); });
  timer.arm(10 * kMs);
  timer.arm(1 * kMs);
  end.arm(15 * kMs);
  loop.run();
  CHECK(fired == 1);
}

TEST_CASE("a cancelled timer and a destroyed one do not fire") {
  Loop loop;
  int fired = 0;
  Timer cancelled(loop, [&] { ++fired; });
  cancelled.arm(1 * kMs);
  cancelled.cancel();
  {
    Timer destroyed(loop, [&] { ++fired; });
    destroyed.arm(1 * kMs);
  }
  Timer end(loop, [&] { loop.stop(); });
  end.arm(5 * kMs);
  loop.run();
  CHECK(fired == 0);
}

TEST_CASE("what another thread posts runs on the loop's thread") {
  Loop loop;
  std::thread::id ran_on;
  std::thread other([&] {
    loop.post([&] {
      ran_on = std::this_thread::get_id();
      loop.stop();
    });
  });
  loop.run();
  other.join();
  CHECK(ran_on == std::this_thread::get_id());
}

TEST_CASE("no event reaches a watcher after unwatch, nor after forget and a close, even one of the same batch") {
  const bool forgotten = GENERATE(false, true);
  int a[2], b[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, a) == 0);
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, b) == 0);
  Loop loop;
  Recorder first, second;
  int calls = 0;
  const auto only_one = [&](int other_fd, Recorder& other) {
    return [&, other_fd](std::uint32_t) {
      ++calls;
      if (forgotten) {
        loop.forget(other);
        close(other_fd);
      } else {
        loop.unwatch(other_fd, other);
      }
      loop.post([&] { loop.stop(); });
    };
  };
  first.then = only_one(b[0], second);
  second.then = only_one(a[0], first);
  loop.watch(a[0], first);
  loop.watch(b[0], second);  // both are writable: one batch
  loop.run();
  CHECK(calls == 1);
  for (const int fd : {a[0], a[1], b[0], b[1]}) {
    close(fd);  // one of them perhaps again
  }
}

TEST_CASE("deferred work runs after the batch and keeps the loop awake") {
  Loop loop;
  int turns = 0;
  std::function<void()> again = [&] { ++turns == 3 ? loop.stop() : loop.defer(again); };
  loop.defer(again);
  loop.run();
  CHECK(turns == 3);
}

TEST_CASE("a call from another thread returns when it has been done, and at once after the loop's end") {
  Loop loop;
  std::thread::id ran_on;
  std::thread thread([&] { loop.run(); });
  const std::thread::id expected = thread.get_id();
  loop.call([&] { ran_on = std::this_thread::get_id(); });
  CHECK(ran_on == expected);
  loop.stop();
  thread.join();
  bool ran = false;
  loop.call([&] { ran = true; });
  CHECK_FALSE(ran);
}

TEST_CASE("a loop that spins keeps its timers and says what CPU time went into looking") {
  Loop loop;
  loop.spin();
  Timer timer(loop, [&loop] { loop.stop(); });
  const Nanos due = monotonic_now() + 20'000'000;
  timer.arm_at(due);
  loop.run();
  CHECK(monotonic_now() >= due);
  CHECK(loop.spun() > 0);
  CHECK(loop.spun() <= thread_cpu_now());
}
