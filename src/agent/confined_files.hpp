// Files that a controller may empty and count: inside the agent's folder only, also when a symbolic link says otherwise.
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
  explicit ConfinedFiles(const std::filesystem::path& folder) : folder_(folder) {}
  // `path` is absolute, or relative to the folder. An absent file is empty already.
  Result<void> truncate(const std::string& path) const;
  Result<FileCount> count(const std::string& path) const;

 private:
  Result<std::filesystem::path> resolve(const std::string& path) const;
  std::filesystem::path folder_;
};

}  // namespace lab::agent
