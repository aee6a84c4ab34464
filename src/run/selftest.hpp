// Effects of known size, put into a small lab and measured: whether what is measured on this host can be believed.
#pragma once

#include "bench.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lab::run {

struct SelfCheck {
  std::string name;             // "delay"
  std::string what;             // what was done
  std::string expected, found;  // with units
  enum class Outcome { held, missed, skipped, failed } outcome = Outcome::missed;
  std::string reason;  // of one that was skipped or failed
};

// The lab that they are made on, of provider local: nodes client, starved (a driver with few CPUs), gateway, pages, slow.
extern const char* const kSelfTestLab;

// Their names, in order. `synthetic` needs no lab.
std::vector<std::string> self_check_names();

// One of them; a name of the list above. An interrupt fails it.
SelfCheck self_check(Bench& bench, const std::string& name);

// How many of `comparisons` made-up pairs without an effect have an interval that leaves out 1: 5% are to.
double false_alarms(int comparisons, std::uint64_t seed);

}  // namespace lab::run
