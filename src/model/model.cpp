#include "lab/lab.hpp"
#include "lab/playbook.hpp"
#include "lab/standing.hpp"

#include <algorithm>

namespace lab {

namespace {

template <class Range>
auto find_named(Range& range, const std::string& name) -> decltype(&range.front()) {
  const auto at = std::find_if(range.begin(), range.end(), [&](const auto& item) { return item.name == name; });
  return at == range.end() ? nullptr : &*at;
}

}  // namespace

std::string to_string(ProviderKind kind) {
  switch (kind) {
    case ProviderKind::local: return "local";
    case ProviderKind::container: return "container";
    case ProviderKind::ssh: return "ssh";
    case ProviderKind::zvm: return "zvm";
    case ProviderKind::lxd: return "lxd";
  }
  return {};
}

std::string to_string(Software software) {
  switch (software) {
    case Software::lab: return "lab";
    case Software::nginx: return "nginx";
    case Software::haproxy: return "haproxy";
    case Software::external: return "external";
  }
  return {};
}

std::string to_string(Role role) {
  switch (role) {
    case Role::gateway: return "gateway";
    case Role::directory: return "directory";
    case Role::pages: return "pages";
    case Role::load: return "load";
    case Role::firewall: return "firewall";
    case Role::database: return "database";
    case Role::guest: return "guest";
    case Role::external: return "external";
  }
  return {};
}

bool Node::has(Role role) const { return std::find(roles.begin(), roles.end(), role) != roles.end(); }

const Node* Lab::find(const std::string& node) const { return find_named(nodes, node); }
const StandingNode* Standing::find(const std::string& node) const { return find_named(nodes, node); }
const Profile* Playbook::profile(const std::string& wanted) const { return find_named(profiles, wanted); }

}  // namespace lab
