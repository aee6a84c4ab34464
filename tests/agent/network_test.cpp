#include "agent/network.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

using namespace lab;

TEST_CASE("nft's named counters are read, whatever else it lists") {
  const auto counters = agent::read_counters(
      R"({"nftables": [{"metainfo": {"version": "1.0.6"}}, {"counter": {"family": "inet", "name": "dropped", "table": "lab", "handle": 2, "packets": 5, "bytes": 300}}]})");
  REQUIRE(counters);
  CHECK(boost::json::serialize(*counters) == R"([{"name":"dropped","packets":5,"bytes":300}])");
  CHECK(!agent::read_counters("Error: No such file or directory"));
}

TEST_CASE("an order for the network names routes and rules") {
  const auto order =
      agent::network_order_of({{"ruleset", "table inet lab {}"}, {"routes", {{{"to", "198.18.3.0/24"}, {"via", "198.18.2.15"}}}}});
  REQUIRE(order);
  CHECK(order->routes.at(0).via == "198.18.2.15");
  CHECK(order->ruleset == "table inet lab {}");
  CHECK(!agent::network_order_of({{"ruleset", ""}}));
  CHECK(!agent::network_order_of({{"ruleset", ""}, {"routes", {1}}}));
}
