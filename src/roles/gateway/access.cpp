#include "roles/gateway/access.hpp"

#include "roles/gateway/path.hpp"

#include <algorithm>

namespace lab::gateway {

namespace {

bool is_listed(const AccessRule& rule, const Principal& principal) {
  const auto is_member = [&principal](const std::string& group) {
    return std::find(principal.groups.begin(), principal.groups.end(), group) != principal.groups.end();
  };
  return std::find(rule.users.begin(), rule.users.end(), principal.user) != rule.users.end() ||
         std::any_of(rule.groups.begin(), rule.groups.end(), is_member);
}

}  // namespace

AccessRules::AccessRules(const std::vector<AccessRule>& rules, bool with_directory) {
  for (const AccessRule& rule : rules) {
    entries_.push_back({normal_prefix(rule.path), rule});
  }
  entries_.push_back({"", {"/", with_directory ? AccessRule::Who::authenticated : AccessRule::Who::everybody, {}, {}}});
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.prefix.size() > b.prefix.size(); });
}

const AccessRule& AccessRules::nearest(std::string_view path) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [path](const Entry& entry) { return is_below(path, entry.prefix); });
  return found->rule;
}

Verdict AccessRules::judge(std::string_view path, const Principal* principal) const {
  const AccessRule& rule = nearest(path);
  switch (rule.allow) {
    case AccessRule::Who::everybody: return Verdict::allowed;
    case AccessRule::Who::nobody: return Verdict::forbidden;
    case AccessRule::Who::authenticated: return principal != nullptr ? Verdict::allowed : Verdict::login_wanted;
    case AccessRule::Who::listed: break;
  }
  if (principal == nullptr) {
    return Verdict::login_wanted;
  }
  return is_listed(rule, *principal) ? Verdict::allowed : Verdict::forbidden;
}

bool AccessRules::is_public(std::string_view path) const { return nearest(path).allow == AccessRule::Who::everybody; }

}  // namespace lab::gateway
