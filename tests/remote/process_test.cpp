#include "remote/process.hpp"

#include <unistd.h>
#include <catch2/catch.hpp>
#include <csignal>

using namespace std::chrono_literals;
using lab::Clock;
namespace remote = lab::remote;

TEST_CASE("a program's output and exit code come back") {
  const auto done = remote::run({"sh", "-c", "echo out; echo err >&2; exit 3"}, {}, Clock::now() + 10s);
  REQUIRE(done.has_value());
  CHECK(done->exit == 3);
  CHECK(done->out == "out\n");
  CHECK(done->err == "err\n");
}

TEST_CASE("a program ended by a signal exits with 128 and the signal") {
  const auto done = remote::run({"sh", "-c", "kill -9 $$"}, {}, Clock::now() + 10s);
  REQUIRE(done.has_value());
  CHECK(done->exit == 128 + 9);
}

TEST_CASE("a program's environment is ours, with additions and replacements") {
  setenv("LAB_TEST_KEPT", "kept", 1);
  setenv("LAB_TEST_REPLACED", "old", 1);
  const auto done = remote::run({"sh", "-c", "echo $LAB_TEST_KEPT $LAB_TEST_REPLACED $LAB_TEST_ADDED"},
                                {{"LAB_TEST_REPLACED", "new"}, {"LAB_TEST_ADDED", "added"}}, Clock::now() + 10s);
  REQUIRE(done.has_value());
  CHECK(done->out == "kept new added\n");
}

TEST_CASE("output beyond the bound is dropped and the program still ends") {
  const auto done = remote::run({"sh", "-c", "head -c 3000000 /dev/zero"}, {}, Clock::now() + 10s);
  REQUIRE(done.has_value());
  CHECK(done->exit == 0);
  CHECK(done->out.size() == std::size_t{1} << 20);
}

TEST_CASE("a program that does not end by the deadline is killed with its group") {
  const auto begin = Clock::now();
  const auto done = remote::run({"sh", "-c", "sleep 100 & echo $! >&2; wait"}, {}, begin + 300ms);
  REQUIRE(done.has_error());
  CHECK(done.error().what == "sh did not end in time");
  CHECK(Clock::now() - begin < 10s);
  const auto sleeper = remote::identify(std::stoi(done.error().detail));
  if (sleeper) {  // killed, perhaps not yet gone
    CHECK(remote::end_process_group(*sleeper, 0ns, Clock::now() + 5s).has_value());
    CHECK_FALSE(remote::is_running(*sleeper));
  }
}

TEST_CASE("a background process that keeps the output open is not waited for") {
  const auto done = remote::run({"sh", "-c", "sleep 5 & echo $!"}, {}, Clock::now() + 4s);
  REQUIRE(done.has_value());
  kill(std::stoi(done->out), SIGKILL);
}

TEST_CASE("a program that is not there is an error that says so") {
  const auto done = remote::run({"no-such-program-at-all"}, {}, Clock::now() + 10s);
  REQUIRE(done.has_error());
  CHECK(done.error().what == "program no-such-program-at-all not found");
}

TEST_CASE("programs of the system's administrator are found without PATH") {
  CHECK(remote::find_program("sh"));
  CHECK(remote::find_program("ldconfig"));
  CHECK_FALSE(remote::find_program("no-such-program-at-all"));
}

TEST_CASE("a started process leads a group of its own and is ended by its identity") {
  const auto child = remote::start({{"sleep", "100"}, {}, {}, {}});
  REQUIRE(child.has_value());
  CHECK(getpgid(child->pid) == child->pid);
  CHECK(remote::is_running(*child));
  CHECK_FALSE(remote::is_running({child->pid, child->start_ticks + 1}));

  SECTION("the wrong start time touches nothing") {
    CHECK(remote::end_process_group({child->pid, child->start_ticks + 1}, 1s, Clock::now() + 5s).has_value());
    CHECK(remote::is_running(*child));
  }
  SECTION("a stopped one ends as well") { kill(child->pid, SIGSTOP); }

  CHECK(remote::end_process_group(*child, 5s, Clock::now() + 10s).has_value());
  CHECK_FALSE(remote::is_running(*child));
  const auto ended = remote::reap(child->pid);
  REQUIRE(ended);
  CHECK(ended->exit == 128 + SIGTERM);
  CHECK(remote::end_process_group(*child, 1s, Clock::now() + 5s).has_value());
}

TEST_CASE("a process that ignores SIGTERM is killed once its grace is over") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const auto child = remote::start({{"sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done"}, {}, {}, {{1, ends[1]}}});
  close(ends[1]);
  REQUIRE(child.has_value());
  char ready[6];
  REQUIRE(read(ends[0], ready, sizeof ready) == 6);
  CHECK(remote::end_process_group(*child, 50ms, Clock::now() + 10s).has_value());
  CHECK_FALSE(remote::is_running(*child));
  close(ends[0]);
  CHECK(remote::reap(child->pid)->exit == 128 + SIGKILL);
}

TEST_CASE("descriptors arrive under the numbers given, in the folder given") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const auto child = remote::start({{"sh", "-c", "pwd >&3; ls /proc/self/fd | wc -l >&3"}, {}, "/usr", {{3, ends[1]}}});
  close(ends[1]);
  REQUIRE(child.has_value());
  std::string text;
  char buffer[64];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  CHECK(text == "/usr\n5\n");  // 0 to 3, and the one that ls reads with
  CHECK(remote::end_process_group(*child, 1s, Clock::now() + 5s).has_value());
  remote::reap(child->pid);
}
