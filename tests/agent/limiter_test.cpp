#include "agent/limiter.hpp"

#include "agent_test.hpp"

#include <catch2/catch.hpp>
#include <csignal>
#include <thread>

using namespace std::chrono_literals;
using lab::Clock;
namespace agent = lab::agent;
namespace remote = lab::remote;

namespace {

class Spinner {  // a process that always wants a CPU
 public:
  Spinner() : process_(remote::start({{"sh", "-c", "while :; do :; done"}, {}, {}, {}}).value()) {}
  Spinner(const Spinner&) = delete;
  Spinner& operator=(const Spinner&) = delete;
  ~Spinner() {
    kill(-process_.pid, SIGKILL);
    static_cast<void>(remote::end_process_group(process_, 1s, Clock::now() + 5s));
    remote::reap(process_.pid);
  }
  int pid() const { return process_.pid; }
  // Returns once it has used so much CPU time more.
  void await_use(std::chrono::nanoseconds time) const {
    const std::int64_t target = agent::process_cpu_ns(pid()) + time.count();
    while (agent::process_cpu_ns(pid()) < target) {
      std::this_thread::yield();
    }
  }
  bool stopped() const {
    const std::string stat = lab::test::read_file("/proc/" + std::to_string(pid()) + "/stat");
    return stat.at(stat.rfind(')') + 2) == 'T';
  }

 private:
  remote::ProcessIdentity process_;
};

// CPUs used while 300 ms of CPU time were.
double use_of(const Spinner& spinner) {
  const auto begin = Clock::now();
  const std::int64_t before = agent::process_cpu_ns(spinner.pid());
  spinner.await_use(300ms);
  const auto used = static_cast<double>(agent::process_cpu_ns(spinner.pid()) - before);
  return used / static_cast<double>(std::chrono::nanoseconds(Clock::now() - begin).count());
}

}  // namespace

TEST_CASE("a process that wants more is held to its share") {
  const Spinner spinner;
  agent::Limiter limiter;
  limiter.watch(spinner.pid());
  limiter.limit(0.2);
  spinner.await_use(20ms);
  CHECK(use_of(spinner) < 0.2 * 1.03);  // less where others want the CPU too
}

TEST_CASE("several processes share one limit") {
  const Spinner first;
  const Spinner second;
  agent::Limiter limiter;
  limiter.watch(first.pid());
  limiter.watch(second.pid());
  limiter.limit(0.2);
  first.await_use(20ms);
  const auto begin = Clock::now();
  const std::int64_t before = agent::process_cpu_ns(first.pid()) + agent::process_cpu_ns(second.pid());
  first.await_use(100ms);
  const auto used = static_cast<double>(agent::process_cpu_ns(first.pid()) + agent::process_cpu_ns(second.pid()) - before);
  CHECK(used / static_cast<double>(std::chrono::nanoseconds(Clock::now() - begin).count()) < 0.2 * 1.03);
}

TEST_CASE("nothing stays stopped: not without a limit, not when unwatched, not at the end") {
  const Spinner spinner;
  {
    agent::Limiter limiter;
    limiter.watch(spinner.pid());
    limiter.limit(0.001);
    while (!spinner.stopped()) {
      std::this_thread::yield();
    }
    SECTION("the limit is taken away") {
      limiter.release();
      spinner.await_use(20ms);
    }
    SECTION("it is no longer watched") {
      limiter.unwatch(spinner.pid());
      spinner.await_use(20ms);
    }
    SECTION("the limiter ends") {}
  }
  spinner.await_use(20ms);
}

TEST_CASE("a process that is gone has no clock") {
  int pid = 0;
  {
    const Spinner spinner;
    pid = spinner.pid();
    spinner.await_use(1ms);
    CHECK(agent::process_cpu_ns(pid) > 0);
  }
  CHECK(agent::process_cpu_ns(pid) < 0);
}
