#include "report/firewalls.hpp"

#include "report/host.hpp"
#include "sample.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <catch2/catch.hpp>

using namespace lab;
using namespace lab::report;

TEST_CASE("the report says what each firewall let through, flow by flow, and what it dropped") {
  Run run;
  CHECK(firewall_facts(run).empty());
  run.results.environment = boost::json::parse(R"({"firewalls": [{"node": "firewall1",
      "flows": [{"from": "client1", "to": "webseal", "port": 8080, "packets": 36, "bytes": 2160}],
      "replies": {"packets": 122633, "bytes": 256722510}, "dropped": {"packets": 1, "bytes": 60}}]})")
                                .as_object();
  const Facts expected{{"firewall1: client1 → webseal, port 8080", "36 connections"},
                       {"firewall1: on connections that stand", "122,633 packets, 256,722,510 bytes"},
                       {"firewall1: dropped", "1 packet, 60 bytes"}};
  CHECK(firewall_facts(run) == expected);
}

TEST_CASE("where firewalls are containers, the report says who pays for what they forward") {
  const auto says = [](const char* provider, std::vector<Node> nodes) {
    Run run;
    run.lab.nodes = std::move(nodes);
    run.results.environment["provider"] = provider;
    const auto all = limitations(run);
    return std::any_of(all.begin(), all.end(),
                       [](const std::string& one) { return one.find("on the CPU time of whoever sends") != std::string::npos; });
  };
  const Node firewall{"firewall1", {Role::firewall}, {"clients", "dmz"}}, gateway{"webseal", {Role::gateway}, {"dmz"}};
  CHECK(says("container", {gateway, firewall}));
  CHECK_FALSE(says("container", {gateway}));
  CHECK_FALSE(says("local", {gateway, firewall}));
  CHECK_FALSE(says("zvm", {gateway, firewall}));  // guests, which forward on CPUs of their own
}
