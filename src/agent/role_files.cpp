#include "agent/role_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <string_view>

namespace lab::agent {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using namespace std::chrono_literals;

constexpr std::size_t kTail = std::size_t{64} << 10;
constexpr std::size_t kResultLimit = std::size_t{1} << 20;
constexpr auto kGrace = 2s;

std::string tail_of(const std::string& path, std::size_t limit) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) {
    return {};
  }
  const auto size = static_cast<std::size_t>(file.tellg());
  file.seekg(static_cast<std::streamoff>(size - std::min(size, limit)));
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// Before the last `count` lines.
std::size_t start_of_last_lines(std::string_view text, std::size_t count) {
  std::size_t at = text.ends_with('\n') ? text.size() - 1 : text.size();
  for (; count > 0 && at != std::string_view::npos && at > 0; --count) {
    at = text.rfind('\n', at - 1);
  }
  return at == std::string_view::npos || count > 0 ? 0 : at + 1;
}

Result<void> write_config(const std::string& path, const json::object& config) {
  const remote::Descriptor file{open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR)};
  const std::string text = json::serialize(config) + "\n";
  if (!file.open() || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return system_error("write " + path, errno, "is there space, and may the lab's user write there?");
  }
  return {};
}

void bound_file(const std::string& path) {
  std::error_code failure;
  if (fs::file_size(path, failure) <= kLogLimit || failure) {
    return;
  }
  // Copied and cut, not renamed: the role keeps its descriptor, and appends to what is left.
  fs::copy_file(path, path + ".1", fs::copy_options::overwrite_existing, failure);
  fs::resize_file(path, 0, failure);
}

}  // namespace

Result<void> RoleFiles::prepare(json::object config) const {
  std::error_code failure;
  fs::create_directories(folder_, failure);
  if (failure) {
    return Error{"make " + folder_.string() + ": " + failure.message(), {}, "is there space, and may the lab's user write there?"};
  }
  if (fs::exists(log(), failure)) {
    fs::rename(log(), log() + ".1", failure);
  }
  fs::remove(out(), failure);
  fs::remove(control(), failure);
  if (!config.contains("control")) {
    config["control"] = control();
  }
  return write_config(this->config(), config);
}

Result<remote::Descriptor> RoleFiles::open_for_appending(const std::string& path) {
  remote::Descriptor file{open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR)};
  if (!file.open()) {
    return system_error("open " + path, errno);
  }
  return file;
}

std::string RoleFiles::last_log_lines(std::size_t count) const {
  const std::string text = tail_of(log(), kTail);
  return text.substr(start_of_last_lines(text, count));
}

json::value RoleFiles::result() const {
  const std::string text = tail_of(out(), kResultLimit);
  const std::string line = text.substr(start_of_last_lines(text, 1));
  boost::system::error_code failure;
  json::value value = json::parse(line, failure);
  return failure ? json::value() : value;
}

void RoleFiles::bound() const {
  bound_file(log());
  bound_file(out());
}

void RoleFiles::write_identity(const remote::ProcessIdentity& process) const { agent::write_identity(folder_ / "pid", process); }

std::optional<remote::ProcessIdentity> RoleFiles::read_identity() const { return agent::read_identity(folder_ / "pid"); }

void RoleFiles::remove_identity() const {
  std::error_code ignored;
  fs::remove(folder_ / "pid", ignored);
}

void write_identity(const fs::path& file, const remote::ProcessIdentity& process) {
  std::ofstream(file) << process.pid << ' ' << process.start_ticks << '\n';
}

std::optional<remote::ProcessIdentity> read_identity(const fs::path& file) {
  std::ifstream stream(file);
  remote::ProcessIdentity process;
  if (stream >> process.pid >> process.start_ticks) {
    return process;
  }
  return std::nullopt;
}

Result<void> end_left_over_roles(const fs::path& directory, Deadline deadline) {
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(directory / "roles", failure)) {
    const RoleFiles files(entry.path());
    if (const auto process = files.read_identity()) {
      if (const auto ended = remote::end_process_group(*process, kGrace, deadline); !ended) {
        return ended.error();
      }
      files.remove_identity();
    }
  }
  return {};
}

}  // namespace lab::agent
