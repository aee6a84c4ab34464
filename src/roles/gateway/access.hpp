// Who may have a path: the nearest rule above it replaces what was inherited.
#pragma once

#include "lab/roles.hpp"
#include "roles/gateway/principal.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lab::gateway {

enum class Verdict { allowed, login_wanted, forbidden };

class AccessRules {
 public:
  // Without a rule for the root: with a directory everything wants a login, else everybody is let in.
  AccessRules(const std::vector<AccessRule>& rules, bool with_directory);

  // `path` in its normal form; no principal: anonymous.
  Verdict judge(std::string_view path, const Principal* principal) const;
  bool is_public(std::string_view path) const;

 private:
  struct Entry {
    std::string prefix;
    AccessRule rule;
  };
  const AccessRule& nearest(std::string_view path) const;
  std::vector<Entry> entries_;  // the longest prefix first; the root's is last and always there
};

}  // namespace lab::gateway
