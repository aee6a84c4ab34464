#include "agent/carrier.hpp"

#include "temporary_folder.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <fstream>

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using namespace std::chrono_literals;

void put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text << "\n";
}

constexpr const char* kSysinfo = "LPAR Name: LP05\nLPAR CPUs Configured: 10\nVM00 Name: LINUX1\nVM00 Control Program: z/VM 7.3.0\n";

}  // namespace

TEST_CASE("a machine that is no IBM Z guest has no carrier to tell of") {
  const TemporaryFolder system;
  lab::agent::Carrier carrier(system.path());
  CHECK(carrier.describe().empty());
  CHECK(carrier.sample(1s).empty());
}

TEST_CASE("a guest without privilege knows its LPAR, and not what else is busy there") {
  const TemporaryFolder system;
  put(system / "proc" / "sysinfo", kSysinfo);
  lab::agent::Carrier carrier(system.path());
  CHECK(carrier.describe() == json::object{{"name", "LP05"}, {"cpus", 10}, {"all", false}});
  CHECK(carrier.sample(1s) == json::object{{"cpus", 10}});
}

TEST_CASE("a privileged guest adds up all guests, once a second, and says when") {
  const TemporaryFolder system;
  const fs::path hypfs = system / "sys" / "hypervisor" / "s390";
  put(system / "proc" / "sysinfo", kSysinfo);
  put(hypfs / "systems" / "LINUX1" / "cpus" / "cputime_us", "100");
  put(hypfs / "systems" / "OTHER" / "cpus" / "cputime_us", "300");
  put(hypfs / "cpus" / "count", "12");
  lab::agent::Carrier carrier(system.path());
  CHECK(carrier.describe() == json::object{{"name", "LP05"}, {"cpus", 12}, {"all", true}});
  CHECK(carrier.sample(5s) == json::object{{"cpus", 12}, {"busy_us", 400U}, {"at", std::int64_t{5'000'000'000}}});
  put(hypfs / "systems" / "OTHER" / "cpus" / "cputime_us", "900");
  CHECK(carrier.sample(5500ms).at("busy_us") == 400U);
  CHECK(carrier.sample(6s) == json::object{{"cpus", 12}, {"busy_us", 1000U}, {"at", std::int64_t{6'000'000'000}}});
}
