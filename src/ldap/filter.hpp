// Search filters (RFC 4511 section 4.5.1.7) and their text (RFC 4515).
#pragma once

#include "lab/error.hpp"
#include "ldap/ber.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lab::ldap {

struct Filter {
  enum class Kind { all_of, any_of, negation, equality, substrings, greater_or_equal, less_or_equal, present, approximate, extensible };

  Kind kind = Kind::present;
  std::string attribute;              // description; empty for all_of, any_of, negation, and where an extensible match names none
  std::string value;                  // asserted; raw bytes
  std::vector<Filter> children = {};  // all_of, any_of: any number (none: RFC 4526); negation: one

  std::string initial = {}, final = {};  // substrings; empty: not given
  std::vector<std::string> any = {};

  std::string matching_rule = {};  // extensible
  bool dn_attributes = false;

  bool operator==(const Filter&) const = default;
};

Filter equality(std::string attribute, std::string value);
Filter present(std::string attribute);
Filter all_of(std::vector<Filter> children);

constexpr int kMaxFilterDepth = 100;
constexpr int kMaxFilterItems = 10'000;

// What stands in for a filter's value in text: `*`, `(`, `)`, `\` and NUL as \xx (RFC 4515 section 3).
std::string escape_filter_value(std::string_view value);

// "(&(uid=a\2ab)(!(mail=*)))"; the outer parentheses may be left out, as ldapsearch allows. Errors say at which character.
Result<Filter> parse_filter(std::string_view text);
std::string to_string(const Filter& filter);

// In messages. Reading stops with reader.fail() on malformed input; nesting and the number of items are limited as above.
enum class FilterStatus { good, malformed, too_complex };
FilterStatus read_filter(ber::Reader& reader, Filter& filter);
void write_filter(ber::Writer& writer, const Filter& filter);

}  // namespace lab::ldap
