#include "agent/host.hpp"

#include <openssl/crypto.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace lab::agent {
namespace {

// x86: AES, GHASH and SHA instructions and their vector forms. s390x: the message security assist (CPACF), and what vector code needs.
constexpr std::array<std::string_view, 13> kCrypto{"aes",  "pclmulqdq", "vaes", "vpclmulqdq", "sha_ni", "avx2", "avx512f",
                                                   "gfni", "bmi2",      "adx",  "msa",        "vx",     "dflt"};

std::string text_of_file(const char* path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

std::chrono::nanoseconds monotonic_now() { return std::chrono::steady_clock::now().time_since_epoch(); }

boost::json::object describe_host() {
  utsname host{};
  uname(&host);
  return {{"arch", host.machine},
          {"kernel", host.release},
          {"cpus", sysconf(_SC_NPROCESSORS_ONLN)},
          {"openssl", OpenSSL_version(OPENSSL_VERSION_STRING)},
          {"crypto", crypto_features(text_of_file("/proc/cpuinfo"))}};
}

boost::json::array crypto_features(std::string_view cpuinfo) {
  std::istringstream lines{std::string(cpuinfo)};
  boost::json::array found;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("flags") && !line.starts_with("features")) {
      continue;
    }
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (std::find(kCrypto.begin(), kCrypto.end(), word) != kCrypto.end()) {
        found.emplace_back(word);
      }
    }
    break;  // all processors alike
  }
  return found;
}

boost::json::object host_times(std::string_view stat) {
  std::istringstream lines{std::string(stat)};
  std::string name;
  std::uint64_t user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
  lines >> name >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
  int cpus = 0;
  for (std::string line; std::getline(lines, line);) {
    cpus += line.starts_with("cpu") && line.size() > 3 && std::isdigit(static_cast<unsigned char>(line[3])) != 0 ? 1 : 0;
  }
  const auto tick = 1'000'000 / static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  return {{"user", (user + nice) * tick}, {"system", system * tick},       {"idle", idle * tick}, {"iowait", iowait * tick},
          {"steal", steal * tick},        {"irq", (irq + softirq) * tick}, {"cpus", cpus}};
}

std::optional<std::uint64_t> accounted_us(const std::filesystem::path& cgroups) {
  for (const char* controller : {"cpuacct", "cpu,cpuacct"}) {
    const std::filesystem::path root = cgroups / controller;
    std::uint64_t ns = 0;
    if (std::ifstream file(root / "cpuacct.usage"); std::filesystem::exists(root / "release_agent") && file >> ns) {
      return ns / 1000;
    }
  }
  return std::nullopt;
}

boost::json::object host_times() {
  boost::json::object times = host_times(text_of_file("/proc/stat"));
  if (const auto accounted = accounted_us("/sys/fs/cgroup")) {
    times["accounted"] = *accounted;
  }
  return times;
}

}  // namespace lab::agent
