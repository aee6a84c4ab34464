#include "agent/disks.hpp"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <algorithm>
#include <cerrno>
#include <cstring>

namespace lab::agent {

namespace fs = std::filesystem;

namespace {

void add_disks(const fs::path& block, std::set<std::string>& disks, int depth) {
  constexpr int kDeepest = 8;
  std::error_code ignored;
  const fs::path disk = fs::exists(block / "partition", ignored) ? block.parent_path() : block;
  bool mapped = false;
  for (const auto& slave : fs::directory_iterator(disk / "slaves", ignored)) {
    mapped = true;
    if (depth < kDeepest) {
      add_disks(fs::canonical(slave.path(), ignored), disks, depth + 1);
    }
  }
  if (!mapped) {
    disks.insert(disk.filename().string());
  }
}

std::string device_of(const struct stat& status) {
  return std::to_string(major(status.st_dev)) + ":" + std::to_string(minor(status.st_dev));
}

}  // namespace

std::set<std::string> disks_under(const std::string& device, const fs::path& sysfs) {
  std::error_code absent;
  const fs::path block = fs::canonical(sysfs / "dev" / "block" / device, absent);
  std::set<std::string> disks;
  if (absent) {
    return {device};
  }
  add_disks(block, disks, 0);
  return disks;
}

std::string why_same_disk(const fs::path& directory, const fs::path& logs) {
  struct stat here {
  }, there{};
  if (stat(directory.c_str(), &here) != 0 || stat(logs.c_str(), &there) != 0) {
    return "log-dir " + logs.string() + ": " + std::strerror(errno);
  }
  const auto own = disks_under(device_of(here)), other = disks_under(device_of(there));
  const auto shared = std::find_if(own.begin(), own.end(), [&](const std::string& disk) { return other.contains(disk); });
  return shared == own.end() ? ""
                             : "log-dir " + logs.parent_path().string() + " is on the same device as the node's other files, " + *shared;
}

}  // namespace lab::agent
