#include "providers/local/cgroup.hpp"

#include "remote/descriptor.hpp"
#include "remote/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace lab::providers::local {

namespace {

namespace fs = std::filesystem;

constexpr long kPeriodUs = 10'000;
constexpr long kLeastQuotaUs = 1'000;  // what the kernel accepts

std::string join(const std::string& folder, const std::string& name) { return (fs::path(folder) / name).string(); }

std::string read_text(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

Result<void> write_text(const std::string& file, const std::string& text) {
  const int fd = open(file.c_str(), O_WRONLY | O_CLOEXEC);
  const bool written = fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int why = errno;
  if (fd >= 0) {
    close(fd);
  }
  return written ? Result<void>() : system_error("write " + file, why);
}

bool has_word(std::string_view words, std::string_view wanted, char separator) {
  std::istringstream in{std::string(words)};
  for (std::string word; std::getline(in, word, separator);) {
    while (!word.empty() && word.back() == '\n') {
      word.pop_back();
    }
    if (word == wanted) {
      return true;
    }
  }
  return false;
}

struct Mounts {
  std::string cpu, cpuacct;  // v1
  std::string unified;       // v2
};

// proc(5): id parent device root mount-point options … - type source super-options. The first mount of each counts: later ones are
// copies, in the root of a container say.
Mounts find_mounts(std::string_view mountinfo) {
  Mounts mounts;
  std::istringstream lines{std::string(mountinfo)};
  for (std::string line; std::getline(lines, line);) {
    const auto dash = line.find(" - ");
    if (dash == std::string::npos) {
      continue;
    }
    std::istringstream before(line), after(line.substr(dash + 3));
    std::string skipped, point, type, source, options;
    before >> skipped >> skipped >> skipped >> skipped >> point;
    after >> type >> source >> options;
    const auto take = [&](std::string& mount, bool matches) { mount = matches && mount.empty() ? point : mount; };
    take(mounts.unified, type == "cgroup2");
    take(mounts.cpu, type == "cgroup" && has_word(options, "cpu", ','));
    take(mounts.cpuacct, type == "cgroup" && has_word(options, "cpuacct", ','));
  }
  return mounts;
}

// cgroups(7): hierarchy:controllers:path, a line each. Key: controller, "" for v2.
std::map<std::string, std::string> own_groups(std::string_view text) {
  std::map<std::string, std::string> groups;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    std::istringstream controllers(line.substr(first + 1, second - first - 1));
    std::string controller;
    do {
      controller.clear();
      std::getline(controllers, controller, ',');
      groups[controller] = line.substr(second + 1);
    } while (controllers);
  }
  return groups;
}

// "/a/b" → "/a/b", "/a", "/"
std::vector<std::string> upwards(const std::string& own) {
  std::vector<std::string> paths;
  for (fs::path path = own; path.has_relative_path(); path = path.parent_path()) {
    paths.push_back(path.string());
  }
  paths.emplace_back("/");
  return paths;
}

std::string control_of(const Cgroup& parent) { return join(parent.cpu, "cgroup.subtree_control"); }

// v2: a parent must hand the controller down.
bool hands_down_cpu(const Cgroup& parent) { return !parent.unified || has_word(read_text(control_of(parent)), "cpu", ' '); }

// An empty group beside the nodes' says that it was lab that made the parent hand the controller down.
std::string mark_of(const Cgroup& parent) { return join(parent.cpu, "lab.hands-down-cpu"); }

// Of labs, and of other programs' lab processes: whoever hands down or takes back.
class Preparing {
 public:
  explicit Preparing(const Cgroup& parent) : folder_(open(parent.cpu.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    flock(folder_.get(), LOCK_EX);
  }

 private:
  remote::Descriptor folder_;
};

Result<void> hand_down_cpu(const Cgroup& parent) {
  if (hands_down_cpu(parent)) {
    return {};
  }
  const std::string mark = mark_of(parent);
  auto marked = mkdir(mark.c_str(), 0755) == 0 || errno == EEXIST ? Result<void>() : system_error("make " + mark, errno);
  return marked ? write_text(control_of(parent), "+cpu") : marked;
}

void take_back_cpu(const Cgroup& parent) {
  if (parent.unified && access(mark_of(parent).c_str(), F_OK) == 0 && find_cgroups({parent}, "lab-").empty()) {
    static_cast<void>(write_text(control_of(parent), "-cpu"));
    rmdir(mark_of(parent).c_str());
  }
}

Result<void> make_folders(const Cgroup& group) {
  for (const std::string& folder : group.folders()) {
    if (mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
      return system_error("make " + folder, errno);
    }
  }
  return {};
}

void remove_folders(const Cgroup& group) {
  for (const std::string& folder : group.folders()) {
    rmdir(folder.c_str());
  }
}

}  // namespace

std::vector<std::string> Cgroup::folders() const {
  return cpu == cpuacct ? std::vector<std::string>{cpu} : std::vector<std::string>{cpu, cpuacct};
}

boost::json::object to_json(const Cgroup& group) { return {{"cpu", group.cpu}, {"cpuacct", group.cpuacct}, {"unified", group.unified}}; }

std::optional<Cgroup> cgroup_from_json(const boost::json::object& details) {
  const auto* const value = details.if_contains("cgroup");
  const auto* const object = value == nullptr ? nullptr : value->if_object();
  const auto text = [&](const char* key) {
    const auto* const found = object->if_contains(key);
    return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
  };
  if (object == nullptr || text("cpu").empty() || text("cpuacct").empty()) {
    return std::nullopt;
  }
  const auto* const unified = object->if_contains("unified");
  return Cgroup{text("cpu"), text("cpuacct"), unified != nullptr && unified->is_bool() && unified->get_bool()};
}

std::vector<Cgroup> cgroup_parents(std::string_view mountinfo, std::string_view own) {
  const Mounts mounts = find_mounts(mountinfo);
  auto groups = own_groups(own);
  std::vector<Cgroup> parents;
  if (!mounts.cpu.empty()) {
    const std::string cpuacct = mounts.cpuacct.empty() ? mounts.cpu : mounts.cpuacct;
    if (groups["cpu"].size() > 1 && groups["cpu"] == groups["cpuacct"]) {
      parents.push_back({mounts.cpu + groups["cpu"], cpuacct + groups["cpu"], false});
    }
    parents.push_back({mounts.cpu, cpuacct, false});
  } else if (!mounts.unified.empty()) {
    for (const std::string& path : upwards(groups[""])) {
      const std::string folder = path == "/" ? mounts.unified : mounts.unified + path;
      parents.push_back({folder, folder, true});
    }
  }
  return parents;
}

std::vector<Cgroup> cgroup_parents() { return cgroup_parents(read_text("/proc/self/mountinfo"), read_text("/proc/self/cgroup")); }

Result<Cgroup> make_cgroup(const std::vector<Cgroup>& parents, const std::string& name) {
  Error last{"the cpu controller of cgroups is not mounted", {}};
  for (const Cgroup& parent : parents) {
    const Cgroup group{join(parent.cpu, name), join(parent.cpuacct, name), parent.unified};
    const Preparing alone(parent);
    auto made = hand_down_cpu(parent);
    made = made ? make_folders(group) : made;
    made = made ? set_quota(group, std::nullopt) : made;
    if (made) {
      return group;
    }
    last = made.error();
    remove_folders(group);
    take_back_cpu(parent);
  }
  return last;
}

Result<void> try_to_join(const Cgroup& group, Deadline deadline) {
  for (const std::string& folder : group.folders()) {
    const auto joined = remote::run({"/bin/sh", "-c", "echo $$ > \"$1\"", "sh", folder + "/cgroup.procs"}, {}, deadline);
    if (!joined || joined->exit != 0) {
      return joined ? Error{"not allowed to join " + folder, ""} : joined.error();
    }
  }
  return {};
}

Result<void> probe_cgroup(const std::vector<Cgroup>& parents, const std::string& name, Deadline deadline) {
  const auto group = make_cgroup(parents, name);
  if (!group) {
    return group.error();
  }
  auto joined = try_to_join(*group, deadline);
  const auto removed = remove_cgroup(*group, deadline);
  return joined ? removed : joined;
}

std::vector<Cgroup> find_cgroups(const std::vector<Cgroup>& parents, const std::string& prefix) {
  std::vector<Cgroup> found;
  for (const Cgroup& parent : parents) {
    for (const std::string& folder : parent.folders()) {
      std::error_code ignored;
      for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        const Cgroup group{join(parent.cpu, name), join(parent.cpuacct, name), parent.unified};
        if (name.starts_with(prefix) && entry.is_directory(ignored) && std::find(found.begin(), found.end(), group) == found.end()) {
          found.push_back(group);
        }
      }
    }
  }
  return found;
}

Result<void> remove_cgroup(const Cgroup& group, Deadline deadline) {
  constexpr int kAgainMs = 2;  // the kernel tells nobody when a v1 group has let its last process go
  for (const std::string& folder : group.folders()) {
    while (rmdir(folder.c_str()) != 0 && errno != ENOENT) {
      if (errno != EBUSY || Clock::now() >= deadline) {
        return system_error("remove " + folder, errno, "see who is in its cgroup.procs");
      }
      poll(nullptr, 0, kAgainMs);
    }
  }
  const Cgroup parent{fs::path(group.cpu).parent_path().string(), fs::path(group.cpuacct).parent_path().string(), group.unified};
  const Preparing alone(parent);
  take_back_cpu(parent);
  return {};
}

Result<void> set_quota(const Cgroup& group, std::optional<double> host_cpus) {
  const long quota = host_cpus ? std::max(kLeastQuotaUs, std::lround(*host_cpus * static_cast<double>(kPeriodUs))) : -1;
  if (group.unified) {
    return write_text(join(group.cpu, "cpu.max"), (quota < 0 ? "max" : std::to_string(quota)) + " " + std::to_string(kPeriodUs));
  }
  auto written = write_text(join(group.cpu, "cpu.cfs_period_us"), std::to_string(kPeriodUs));
  return written ? write_text(join(group.cpu, "cpu.cfs_quota_us"), std::to_string(quota)) : written;
}

Result<std::uint64_t> cpu_time_us(const Cgroup& group) {
  const std::string file = join(group.cpuacct, group.unified ? "cpu.stat" : "cpuacct.usage");
  std::istringstream text(read_text(file));
  std::string key = "usage_usec";
  std::uint64_t value = 0;
  if (group.unified) {
    for (text >> key >> value; text && key != "usage_usec";) {
      text >> key >> value;
    }
  } else {
    text >> value;
    value /= 1000;
  }
  return text && key == "usage_usec" ? Result<std::uint64_t>(value) : system_error("read " + file, EIO);
}

}  // namespace lab::providers::local
