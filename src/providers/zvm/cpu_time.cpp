#include "providers/zvm/cpu_time.hpp"

#include "store/read.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cstdio>
#include <numeric>

namespace lab::providers::zvm {

namespace {

constexpr auto kRecent = std::chrono::seconds(1);
constexpr double kMargin = 0.05;
constexpr double kMarginUs = 2e6;  // ticks, and what passes between the two readings

std::string seconds(double us) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f s", us / 1e6);
  return text.data();
}

}  // namespace

Result<std::uint64_t> GuestTimes::now(Feilong& feilong, const std::string& userid, Deadline deadline) {
  const Call call = ask_info(userid);
  const auto answer = feilong.answer_to(call, deadline);
  if (!answer) {
    return answer.error();
  }
  if (!answer->ok() || !answer->output.is_object()) {
    return to_error(*answer, name_of(call), "");
  }
  const Reading reading{Clock::now(), store::count_of(answer->output.get_object(), "cpu_time_us")};
  const std::lock_guard guard(mutex_);
  readings_[userid] = reading;
  return reading.us;
}

std::uint64_t GuestTimes::recent(Feilong& feilong, const std::string& userid, Deadline deadline) {
  {
    const std::lock_guard guard(mutex_);
    const auto known = readings_.find(userid);
    if (known != readings_.end() && Clock::now() - known->second.at < kRecent) {
      return known->second.us;
    }
  }
  const auto fresh = now(feilong, userid, deadline);
  return fresh ? *fresh : 0;
}

std::string reconcile(const Views& views) {
  const auto outside = static_cast<double>(views.outside_us), inside = static_cast<double>(views.inside_us.value_or(0));
  return inside <= outside * (1 + kMargin) + kMarginUs
             ? ""
             : "its Linux says that it used " + seconds(inside) + " of CPU time, and z/VM gave it only " + seconds(outside);
}

CpuTimes times_of(std::uint64_t own_us, const std::vector<std::uint64_t>& others_us, const Inside* inside) {
  CpuTimes times;
  times.node_us = own_us;
  times.machine_cpus = 1;
  if (inside != nullptr) {
    times.machine_idle_us = inside->idle_us;
    times.machine_steal_us = inside->steal_us;
    times.note = reconcile({own_us, inside->busy_us});
    times.machine_cpus = std::max(inside->sysinfo ? inside->sysinfo->lpar_cpus : 0, times.machine_cpus);
  }
  if (inside != nullptr && inside->hypervisor_us) {
    times.machine_busy_us = *inside->hypervisor_us;
    times.machine_cpus = std::max(times.machine_cpus, inside->hypervisor_cpus);
  } else {
    times.machine_busy_us = std::accumulate(others_us.begin(), others_us.end(), own_us);
    times.lower_bound = true;
  }
  return times;
}

}  // namespace lab::providers::zvm
