#include "agent/family.hpp"

#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <string>

namespace lab::agent {

namespace {

constexpr std::size_t kMostProcesses = 1000;

void add_children(int pid, std::vector<int>& family) {
  std::error_code gone;
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", gone)) {
    std::ifstream children(task.path() / "children");
    for (int child = 0; family.size() < kMostProcesses && children >> child;) {
      family.push_back(child);
    }
  }
}

}  // namespace

std::vector<int> family_of(int pid) {
  std::vector<int> family{pid};
  for (std::size_t i = 0; i < family.size(); ++i) {
    add_children(family[i], family);
  }
  return family;
}

// /proc/PID/stat: pid (name) state …; cutime and cstime are fields 16 and 17.
std::uint64_t ended_children_us(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string name;
  while (std::getline(file, name, ')') && file.peek() != ' ') {
  }
  std::string skipped;
  for (int field = 3; field < 16; ++field) {
    file >> skipped;
  }
  std::uint64_t user = 0, system = 0;
  file >> user >> system;
  return (user + system) * (1'000'000 / static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK)));
}

}  // namespace lab::agent
