#include "run/firewalls.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

using namespace lab;

TEST_CASE("what firewalls counted is told for the run alone, flow by flow") {
  const run::FirewallCounters before{{"firewall1", {{"flow/client1/webseal/8080", {10, 600}}, {"dropped", {3, 180}}}}};
  const run::FirewallCounters after{
      {"firewall1", {{"flow/client1/webseal/8080", {18, 1080}}, {"replies", {500, 90000}}, {"dropped", {3, 180}}}}};
  CHECK(boost::json::serialize(run::firewalls_between(before, after)) ==
        R"([{"node":"firewall1","dropped":{"packets":0,"bytes":0},"replies":{"packets":500,"bytes":90000},)"
        R"("flows":[{"from":"client1","to":"webseal","port":8080,"packets":8,"bytes":480}]}])");
}

TEST_CASE("a counter that was set anew during the run counts from then") {
  const auto told = run::firewalls_between({{"f", {{"dropped", {9, 540}}}}}, {{"f", {{"dropped", {2, 120}}}}});
  CHECK(told.at(0).at("dropped").at("packets") == 2);
}
