// The text forms: filters, distinguished names and LDIF. A normal name is its own normal form; a filter's text gives it again.
#include "ldap/dn.hpp"
#include "ldap/filter.hpp"
#include "ldap/ldif.hpp"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lab::ldap;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto filter = parse_filter(text)) {
    const auto again = parse_filter(to_string(*filter));
    if (!again || !(*again == *filter)) {
      std::abort();
    }
  }
  if (const auto normal = normalize_dn(text); normal && normalize_dn(*normal) != normal) {
    std::abort();
  }
  static_cast<void>(parse_ldif(text, "fuzz.ldif"));
  return 0;
}
