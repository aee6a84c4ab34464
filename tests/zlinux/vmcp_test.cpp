#include "zlinux/vmcp.hpp"

#include <catch2/catch.hpp>

using namespace lab;

TEST_CASE("a CP command is done when vmcp says so, also where only its output was cut") {
  CHECK(zlinux::judge_vmcp("define cpu 2", 0, "CPU 02 defined"));
  CHECK(zlinux::judge_vmcp("query names", 2, "A - DSC"));
}

TEST_CASE("vmcp's exit codes tell CP's refusals from Linux's and from wrong use") {
  const auto what = [](int exit) { return zlinux::judge_vmcp("define cpu 2", exit, "HCPCPU1458E").error().what; };
  CHECK(what(1) == "CP refuses the command");
  CHECK(what(3) == "Linux cannot speak to CP");
  CHECK(what(4) == "vmcp does not take these words");
  CHECK(what(127) == "vmcp fails with exit code 127");
  const auto refused = zlinux::judge_vmcp("define cpu 2", 1, "HCPCPU1458E");
  REQUIRE(!refused);
  CHECK(refused.error().where == "vmcp define cpu 2");
  CHECK(refused.error().detail == "HCPCPU1458E");
}
