// Letters beyond ASCII as matching rules see them (RFC 4518): case folded, composed. Latin, Greek and Cyrillic; all others as they are.
#pragma once

#include <string>
#include <string_view>

namespace lab::ldap {

bool is_utf8(std::string_view text);  // RFC 3629: no overlong forms, no surrogates

// Upper case to lower where `fold` says so; letters and combining marks that have a composed form become it. Bytes that are no UTF-8 stay.
std::string compose(std::string_view text, bool fold);

}  // namespace lab::ldap
