#include "providers/container/limits.hpp"

#include "providers/local/processes.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace lab::providers::container {

namespace {

namespace fs = std::filesystem;

std::string text_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::string pid_namespace(const fs::path& process) {
  std::error_code hidden;
  return fs::read_symlink(process / "ns" / "pid", hidden).string();
}

}  // namespace

std::optional<local::Cgroup> cgroup_of(std::string_view mountinfo, std::string_view groups, const std::string& container_id) {
  std::optional<local::Cgroup> own;
  for (const local::Cgroup& group : local::cgroup_parents(mountinfo, groups)) {
    if (group.cpu.find(container_id) != std::string::npos) {
      own = group;  // the outermost that names it: v2 has groups of the container's own below
    }
  }
  return own;
}

Control control_of(int pid, const std::string& container_id) {
  const auto own = cgroup_of(text_of("/proc/self/mountinfo"), text_of("/proc/" + std::to_string(pid) + "/cgroup"), container_id);
  if (!own) {
    return {std::nullopt, "the engine gives its containers no cgroups of their own (rootless on cgroups v1)"};
  }
  const auto written = local::set_quota(*own, std::nullopt);
  return written ? Control{own, {}} : Control{std::nullopt, "no quota by cgroups: " + written.error().what};
}

std::uint64_t namespace_cpu_us(int pid) {
  const std::string wanted = pid_namespace("/proc/" + std::to_string(pid));
  std::vector<local::NodeProcess> members;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename().string();
    int number = 0;
    const bool process = std::from_chars(name.data(), name.data() + name.size(), number).ec == std::errc{};
    if (!wanted.empty() && process && pid_namespace(entry.path()) == wanted) {
      if (const auto identity = remote::identify(number)) {
        members.push_back({*identity, {}, {}});
      }
    }
  }
  return local::cpu_time_us(members);
}

}  // namespace lab::providers::container
