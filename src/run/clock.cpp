#include "clock.hpp"

#include "store/read.hpp"

#include <boost/json.hpp>
#include <cerrno>
#include <ctime>

namespace lab::run {

std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

void sleep_until_ns(std::int64_t instant) {
  const timespec at{instant / 1'000'000'000, instant % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) == EINTR) {
  }
}

Result<ClockOffset> measure_offset(Agents& agents, const std::string& node, int exchanges, const Now& now, Deadline deadline) {
  ClockOffset best;
  for (int i = 0; i < exchanges; ++i) {
    const std::int64_t sent = now();
    const auto answer = agents.call(node, "clock", {}, deadline);
    const std::int64_t received = now();
    if (!answer) {
      return answer.error();
    }
    if (!answer->is_object() || !answer->get_object().contains("monotonic_ns")) {
      return Error{"the agent's clock has no monotonic_ns",
                   "node " + node + ": clock",
                   "run `lab up` again: it replaces an agent of another build",
                   {}};
    }
    const std::int64_t half = (received - sent + 1) / 2;
    if (i == 0 || half < best.error_ns) {
      best = {store::integer_of(answer->get_object(), "monotonic_ns") - (sent + half), half};
    }
  }
  return best;
}

}  // namespace lab::run
