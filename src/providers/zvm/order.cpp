#include "providers/zvm/order.hpp"

#include "config/addresses.hpp"
#include "providers/zvm/guest_record.hpp"

#include <algorithm>
#include <cmath>

namespace lab::providers::zvm {

namespace {

constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20, kDefaultMemoryMb = 2048;

// Virtual CPUs to begin with: what the node is limited to, else all that it may have.
int cpus_of(const Site& site, const Node& node) {
  if (node.cpus) {
    return std::max(1, static_cast<int>(std::ceil(*node.cpus * site.cpu_unit)));
  }
  return std::max(1, node.guest.max_cpus);
}

std::string cidr_of(const Lab& lab, const Node& node) {
  const auto address = config::parse_address(node.address);
  for (const Network& network : lab.networks) {
    const bool stands_there = std::find(node.networks.begin(), node.networks.end(), network.name) != node.networks.end();
    if (stands_there && address && config::contains(network, *address)) {
      return config::format_network(network);
    }
  }
  return {};
}

}  // namespace

Result<GuestOrder> order_of(const Site& site, const Node& node, const FeilongAccess& access) {
  GuestOrder order;
  order.userid = node.guest.userid;
  order.label = label_of(site.name, site.state, node.name);
  order.vcpus = cpus_of(site, node);
  order.max_cpus = node.guest.max_cpus;
  order.memory_mb = node.guest.memory == 0 ? kDefaultMemoryMb : std::max<std::uint64_t>(1, node.guest.memory / kMegabyte);
  order.disks = node.guest.disks;
  order.disk_pool = access.disk_pool;
  order.user_profile = access.user_profile;
  order.image = node.guest.image;
  order.os_version = node.guest.image;  // where Feilong does not say it
  order.vswitch = node.guest.vswitch;
  order.address = node.address;
  order.gateway = node.guest.gateway;
  order.cidr = cidr_of(site.lab, node);
  return order.cidr.empty() ? Result<GuestOrder>(Error{"no network of the node has its address " + node.address, "node " + node.name,
                                                       "name one in `networks`: its prefix is what the guest is told"})
                            : Result<GuestOrder>(std::move(order));
}

}  // namespace lab::providers::zvm
