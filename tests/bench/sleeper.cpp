// The host's own share in a driver's lateness: how late a thread wakes that only sleeps until instants at equal gaps.
// usage: bench_sleeper RATE SECONDS: prints the 99th percentile, µs.
#include "net/loop.hpp"

#include <sys/prctl.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: bench_sleeper RATE SECONDS\n");
    return 2;
  }
  prctl(PR_SET_TIMERSLACK, 1UL);
  const auto gap = static_cast<lab::net::Nanos>(1e9 / std::atof(argv[1]));
  const auto number = static_cast<std::size_t>(std::atof(argv[2]) * std::atof(argv[1]));
  std::vector<lab::net::Nanos> late;
  lab::net::Nanos due = lab::net::monotonic_now();
  while (late.size() < number) {
    due += gap;
    const timespec until{due / 1'000'000'000, due % 1'000'000'000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
    }
    late.push_back(lab::net::monotonic_now() - due);
  }
  const auto p99 = late.begin() + static_cast<std::ptrdiff_t>(number * 99 / 100);
  std::nth_element(late.begin(), p99, late.end());
  std::printf("%.1f\n", static_cast<double>(*p99) / 1e3);
}
