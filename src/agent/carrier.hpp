// What carries an IBM Z guest, as far as the guest can see it: its LPAR, and with privilege class B how busy that is.
#pragma once

#include <boost/json/object.hpp>
#include <chrono>
#include <filesystem>
#include <optional>

namespace lab::agent {

class Carrier {
 public:
  // The system's files are looked for under `system`.
  explicit Carrier(std::filesystem::path system = "/");

  // {name, cpus, all}: of the LPAR; `all`: the CPU time of everything on it is known here. Empty where there is none.
  boost::json::object describe() const;
  // {cpus, busy_us?, at?}: the CPU time of all guests, read at the instant `at`; a reading is kept for a second, as the hypervisor's is.
  boost::json::object sample(std::chrono::nanoseconds now);

 private:
  std::filesystem::path system_;
  std::string name_;
  int cpus_ = 0;
  bool all_ = false;
  std::chrono::nanoseconds read_at_{0};
  std::optional<std::uint64_t> busy_us_;
};

}  // namespace lab::agent
