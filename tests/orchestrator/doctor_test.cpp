#include "orchestrator/doctor.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace lab;
using namespace lab::orchestrator;

namespace {

Finding found(const std::vector<Finding>& findings, const std::string& topic) {
  const auto at = std::find_if(findings.begin(), findings.end(), [&](const Finding& finding) { return finding.topic == topic; });
  REQUIRE(at != findings.end());
  return *at;
}

}  // namespace

TEST_CASE("what a node lacks is told with its remedy") {
  const Node firewall{"firewall1", {Role::firewall}, {"clients", "dmz"}};
  const auto poor = judge_node(firewall, "machine x86_64 6.1\nfiles 256\nfree 1024\nclock hpet\nforward 0\nnft /usr/sbin/nft\n");
  CHECK(found(poor, "machine").found == "x86_64 6.1");
  CHECK(found(poor, "limits").remedy == "raise the hard limit of open files to 4096");
  CHECK(found(poor, "disk").found == "1 MB free");
  CHECK(found(poor, "clock").grade == Finding::Grade::bad);
  CHECK(found(poor, "firewall").remedy == "sysctl net.ipv4.ip_forward=1");
  const auto bare = judge_node(firewall, "machine x86_64 6.1\nfiles unlimited\nfree 900000\nclock tsc\nforward 1\nnft \n");
  CHECK(found(bare, "limits").grade == Finding::Grade::good);
  CHECK(found(bare, "firewall").remedy == "apt-get install nftables");
}

TEST_CASE("a guest of z/VM is told to be one, with the crypto card that serves it or the reason why none does") {
  const Node node{"webseal", {Role::gateway}, {"inner"}};
  const std::string guest =
      "machine s390x 5.14\nsysinfo LPAR Name: LP05\nsysinfo VM00 Name: LINUX1\nsysinfo VM00 Control Program: z/VM    7.3.0\n";
  const auto with = judge_node(node, guest + "card 01 CEX7A Accelerator online 12\n");
  CHECK(found(with, "z/VM").found == "LINUX1, z/VM 7.3.0, LPAR LP05");
  CHECK(found(with, "adapter").grade == Finding::Grade::good);
  const auto without = judge_node(node, guest);
  CHECK(found(without, "adapter").found == "lszcrypt shows no crypto card: cells with crypto: adapter are skipped");
  const auto elsewhere = judge_node(node, "machine x86_64 6.1\n");
  CHECK(std::none_of(elsewhere.begin(), elsewhere.end(), [](const Finding& finding) { return finding.topic == "adapter"; }));
}

TEST_CASE("an engine that cannot make containers here is a remark with the engine's remedy, and so is an image that is not made") {
  HostFacts facts;
  facts.engine = "/usr/bin/podman";
  facts.engine_lacks = {Error{"/dev/net/tun may not be opened", "", "as root: chmod 666 /dev/net/tun"}, Error{"no newuidmap", ""}};
  CHECK(found(judge(facts), "engine").remedy == "as root: chmod 666 /dev/net/tun");
  const auto all = judge(facts);
  CHECK(std::count_if(all.begin(), all.end(), [](const Finding& one) { return one.topic == "engine"; }) == 2);
  facts.engine_lacks.clear();
  facts.engine_ways = "4.3.1, cgroups v1 beside v2, runtime runc, storage overlay";
  CHECK(found(judge(facts), "engine").grade == Finding::Grade::good);
  CHECK(found(judge(facts), "image").remedy == "lab image build");
}

TEST_CASE("an engine that cannot limit CPUs and memory is a remark") {
  HostFacts facts;
  facts.engine = "/usr/bin/podman";
  facts.engine_ways = "4.3.1, rootless, cgroups v1, runtime runc, storage overlay";
  facts.engine_limits = false;
  const auto all = judge(facts);
  CHECK(std::any_of(all.begin(), all.end(), [](const Finding& one) {
    return one.topic == "engine" && one.grade == Finding::Grade::note && one.found.starts_with("it cannot limit CPUs and memory");
  }));
}
