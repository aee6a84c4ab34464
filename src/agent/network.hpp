// The node's routes and packet filter, where a controller manages them: ip(8) and nft(8), as root of the node's own network namespace.
#pragma once

#include "lab/error.hpp"
#include "lab/units.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace lab::agent {

struct Route {
  std::string to, via;  // "198.18.3.0/24", "198.18.2.15"
};

// {routes: [{to, via}], ruleset: text of nft(8)}
struct NetworkOrder {
  std::vector<Route> routes;
  std::string ruleset;
};
Result<NetworkOrder> network_order_of(const boost::json::object& params);

// Routes to other networks are exactly these afterwards, and no default route; the rule set is replaced in one transaction.
Result<void> set_network(const NetworkOrder& order, Deadline deadline);

// The named counters of the table `inet lab`: [{name, packets, bytes}], in their order there. Errors: there is no such table.
Result<boost::json::array> network_counters(Deadline deadline);
// From what `nft -j list counters` printed.
Result<boost::json::array> read_counters(std::string_view listed);

}  // namespace lab::agent
