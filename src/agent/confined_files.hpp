// Files that a controller may empty and count: inside the agent's folder, or that for logs on a disk of their own; also when a
// symbolic link says otherwise.
#pragma once

#include "lab/error.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace lab::agent {

struct FileCount {
  std::uint64_t lines = 0, bytes = 0;
};

class ConfinedFiles {
 public:
  // `logs`: empty when there is no folder of its own for them.
  ConfinedFiles(std::filesystem::path folder, std::filesystem::path logs) : folder_(std::move(folder)), logs_(std::move(logs)) {}
  // `path` is absolute, or relative to the agent's folder. An absent file is empty already.
  Result<void> truncate(const std::string& path) const;
  Result<FileCount> count(const std::string& path) const;

 private:
  Result<std::filesystem::path> resolve(const std::string& path) const;
  std::filesystem::path folder_, logs_;
};

}  // namespace lab::agent
