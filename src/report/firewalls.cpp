#include "report/firewalls.hpp"

#include "report/text.hpp"
#include "store/read.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

namespace lab::report {

namespace {

namespace json = boost::json;

std::string whole(std::uint64_t count) { return count < 1000 ? std::to_string(count) : number(static_cast<double>(count)); }

std::string packets(const json::object& counted) {
  const auto number_of_packets = store::count_of(counted, "packets");
  return fmt::format("{} packet{}, {} bytes", whole(number_of_packets), number_of_packets == 1 ? "" : "s",
                     whole(store::count_of(counted, "bytes")));
}

void add(Facts& facts, const json::object& firewall) {
  const std::string node = store::text_of(firewall, "node");
  for (const json::value& one : store::array_of(firewall, "flows")) {
    if (one.is_object()) {
      const json::object& flow = one.get_object();
      facts.emplace_back(fmt::format("{}: {} → {}, port {}", node, store::text_of(flow, "from"), store::text_of(flow, "to"),
                                     store::count_of(flow, "port")),
                         fmt::format("{} connections", whole(store::count_of(flow, "packets"))));
    }
  }
  facts.emplace_back(node + ": on connections that stand", packets(store::object_of(firewall, "replies")));
  facts.emplace_back(node + ": dropped", packets(store::object_of(firewall, "dropped")));
}

}  // namespace

Facts firewall_facts(const Run& run) {
  Facts facts;
  for (const json::value& firewall : store::array_of(run.results.environment, "firewalls")) {
    if (firewall.is_object()) {
      add(facts, firewall.get_object());
    }
  }
  return facts;
}

}  // namespace lab::report
