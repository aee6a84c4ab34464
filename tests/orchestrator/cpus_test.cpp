#include "orchestrator/cpus.hpp"

#include "orchestrator/doctor.hpp"

#include <catch2/catch.hpp>

using namespace lab;
using namespace lab::orchestrator;

namespace {

Lab small() {
  Lab lab;
  lab.nodes = {Node{"webseal", {Role::gateway}, {}}, Node{"was", {Role::pages}, {}}};
  return lab;
}

const Finding& about(const std::vector<Finding>& findings, const std::string& topic) {
  for (const Finding& finding : findings) {
    if (finding.topic == topic) {
      return finding;
    }
  }
  FAIL("nothing about " << topic);
  return findings.front();
}

}  // namespace

TEST_CASE("on two CPUs a lab CPU is 0.35, the gateway alone on the first") {
  const CpuLayout layout = lay_out_cpus(small(), {0, 1});
  CHECK(layout.unit == Approx(0.35));
  CHECK(layout.pins.at("webseal") == std::vector<int>{0});
  CHECK(layout.pins.at("was") == std::vector<int>{1});
}

TEST_CASE("on four CPUs two lab CPUs fill 70% of the gateway's half") {
  const CpuLayout layout = lay_out_cpus(small(), {2, 3, 6, 7});
  CHECK(layout.unit == Approx(0.7));
  CHECK(layout.pins.at("webseal") == std::vector<int>{2, 3});
  CHECK(layout.pins.at("was") == std::vector<int>{6, 7});
}

TEST_CASE("with room a lab CPU is a host CPU and nobody is pinned") {
  const CpuLayout layout = lay_out_cpus(small(), {0, 1, 2, 3, 4, 5});
  CHECK(layout.unit == 1);
  CHECK(layout.pins.empty());
}

TEST_CASE("guests share the gateway's CPUs, and hosts of their own are laid out by nobody") {
  Lab lab = small();
  lab.nodes.push_back(Node{"guest1", {Role::guest}, {}});
  CHECK(lay_out_cpus(lab, {0, 1}).pins.at("guest1") == std::vector<int>{0});
  lab.provider = ProviderKind::ssh;
  CHECK(lay_out_cpus(lab, {0, 1}).unit == 1);
  CHECK(lay_out_cpus(lab, {0, 1}).pins.empty());
}

TEST_CASE("one CPU cannot be shared out") { CHECK(lay_out_cpus(small(), {0}).pins.empty()); }

TEST_CASE("the lab file's cpu-unit is taken as it is") {
  Lab given = small();
  given.cpu_unit = 0.25;
  CHECK(lay_out_cpus(given, {0, 1}).unit == 0.25);
}

TEST_CASE("the doctor names what is missing and what helps") {
  HostFacts facts;
  facts.cpus = 1;
  facts.open_files = 1024;
  facts.architecture = "x86_64";
  facts.clock_source = "hpet";
  facts.cgroup = "make /sys/fs/cgroup/cpu/lab-x: Permission denied";
  const auto findings = judge(facts);
  CHECK(about(findings, "sshd").grade == Finding::Grade::bad);
  CHECK(about(findings, "sshd").remedy == "apt-get install openssh-server");
  CHECK(about(findings, "cgroups").grade == Finding::Grade::note);
  CHECK(about(findings, "CPUs").grade == Finding::Grade::bad);
  CHECK(about(findings, "limits").remedy == "ulimit -n 4096");
  CHECK(about(findings, "crypto").grade == Finding::Grade::note);
  CHECK(about(findings, "clock").grade == Finding::Grade::bad);
}

TEST_CASE("the doctor is content with a good host") {
  HostFacts facts;
  facts.sshd = facts.keygen = facts.ssh = facts.engine = "/usr/bin/x";
  facts.cpus = 2;
  facts.open_files = 65536;
  facts.free_bytes = std::uint64_t{10} << 30;
  facts.architecture = "x86_64";
  facts.cpu_flags = {"fpu", "aes", "pclmulqdq"};
  facts.governor = "performance";
  facts.clock_source = "tsc";
  for (const Finding& finding : judge(facts)) {
    INFO(finding.topic << ": " << finding.found);
    CHECK(finding.grade == Finding::Grade::good);
  }
}
