#include "agent/confined_files.hpp"

#include "remote/descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>

namespace lab::agent {
namespace {

namespace fs = std::filesystem;
using remote::Descriptor;

bool is_inside(const fs::path& path, const fs::path& folder) {
  return !folder.empty() && std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end() && path != folder;
}

}  // namespace

Result<fs::path> ConfinedFiles::resolve(const std::string& path) const {
  std::error_code failure;
  const fs::path folder = fs::canonical(folder_, failure);
  const fs::path real = failure ? fs::path() : fs::weakly_canonical(folder / path, failure);
  if (failure) {
    return Error{path + ": " + failure.message(), {}, {}, {}};
  }
  std::error_code absent;
  if (!is_inside(real, folder) && !is_inside(real, logs_.empty() ? logs_ : fs::canonical(logs_, absent))) {
    return Error{path + " is outside the agent's folder " + folder.string(), {}, "give a file inside it, or inside the node's log-dir", {}};
  }
  return real;
}

Result<void> ConfinedFiles::truncate(const std::string& path) const {
  const auto real = resolve(path);
  if (!real) {
    return real.error();
  }
  const Descriptor file{open(real->c_str(), O_WRONLY | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  if (!file.open() && errno != ENOENT) {
    return system_error("empty " + path, errno);
  }
  return {};
}

Result<FileCount> ConfinedFiles::count(const std::string& path) const {
  const auto real = resolve(path);
  if (!real) {
    return real.error();
  }
  const Descriptor file{open(real->c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  if (!file.open()) {
    return errno == ENOENT ? Result<FileCount>(FileCount{}) : Result<FileCount>(system_error("open " + path, errno));
  }
  FileCount counted;
  std::array<char, 65536> buffer;
  ssize_t got = 0;
  while ((got = read(file.get(), buffer.data(), buffer.size())) > 0) {
    counted.bytes += static_cast<std::uint64_t>(got);
    counted.lines += static_cast<std::uint64_t>(std::count(buffer.begin(), buffer.begin() + got, '\n'));
  }
  if (got < 0) {
    return system_error("read " + path, errno);
  }
  return counted;
}

}  // namespace lab::agent
