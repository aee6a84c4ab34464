#include "report/firewalls.hpp"

#include "sample.hpp"

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
