// Matching rules and syntaxes (RFC 4517): normal forms, in which equal values are equal strings, and checks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lab::directory {

// What a matching rule makes of a value. `none`: there is no such rule, an item that needs it is undefined.
enum class Matching : std::uint8_t {
  none,
  case_ignore,
  case_exact,
  dn,
  integer,
  numeric,
  telephone,
  octets,
  boolean,
  time,
  uuid,
  object_identifier,
  bit_and,  // of integers, as Active Directory has them
  bit_or,
};

enum class Syntax : std::uint8_t {
  any,
  directory_string,
  ia5_string,
  printable_string,
  country_string,
  numeric_string,
  integer,
  boolean,
  dn,
  name_and_uid,
  telephone,
  time,
  uuid,
  oid,
  octets,
};

struct MatchingRule {
  enum class Use : std::uint8_t { equality, ordering, substrings };

  const char *name, *oid, *syntax;  // the syntax of its assertions
  Use use;
  Matching matching;
};

std::span<const MatchingRule> matching_rules();
const MatchingRule* find_rule(std::string_view name_or_oid);  // case ignored; null: nobody knows it
Syntax syntax_of(std::string_view oid);

// Whether values of this syntax can be compared by the rule.
bool applies(const MatchingRule& rule, Syntax syntax);

// All but dn and object_identifier, which need a schema.
std::string normalize_value(Matching matching, std::string_view value);
bool is_valid_value(Syntax syntax, std::string_view value);

// Of normal forms: integers by magnitude, all else as strings.
bool is_less(Matching matching, std::string_view a, std::string_view b);

// "10" as a number; nothing beyond 64 bits.
std::optional<std::int64_t> to_integer(std::string_view value);

// One word as it sounds: what sounds alike has the same form. For approximate matches (RFC 4511 leaves the rule to the server).
std::string sound_of(std::string_view word);

}  // namespace lab::directory
