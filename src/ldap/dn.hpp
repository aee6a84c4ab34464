// Distinguished names: RFC 4514's text, and one normal form in which equal names are equal strings.
#pragma once

#include "lab/error.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lab::ldap {

struct NamePart {  // one attribute=value of an RDN
  std::string type;
  std::string value;  // raw bytes, unescaped
  bool operator==(const NamePart&) const = default;
};
using Rdn = std::vector<NamePart>;  // more than one part: "cn=a+uid=b"
using Dn = std::vector<Rdn>;        // the entry's own RDN first; empty: the root

// "uid=a,ou=people,dc=lab" with \ escapes, "+", #hex and spaces around separators. Nothing on bad syntax.
std::optional<Dn> parse_dn(std::string_view text);
std::string to_string(const Dn& dn);
std::string escape_dn_value(std::string_view value);

// Types in lower case, values folded (case and spaces are ignored, as in all naming attributes here), parts of an RDN sorted.
std::string normalize(const Dn& dn);
std::optional<std::string> normalize_dn(std::string_view text);

// Lower-case letters, digits and hyphens only, one part an RDN: then it is its own normal form. So are nearly all names in practice.
bool is_plainly_normal(std::string_view text);

// Of normal forms: "uid=a,dc=lab" → "dc=lab" → "". Commas in values are escaped there, so the first plain one ends the RDN.
std::string_view parent_of(std::string_view normalized);

}  // namespace lab::ldap
