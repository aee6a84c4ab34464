// LDIF content records (RFC 2849): folding, base64, comments, `version: 1`.
#pragma once

#include "lab/error.hpp"
#include "ldap/message.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lab::ldap {

struct LdifRecord {
  std::string dn;
  std::vector<Attribute> attributes;  // in the order of first mention
  int line = 0;                       // of its dn
};

// `path` is for messages: "people.ldif:12". Change records and values by URL are refused.
Result<std::vector<LdifRecord>> parse_ldif(std::string_view text, const std::string& path);

}  // namespace lab::ldap
