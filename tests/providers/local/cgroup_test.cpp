#include "providers/local/cgroup.hpp"

#include "temporary_folder.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace lab;
using namespace lab::providers::local;

namespace {

constexpr const char* kApart =
    "32 31 0:30 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
    "33 31 0:31 / /sys/fs/cgroup/cpuacct rw,relatime - cgroup cgroup rw,cpuacct\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
constexpr const char* kTogether = "32 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n";
constexpr const char* kUnified = "30 23 0:27 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("v1 controllers mounted apart make a group of two folders") {
  const auto parents = cgroup_parents(kApart, "2:cpuacct:/\n1:cpu:/\n0::/\n");
  REQUIRE(parents.size() == 1);
  CHECK(parents[0].folders() == std::vector<std::string>{"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpuacct"});
  CHECK_FALSE(parents[0].unified);
}

TEST_CASE("v1 controllers mounted together make one, and the own group is the first choice") {
  const auto parents = cgroup_parents(kTogether, "4:cpu,cpuacct:/docker/abc\n");
  REQUIRE(parents.size() == 2);
  CHECK(parents[0].cpu == "/sys/fs/cgroup/cpu,cpuacct/docker/abc");
  CHECK(parents[1].folders() == std::vector<std::string>{"/sys/fs/cgroup/cpu,cpuacct"});
}

TEST_CASE("v2 goes from the own group upwards, to the root at last") {
  const auto parents = cgroup_parents(kUnified, "0::/user.slice/user-1000.slice\n");
  REQUIRE(parents.size() == 3);
  CHECK(parents[0].cpu == "/sys/fs/cgroup/user.slice/user-1000.slice");
  CHECK(parents[1].cpu == "/sys/fs/cgroup/user.slice");
  CHECK(parents[2].cpu == "/sys/fs/cgroup");
  CHECK(parents[2].unified);
}

TEST_CASE("what a group could not be made for is not left prepared") {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  std::ofstream(folder / "cgroup.subtree_control") << "";
  CHECK_FALSE(make_cgroup({{path, path, true}}, "lab-x"));  // a plain folder: there is no cpu.max to write
  CHECK(text_of(path + "/cgroup.subtree_control") == "-cpu");
  CHECK(find_cgroups({{path, path, true}}, "lab-").empty());
}

namespace {

// A folder that stands for a v2 hierarchy. The kernel's part is played by hand: it answers "+cpu" with "cpu", and removes a group's files
// with it.
struct PretendedHierarchy {
  explicit PretendedHierarchy(const std::string& handed_down) { answer(handed_down); }
  void answer(const std::string& controllers) const { std::ofstream(folder / "cgroup.subtree_control", std::ios::trunc) << controllers; }
  std::string told() const { return text_of((folder / "cgroup.subtree_control").string()); }
  Cgroup add(const std::string& name) const {
    std::filesystem::create_directory(folder / name);
    std::ofstream(folder / name / "cpu.max") << "";
    const auto made = make_cgroup({root()}, name);
    REQUIRE(made);
    return *made;
  }
  void remove(const Cgroup& group) const {
    std::filesystem::remove(group.cpu + "/cpu.max");
    REQUIRE(remove_cgroup(group, Clock::now() + std::chrono::seconds(5)));
  }
  Cgroup root() const { return {folder.path().string(), folder.path().string(), true}; }

  TemporaryFolder folder;
};

}  // namespace

TEST_CASE("v2: the controller is handed down for the first group, and taken back with the last of all labs") {
  const PretendedHierarchy kernel("memory\n");
  const Cgroup first = kernel.add("lab-one-webseal");
  CHECK(kernel.told() == "+cpury\n");  // written over the file's beginning; the kernel reads the write
  kernel.answer("memory cpu\n");
  const Cgroup second = kernel.add("lab-two-webseal");
  CHECK(text_of(second.cpu + "/cpu.max") == "max 10000");
  CHECK(kernel.told() == "memory cpu\n");
  kernel.remove(first);
  CHECK(kernel.told() == "memory cpu\n");
  kernel.remove(second);
  CHECK(kernel.told().starts_with("-cpu"));
  CHECK(std::distance(std::filesystem::directory_iterator(kernel.folder.path()), {}) == 1);  // the kernel's file alone
}

TEST_CASE("v2: a controller that others handed down stays handed down") {
  const PretendedHierarchy kernel("cpu memory\n");
  const Cgroup group = kernel.add("lab-one-webseal");
  kernel.remove(group);
  CHECK(kernel.told() == "cpu memory\n");
}

TEST_CASE("v2: limits and CPU time of a group in its tree") {
  const PretendedHierarchy kernel("cpu\n");
  const Cgroup group = kernel.add("lab-one-webseal");
  REQUIRE(set_quota(group, 0.8));
  CHECK(text_of(group.cpu + "/cpu.max") == "8000 10000");
  std::ofstream(group.cpu + "/cpu.stat") << "usage_usec 77\nuser_usec 70\n";
  CHECK(*cpu_time_us(group) == 77);
  CHECK(find_cgroups({kernel.root()}, "lab-one-") == std::vector<Cgroup>{group});
}

TEST_CASE("a hierarchy mounted once more elsewhere is used where it was mounted first") {
  const std::string twice = std::string(kUnified) + "90 23 0:27 / /containers/x/sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
  CHECK(cgroup_parents(twice, "0::/\n").front().cpu == "/sys/fs/cgroup");
}

TEST_CASE("without a cpu controller the reason is told") {
  const auto made = make_cgroup(cgroup_parents("22 1 8:1 / / rw - ext4 /dev/sda1 rw\n", ""), "lab-x");
  REQUIRE(!made);
  CHECK(made.error().what == "the cpu controller of cgroups is not mounted");
}

// A plain folder stands for the kernel's files: what is written is what the kernel would be told.
TEST_CASE("quotas have a period of 10 ms in both versions") {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  for (const char* file : {"cpu.max", "cpu.cfs_period_us", "cpu.cfs_quota_us"}) {
    std::ofstream(folder / file) << "";
  }
  REQUIRE(set_quota({path, path, true}, 0.4));
  CHECK(text_of(path + "/cpu.max") == "4000 10000");
  REQUIRE(set_quota({path, path, false}, 0.8));
  CHECK(text_of(path + "/cpu.cfs_period_us") == "10000");
  CHECK(text_of(path + "/cpu.cfs_quota_us") == "8000");
}

TEST_CASE("CPU time is read in both versions") {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  std::ofstream(folder / "cpu.stat") << "nr_periods 4\nusage_usec 1234\nuser_usec 1000\n";
  std::ofstream(folder / "cpuacct.usage") << "5678000\n";
  CHECK(*cpu_time_us(Cgroup{path, path, true}) == 1234);
  CHECK(*cpu_time_us(Cgroup{path, path, false}) == 5678);
}

TEST_CASE("a group survives its way through JSON") {
  const Cgroup group{"/cpu/x", "/cpuacct/x", false};
  CHECK(cgroup_from_json({{"cgroup", to_json(group)}}) == group);
  CHECK(cgroup_from_json({}) == std::nullopt);
}
