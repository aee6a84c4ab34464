// Whether two folders are on disks of their own.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace lab::agent {

// The whole disks under a block device of that number ("8:1"), by sysfs: a partition's disk, a mapped device's or RAID's members. The
// number itself where there is none: memory, the network.
std::set<std::string> disks_under(const std::string& device, const std::filesystem::path& sysfs = "/sys");

// Why `logs` is not on a disk apart from that of `directory`; empty: it is.
std::string why_same_disk(const std::filesystem::path& directory, const std::filesystem::path& logs);

}  // namespace lab::agent
