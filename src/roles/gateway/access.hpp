// Who may do what with a path: the nearest rule above it replaces what was inherited, and every rule above it must let through.
#pragma once

#include "lab/roles.hpp"
#include "roles/gateway/path.hpp"
#include "roles/gateway/principal.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lab::gateway {

enum class Verdict { allowed, login_wanted, forbidden };

// The permission that a method needs: r for GET, HEAD, POST and OPTIONS, d for DELETE, m for PUT and all others.
char permission_for(std::string_view method);

class AccessRules {
 public:
  // Without a rule for the root: with a directory everything wants a login, else everybody is let in.
  AccessRules(const std::vector<AccessRule>& rules, bool with_directory);

  // `path` in its normal form; no principal: anonymous.
  Verdict judge(std::string_view path, Letters letters, char permission, const Principal* principal) const;
  bool is_public(std::string_view path, Letters letters) const;

 private:
  struct Entry {
    std::string prefix;
    AccessRule rule;
    bool closed;  // it withholds T: nothing below it can be reached
  };
  const AccessRule& nearest(std::string_view path, Letters letters) const;
  bool is_closed_above(std::string_view path, Letters letters) const;

  std::vector<Entry> entries_;  // the longest prefix first; the root's is last and always there
  bool any_closed_ = false;
};

}  // namespace lab::gateway
