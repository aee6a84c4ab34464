#include "zlinux/hypfs.hpp"

#include "temporary_folder.hpp"

#include <catch2/catch.hpp>
#include <fstream>

using namespace lab;

namespace {

namespace fs = std::filesystem;

void put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text << "\n";
}

}  // namespace

TEST_CASE("under z/VM the hypervisor's CPU time is that of all its guests") {
  const TemporaryFolder root;
  put(root / "systems" / "LINUX1" / "cpus" / "cputime_us", "1000");
  put(root / "systems" / "OTHER" / "cpus" / "cputime_us", "2500");
  put(root / "cpus" / "count", "4");
  const auto times = zlinux::read_hypfs(root.path());
  REQUIRE(times);
  CHECK(times->busy_us == 3500);
  CHECK(times->systems == 2);
  CHECK(times->cpus == 4);
  CHECK(fs::exists(root / "update"));  // the kernel was asked to look anew
}

TEST_CASE("in an LPAR it is that of all LPARs' CPUs") {
  const TemporaryFolder root;
  put(root / "systems" / "LP05" / "cpus" / "0" / "cputime", "10");
  put(root / "systems" / "LP05" / "cpus" / "1" / "cputime", "20");
  const auto times = zlinux::read_hypfs(root.path());
  REQUIRE(times);
  CHECK(times->busy_us == 30);
  CHECK(times->cpus == 0);
}

TEST_CASE("a guest that may not mount hypfs knows nothing of the others") {
  const TemporaryFolder root;
  CHECK_FALSE(zlinux::read_hypfs(root / "absent"));
  fs::create_directories(root / "systems" / "LINUX1");
  CHECK_FALSE(zlinux::read_hypfs(root.path()));
}
