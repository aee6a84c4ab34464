#include "zlinux/sysinfo.hpp"

#include <catch2/catch.hpp>

using namespace lab;

namespace {

constexpr const char* kGuest =
    "Manufacturer:         IBM             \n"
    "Type:                 8561\n"
    "LIC Identifier:       00000001\n"
    "CPUs Total:           36\n"
    "CPUs Configured:      12\n"
    "\n"
    "LPAR Number:          5\n"
    "LPAR Characteristics: Shared \n"
    "LPAR Name:            LP05    \n"
    "LPAR CPUs Total:      12\n"
    "LPAR CPUs Configured: 10\n"
    "LPAR CPUs Standby:    2\n"
    "\n"
    "VM00 Name:            LINUX1  \n"
    "VM00 Control Program: z/VM    7.3.0\n"
    "VM00 CPUs Total:      3\n"
    "VM00 CPUs Configured: 2\n"
    "VM00 CPUs Standby:    1\n"
    "VM01 Name:            SECOND  \n"
    "VM01 Control Program: z/VM    6.4.0\n";

}  // namespace

TEST_CASE("a guest knows its LPAR, its name and its hypervisor, the innermost one") {
  const auto info = zlinux::parse_sysinfo(kGuest);
  REQUIRE(info);
  CHECK(info->machine_type == "8561");
  CHECK(info->lpar == "LP05");
  CHECK(info->lpar_cpus == 10);
  CHECK(info->guest == "LINUX1");
  CHECK(info->control_program == "z/VM 7.3.0");
  CHECK(info->on_zvm());
  CHECK(info->guest_cpus == 2);
  CHECK(info->guest_standby_cpus == 1);
}

TEST_CASE("Linux that has an LPAR to itself, or runs under KVM, is no guest of z/VM") {
  const auto lpar = zlinux::parse_sysinfo("Type: 3931\nLPAR Name: LNX1\nLPAR CPUs Configured: 4\n");
  REQUIRE(lpar);
  CHECK(lpar->guest.empty());
  CHECK_FALSE(lpar->on_zvm());
  const auto kvm = zlinux::parse_sysinfo("LPAR Name: LNX1\nVM00 Name: vm1\nVM00 Control Program: KVM/Linux\n");
  REQUIRE(kvm);
  CHECK_FALSE(kvm->on_zvm());
}

TEST_CASE("what is no mainframe's text is none") {
  CHECK_FALSE(zlinux::parse_sysinfo(""));
  CHECK_FALSE(zlinux::parse_sysinfo("cat: /proc/sysinfo: No such file or directory\n"));
}

TEST_CASE("lscpu tells CPUs that are online from those that are not") {
  const auto found = zlinux::parse_lscpu(
      "Architecture:                    s390x\n"
      "CPU op-mode(s):                  32-bit, 64-bit\n"
      "CPU(s):                          6\n"
      "On-line CPU(s) list:             0-2,5\n"
      "Off-line CPU(s) list:            3,4\n"
      "Hypervisor:                      z/VM 7.3.0\n"
      "Hypervisor vendor:               IBM\n");
  CHECK(found.architecture == "s390x");
  CHECK(found.cpus == 6);
  CHECK(found.online == std::vector<int>{0, 1, 2, 5});
  CHECK(found.offline == std::vector<int>{3, 4});
  CHECK(found.hypervisor == "z/VM 7.3.0");
}

TEST_CASE("a list of CPUs that makes no sense is empty, and a long one is bounded") {
  CHECK(zlinux::parse_cpu_list("").empty());
  CHECK(zlinux::parse_cpu_list("none").empty());
  CHECK(zlinux::parse_cpu_list("3-1").empty());
  CHECK(zlinux::parse_cpu_list("0-999999999").size() == 4096);
}
