#include "matching.hpp"

#include "ldap/text.hpp"
#include "ldap/unicode.hpp"

#include <algorithm>
#include <charconv>

namespace lab::directory {

namespace {

using Use = MatchingRule::Use;

#define SYNTAX(n) "1.3.6.1.4.1.1466.115.121.1." #n

constexpr MatchingRule kRules[] = {
    {"objectIdentifierMatch", "2.5.13.0", SYNTAX(38), Use::equality, Matching::object_identifier},
    {"distinguishedNameMatch", "2.5.13.1", SYNTAX(12), Use::equality, Matching::dn},
    {"caseIgnoreMatch", "2.5.13.2", SYNTAX(15), Use::equality, Matching::case_ignore},
    {"caseIgnoreOrderingMatch", "2.5.13.3", SYNTAX(15), Use::ordering, Matching::case_ignore},
    {"caseIgnoreSubstringsMatch", "2.5.13.4", SYNTAX(58), Use::substrings, Matching::case_ignore},
    {"caseExactMatch", "2.5.13.5", SYNTAX(15), Use::equality, Matching::case_exact},
    {"caseExactOrderingMatch", "2.5.13.6", SYNTAX(15), Use::ordering, Matching::case_exact},
    {"caseExactSubstringsMatch", "2.5.13.7", SYNTAX(58), Use::substrings, Matching::case_exact},
    {"numericStringMatch", "2.5.13.8", SYNTAX(36), Use::equality, Matching::numeric},
    {"numericStringOrderingMatch", "2.5.13.9", SYNTAX(36), Use::ordering, Matching::numeric},
    {"numericStringSubstringsMatch", "2.5.13.10", SYNTAX(58), Use::substrings, Matching::numeric},
    {"caseIgnoreListMatch", "2.5.13.11", SYNTAX(41), Use::equality, Matching::case_ignore},
    {"caseIgnoreListSubstringsMatch", "2.5.13.12", SYNTAX(58), Use::substrings, Matching::case_ignore},
    {"booleanMatch", "2.5.13.13", SYNTAX(7), Use::equality, Matching::boolean},
    {"integerMatch", "2.5.13.14", SYNTAX(27), Use::equality, Matching::integer},
    {"integerOrderingMatch", "2.5.13.15", SYNTAX(27), Use::ordering, Matching::integer},
    {"bitStringMatch", "2.5.13.16", SYNTAX(6), Use::equality, Matching::octets},
    {"octetStringMatch", "2.5.13.17", SYNTAX(40), Use::equality, Matching::octets},
    {"octetStringOrderingMatch", "2.5.13.18", SYNTAX(40), Use::ordering, Matching::octets},
    {"octetStringSubstringsMatch", "2.5.13.19", SYNTAX(40), Use::substrings, Matching::octets},
    {"telephoneNumberMatch", "2.5.13.20", SYNTAX(50), Use::equality, Matching::telephone},
    {"telephoneNumberSubstringsMatch", "2.5.13.21", SYNTAX(58), Use::substrings, Matching::telephone},
    {"uniqueMemberMatch", "2.5.13.23", SYNTAX(34), Use::equality, Matching::dn},
    {"generalizedTimeMatch", "2.5.13.27", SYNTAX(24), Use::equality, Matching::time},
    {"generalizedTimeOrderingMatch", "2.5.13.28", SYNTAX(24), Use::ordering, Matching::time},
    {"caseExactIA5Match", "1.3.6.1.4.1.1466.109.114.1", SYNTAX(26), Use::equality, Matching::case_exact},
    {"caseIgnoreIA5Match", "1.3.6.1.4.1.1466.109.114.2", SYNTAX(26), Use::equality, Matching::case_ignore},
    {"caseIgnoreIA5SubstringsMatch", "1.3.6.1.4.1.1466.109.114.3", SYNTAX(26), Use::substrings, Matching::case_ignore},
    {"caseExactIA5SubstringsMatch", "1.3.6.1.4.1.4203.1.2.1", SYNTAX(26), Use::substrings, Matching::case_exact},
    {"UUIDMatch", "1.3.6.1.1.16.2", "1.3.6.1.1.16.1", Use::equality, Matching::uuid},
    {"UUIDOrderingMatch", "1.3.6.1.1.16.3", "1.3.6.1.1.16.1", Use::ordering, Matching::uuid},
    {"integerBitAndMatch", "1.2.840.113556.1.4.803", SYNTAX(27), Use::equality, Matching::bit_and},
    {"integerBitOrMatch", "1.2.840.113556.1.4.804", SYNTAX(27), Use::equality, Matching::bit_or},
};

struct KnownSyntax {
  const char* oid;
  Syntax syntax;
};
constexpr KnownSyntax kSyntaxes[] = {
    {SYNTAX(7), Syntax::boolean},
    {SYNTAX(11), Syntax::country_string},
    {SYNTAX(12), Syntax::dn},
    {SYNTAX(15), Syntax::directory_string},
    {SYNTAX(24), Syntax::time},
    {SYNTAX(26), Syntax::ia5_string},
    {SYNTAX(27), Syntax::integer},
    {SYNTAX(34), Syntax::name_and_uid},
    {SYNTAX(36), Syntax::numeric_string},
    {SYNTAX(38), Syntax::oid},
    {SYNTAX(40), Syntax::octets},
    {SYNTAX(41), Syntax::directory_string},
    {SYNTAX(44), Syntax::printable_string},
    {SYNTAX(50), Syntax::telephone},
    {"1.3.6.1.1.16.1", Syntax::uuid},
};
#undef SYNTAX

std::string without(std::string_view value, std::string_view unwanted) {
  std::string result;
  for (const char c : value) {
    if (unwanted.find(c) == std::string_view::npos) {
      result.push_back(ldap::to_lower(c));
    }
  }
  return result;
}

bool is_integer(std::string_view value) {
  if (value == "0") {
    return true;
  }
  value.remove_prefix(value.starts_with('-') ? 1 : 0);
  return !value.empty() && value.front() != '0' && std::all_of(value.begin(), value.end(), ldap::is_digit);
}

bool is_printable(std::string_view value) {
  constexpr std::string_view kSigns = " '()+,-./:?=";
  return !value.empty() && std::all_of(value.begin(), value.end(), [&](char c) {
    return ldap::is_alpha(c) || ldap::is_digit(c) || kSigns.find(c) != std::string_view::npos;
  });
}

// YYYYMMDDHH[MM[SS]][.F]Z or ±HHMM: RFC 4517 section 3.3.13.
bool is_time(std::string_view value) {
  const auto digits = static_cast<std::size_t>(std::find_if_not(value.begin(), value.end(), ldap::is_digit) - value.begin());
  std::string_view rest = value.substr(digits);
  if (rest.starts_with('.') || rest.starts_with(',')) {
    rest.remove_prefix(1);
    while (!rest.empty() && ldap::is_digit(rest.front())) {
      rest.remove_prefix(1);
    }
  }
  const bool offset = rest.size() == 5 && (rest[0] == '+' || rest[0] == '-') && std::all_of(rest.begin() + 1, rest.end(), ldap::is_digit);
  return (digits == 10 || digits == 12 || digits == 14) && (rest == "Z" || offset);
}

bool is_uuid(std::string_view value) {
  for (std::size_t i = 0; i < value.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? value[i] != '-' : ldap::hex_digit(value[i]) < 0) {
      return false;
    }
  }
  return value.size() == 36;
}

}  // namespace

std::span<const MatchingRule> matching_rules() { return kRules; }

const MatchingRule* find_rule(std::string_view name_or_oid) {
  const auto* const found = std::find_if(std::begin(kRules), std::end(kRules), [&](const MatchingRule& rule) {
    return ldap::equal_ignoring_case(rule.name, name_or_oid) || name_or_oid == rule.oid;
  });
  return found == std::end(kRules) ? nullptr : found;
}

Syntax syntax_of(std::string_view oid) {
  const auto* const found =
      std::find_if(std::begin(kSyntaxes), std::end(kSyntaxes), [&](const KnownSyntax& one) { return oid == one.oid; });
  return found == std::end(kSyntaxes) ? Syntax::any : found->syntax;
}

bool applies(const MatchingRule& rule, Syntax syntax) {
  switch (rule.matching) {
    case Matching::none: return false;
    case Matching::case_ignore:
    case Matching::case_exact:
      if (syntax_of(rule.syntax) == Syntax::ia5_string) {
        return syntax == Syntax::ia5_string;
      }
      return syntax == Syntax::directory_string || syntax == Syntax::printable_string || syntax == Syntax::country_string ||
             syntax == Syntax::telephone || syntax == Syntax::numeric_string;
    case Matching::dn: return syntax == syntax_of(rule.syntax);
    case Matching::integer:
    case Matching::bit_and:
    case Matching::bit_or: return syntax == Syntax::integer;
    case Matching::numeric: return syntax == Syntax::numeric_string;
    case Matching::telephone: return syntax == Syntax::telephone;
    case Matching::octets: return syntax == Syntax::octets;
    case Matching::boolean: return syntax == Syntax::boolean;
    case Matching::time: return syntax == Syntax::time;
    case Matching::uuid: return syntax == Syntax::uuid;
    case Matching::object_identifier: return syntax == Syntax::oid;
  }
  return false;
}

std::string normalize_value(Matching matching, std::string_view value) {
  switch (matching) {
    case Matching::case_ignore: return ldap::fold_case_and_space(value);
    case Matching::case_exact: return ldap::squeeze_spaces(value, false);
    case Matching::numeric: return without(value, " ");
    case Matching::telephone: return without(value, " -");
    case Matching::uuid: return without(value, "");
    default: return std::string(value);
  }
}

bool is_valid_value(Syntax syntax, std::string_view value) {
  switch (syntax) {
    case Syntax::directory_string: return !value.empty() && ldap::is_utf8(value);
    case Syntax::ia5_string: return ldap::is_ascii(value);
    case Syntax::telephone:
    case Syntax::printable_string: return is_printable(value);
    case Syntax::country_string: return value.size() == 2 && is_printable(value);
    case Syntax::numeric_string:
      return !value.empty() && std::all_of(value.begin(), value.end(), [](char c) { return ldap::is_digit(c) || c == ' '; });
    case Syntax::integer: return is_integer(value);
    case Syntax::boolean: return value == "TRUE" || value == "FALSE";
    case Syntax::time: return is_time(value);
    case Syntax::uuid: return is_uuid(value);
    default: return true;
  }
}

bool is_less(Matching matching, std::string_view a, std::string_view b) {
  if (matching != Matching::integer) {
    return a < b;
  }
  const bool negative = a.starts_with('-');
  if (negative != b.starts_with('-')) {
    return negative;
  }
  const bool smaller = a.size() != b.size() ? a.size() < b.size() : a < b;
  return negative ? a != b && !smaller : smaller;
}

std::optional<std::int64_t> to_integer(std::string_view value) {
  std::int64_t number = 0;
  const auto [end, bad] = std::from_chars(value.data(), value.data() + value.size(), number);
  return bad == std::errc{} && end == value.data() + value.size() ? std::optional(number) : std::nullopt;
}

// The consonants, classed by how they sound; vowels count at the beginning only.
std::string sound_of(std::string_view word) {
  constexpr std::string_view kClasses = "-BKT-FK--JKLMN-PKRST-F-S-S";  // by letter; vowels have none
  std::string sound;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char lower = ldap::to_lower(word[i]);
    if (!ldap::is_alpha(lower)) {
      continue;
    }
    const bool vowel = std::string_view("aeiouyhw").find(lower) != std::string_view::npos;
    if (vowel) {
      if (sound.empty()) {
        sound.push_back(lower);
      }
      continue;
    }
    const bool is_th = lower == 't' && i + 1 < word.size() && ldap::to_lower(word[i + 1]) == 'h';
    const char code = is_th ? '0' : kClasses[static_cast<std::size_t>(lower - 'a')];
    if (sound.empty() || sound.back() != code) {
      sound.push_back(code);
    }
  }
  return sound;
}

}  // namespace lab::directory
