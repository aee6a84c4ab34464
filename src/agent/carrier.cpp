#include "agent/carrier.hpp"

#include "zlinux/hypfs.hpp"
#include "zlinux/sysinfo.hpp"

#include <fstream>
#include <iterator>

namespace lab::agent {

namespace {

constexpr std::chrono::nanoseconds kKept = std::chrono::seconds(1);
constexpr const char* kHypfs = "sys/hypervisor/s390";

}  // namespace

Carrier::Carrier(std::filesystem::path system) : system_(std::move(system)) {
  std::ifstream file(system_ / "proc/sysinfo");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  if (const auto info = zlinux::parse_sysinfo(text)) {
    name_ = info->lpar;
    const auto times = zlinux::read_hypfs(system_ / kHypfs);
    all_ = times.has_value();
    cpus_ = times && times->cpus > 0 ? times->cpus : info->lpar_cpus;
  }
}

boost::json::object Carrier::describe() const {
  return name_.empty() ? boost::json::object() : boost::json::object{{"name", name_}, {"cpus", cpus_}, {"all", all_}};
}

boost::json::object Carrier::sample(std::chrono::nanoseconds now) {
  if (name_.empty()) {
    return {};
  }
  if (all_ && (!busy_us_ || now - read_at_ >= kKept)) {
    if (const auto times = zlinux::read_hypfs(system_ / kHypfs)) {
      busy_us_ = times->busy_us;
      read_at_ = now;
    }
  }
  boost::json::object sample{{"cpus", cpus_}};
  if (busy_us_) {
    sample["busy_us"] = *busy_us_;
    sample["at"] = read_at_.count();
  }
  return sample;
}

}  // namespace lab::agent
