#include "agent/host.hpp"

#include <unistd.h>
#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

namespace json = boost::json;

TEST_CASE("the crypto features of x86 and s390x processors") {
  CHECK(lab::agent::crypto_features("processor\t: 0\nflags\t\t: fpu sse2 pclmulqdq aes avx2 sha_ni vaes\n\nprocessor : 1\nflags : aes\n") ==
        json::array{"pclmulqdq", "aes", "avx2", "sha_ni", "vaes"});
  CHECK(lab::agent::crypto_features("vendor_id       : IBM/S390\nfeatures\t: esan3 zarch stfle msa ldisp eimm dfp vx dflt\n") ==
        json::array{"msa", "vx", "dflt"});
  CHECK(lab::agent::crypto_features("").empty());
}

TEST_CASE("the machine's times are microseconds, nice counted as user and softirq as irq") {
  if (sysconf(_SC_CLK_TCK) != 100) {
    return;
  }
  const auto times =
      lab::agent::host_times("cpu  100 1 20 300 4 5 6 7 0 0\ncpu0 50 0 10 150 2 2 3 3 0 0\ncpu1 50 1 10 150 2 3 3 4 0 0\nintr 1 2\n");
  CHECK(times == json::object{{"user", 1'010'000U},
                              {"system", 200'000U},
                              {"idle", 3'000'000U},
                              {"iowait", 40'000U},
                              {"steal", 70'000U},
                              {"irq", 110'000U},
                              {"cpus", 2}});
}

TEST_CASE("the machine's exact CPU time is that of its root group, and of no other") {
  const auto root = std::filesystem::temp_directory_path() / ("lab-host-test-" + std::to_string(getpid()));
  std::filesystem::create_directories(root / "cpu,cpuacct");
  CHECK_FALSE(lab::agent::accounted_us(root));
  std::ofstream(root / "cpu,cpuacct" / "cpuacct.usage") << "123456789\n";
  CHECK_FALSE(lab::agent::accounted_us(root));  // as a container sees its own group
  std::ofstream(root / "cpu,cpuacct" / "release_agent") << "\n";
  CHECK(lab::agent::accounted_us(root) == 123'456U);
  std::filesystem::remove_all(root);
}
