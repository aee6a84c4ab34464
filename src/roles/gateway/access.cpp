#include "roles/gateway/access.hpp"

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

char permission_for(std::string_view method) {
  if (method == "GET" || method == "HEAD" || method == "POST" || method == "OPTIONS") {
    return 'r';
  }
  return method == "DELETE" ? 'd' : 'm';
}

AccessRules::AccessRules(const std::vector<AccessRule>& rules, bool with_directory) {
  std::vector<AccessRule> all = rules;
  all.push_back({"/", with_directory ? AccessRule::Who::authenticated : AccessRule::Who::everybody, {}, {}});
  for (AccessRule& rule : all) {
    const bool closed = rule.permissions.find('T') == std::string::npos;
    any_closed_ = any_closed_ || closed;
    entries_.push_back({normal_prefix(rule.path), std::move(rule), closed});
  }
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.prefix.size() > b.prefix.size(); });
}

const AccessRule& AccessRules::nearest(std::string_view path, Letters letters) const {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return is_below(path, entry.prefix, letters); });
  return found->rule;
}

// The rule of the path itself is no container above it.
bool AccessRules::is_closed_above(std::string_view path, Letters letters) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.closed && is_below(path, entry.prefix, letters) && path.size() > entry.prefix.size() + 1;
  });
}

Verdict AccessRules::judge(std::string_view path, Letters letters, char permission, const Principal* principal) const {
  if (any_closed_ && is_closed_above(path, letters)) {
    return Verdict::forbidden;
  }
  const AccessRule& rule = nearest(path, letters);
  if (rule.allow == AccessRule::Who::nobody) {
    return Verdict::forbidden;
  }
  if (rule.allow != AccessRule::Who::everybody && principal == nullptr) {
    return Verdict::login_wanted;
  }
  const bool permitted = rule.permissions.find(permission) != std::string::npos;
  const bool meant = rule.allow != AccessRule::Who::listed || is_listed(rule, *principal);
  return permitted && meant ? Verdict::allowed : Verdict::forbidden;
}

bool AccessRules::is_public(std::string_view path, Letters letters) const {
  return nearest(path, letters).allow == AccessRule::Who::everybody;
}

}  // namespace lab::gateway
