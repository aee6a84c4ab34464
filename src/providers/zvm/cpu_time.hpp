// CPU time of guests and of what carries them, from outside (Feilong) and from inside, and whether both agree.
#pragma once

#include "providers/provider.hpp"
#include "providers/zvm/cpus.hpp"
#include "providers/zvm/feilong.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace lab::providers::zvm {

// From /info, which is live; /guests/stats is up to 300 s old.
class GuestTimes {
 public:
  // Since the guest was logged on, µs.
  Result<std::uint64_t> now(Feilong& feilong, const std::string& userid, Deadline deadline);
  // As of a second ago at most, so that a sum over all guests is not asked for once a guest; 0 where it cannot be had.
  std::uint64_t recent(Feilong& feilong, const std::string& userid, Deadline deadline);

 private:
  struct Reading {
    Deadline at;
    std::uint64_t us = 0;
  };
  std::mutex mutex_;
  std::map<std::string, Reading> readings_;  // by user id
};

struct Views {
  std::uint64_t outside_us = 0;            // what z/VM gave the guest since it was logged on
  std::optional<std::uint64_t> inside_us;  // what Linux there has used since it started; less, as z/VM works for it too
};
// What does not add up, for people; empty: nothing.
std::string reconcile(const Views& views);

// `others`: of the lab's other guests. Where no guest may ask the hypervisor, the sum is a lower bound: there may be more guests.
CpuTimes times_of(std::uint64_t own_us, const std::vector<std::uint64_t>& others_us, const Inside* inside);

}  // namespace lab::providers::zvm
