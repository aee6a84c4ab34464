#include "orchestrator/network.hpp"

#include "config/config.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

using namespace lab;
using orchestrator::Flow;

namespace {

// The built-in lab as it stands: nodes at .11, .12 … of their networks.
Standing nine_nodes() {
  Standing standing;
  standing.lab = *config::load_lab("webseal-2007");
  int place = 10;
  for (const Node& node : standing.lab.nodes) {
    StandingNode at;
    at.name = node.name;
    ++place;
    for (const std::string& network : node.networks) {
      const std::string third = network == "clients" ? "1" : network == "dmz" ? "2" : "3";
      at.addresses[network] = "198.18." + third + "." + std::to_string(place);
    }
    at.address = at.addresses[node.networks.front()];
    standing.nodes.push_back(at);
  }
  return standing;
}

std::string order_of(const std::string& node) {
  const Standing standing = nine_nodes();
  return boost::json::serialize(orchestrator::network_order(standing, *standing.find(node)).at("routes"));
}

std::string rules_of(const std::string& node) {
  const Standing standing = nine_nodes();
  return orchestrator::nft_rules(standing, *standing.find(node));
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE(
    "what has to reach what follows from the roles: clients both gateways of a pair, the gateway what is behind it, back ends the "
    "database") {
  const auto flows = orchestrator::flows_of(nine_nodes().lab);
  std::vector<Flow> expected;
  for (const char* client : {"client1", "client2"}) {
    for (const std::uint16_t port :
         std::initializer_list<std::uint16_t>{8080, 8443, 8081, 8444}) {  // the last two for the other gateway of a pair
      expected.push_back({client, "webseal", port});
    }
  }
  expected.insert(expected.end(), {{"webseal", "was", 9080},
                                   {"webseal", "was", 9443},
                                   {"webseal", "was-linux", 9080},
                                   {"webseal", "was-linux", 9443},
                                   {"webseal", "tam", 3890},
                                   {"was", "db2", 5432},
                                   {"was-linux", "db2", 5432}});
  CHECK(flows == expected);
}

TEST_CASE("the way leads over the firewalls between") {
  const Lab lab = nine_nodes().lab;
  const auto through = orchestrator::way(lab, "client1", "was");
  REQUIRE(through);
  REQUIRE(through->size() == 2);
  CHECK((*through)[0].firewall == "firewall1");
  CHECK((*through)[1].firewall == "firewall2");
  CHECK((*through)[1].in == "dmz");
  CHECK(orchestrator::way(lab, "was", "db2")->empty());
}

TEST_CASE("a lab without a firewall between two that must meet is an error before anything is touched") {
  Lab lab = nine_nodes().lab;
  std::erase_if(lab.nodes, [](const Node& node) { return node.name == "firewall1"; });
  const Errors errors = orchestrator::check_ways(lab);
  REQUIRE(errors.size() == 2);  // a client each, whatever the ports
  CHECK(errors[0].what == "no firewall joins the networks of client1 and webseal");
  CHECK(orchestrator::check_ways(nine_nodes().lab).empty());
}

TEST_CASE("a firewall lets through what crosses it, counts it, and drops all else") {
  const std::string outer = rules_of("firewall1"), inner = rules_of("firewall2");
  CHECK(holds(outer, "ip saddr 198.18.1.11 ip daddr 198.18.2.14 tcp dport 8080 counter name \"flow/client1/webseal/8080\" accept"));
  CHECK(holds(outer, "policy drop"));
  CHECK(holds(outer, "counter name \"dropped\" drop"));
  CHECK_FALSE(holds(outer, "flow/webseal/tam"));
  CHECK(holds(inner, "ip saddr 198.18.2.14 ip daddr 198.18.3.16 tcp dport 3890"));
  CHECK_FALSE(holds(inner, "client1"));
  CHECK_FALSE(holds(inner, "flow/was/db2"));  // on one network
}

TEST_CASE("other nodes forward nothing, and reach the lab's networks only") {
  const std::string rules = rules_of("client1");
  CHECK_FALSE(holds(rules, "forward"));
  CHECK(holds(rules, "ip daddr { 198.18.1.11 } accept"));
  CHECK(holds(rules, "ip daddr { 198.18.1.0/24, 198.18.2.0/24, 198.18.3.0/24 } accept"));
}

TEST_CASE("routes lead to the networks behind the next firewall") {
  CHECK(order_of("client1") == R"([{"to":"198.18.2.0/24","via":"198.18.1.13"},{"to":"198.18.3.0/24","via":"198.18.1.13"}])");
  CHECK(order_of("webseal") == R"([{"to":"198.18.1.0/24","via":"198.18.2.13"},{"to":"198.18.3.0/24","via":"198.18.2.15"}])");
  CHECK(order_of("firewall1") == R"([{"to":"198.18.3.0/24","via":"198.18.2.15"}])");
}
