#include "report/times_text.hpp"

#include "report/host.hpp"
#include "report/text.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace lab::report {

bool has_times(const Run& run, const Cells& cells, bool latency) {
  return std::ranges::any_of(cells, [&](const CellResult* cell) { return run.times.at(cell->id).latency == latency; });
}

std::string times_title(const Run& run, const Cells& cells) {
  return !has_times(run, cells, true) ? "Service times" : has_times(run, cells, false) ? "Latency and service times" : "Latency";
}

std::string times_meaning(const Run& run, const Cells& cells) {
  std::vector<std::string> sentences;
  if (has_times(run, cells, false)) {
    sentences.emplace_back(
        "Service times are a closed loop’s, from the sending of a request to the end of its answer: no claim on latency.");
  }
  if (has_times(run, cells, true)) {
    sentences.emplace_back(
        "Latency counts from the instant at which a request was due at its fixed rate (an open loop), so that waiting is part of it.");
  }
  if (const double period = environment_number(run, "quota_period_us"); environment_text(run, "cpu_method") == "quota") {
    sentences.push_back("CPUs are limited by quota here: the long ones mirror its period" +
                        (period > 0 ? fmt::format(" of {} ms.", exact(period / 1000)) : std::string(".")));
  }
  return join(sentences, " ");
}

}  // namespace lab::report
