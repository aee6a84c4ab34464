#include "matcher.hpp"

#include "ldap/text.hpp"

#include <algorithm>
#include <optional>

namespace lab::directory {

namespace {

using Kind = Matcher::Kind;
using FilterKind = ldap::Filter::Kind;

std::optional<Syntax> syntax_of_rule(std::string_view rule) {
  struct Rule {
    const char *name, *oid;
    Syntax syntax;
  };
  constexpr Rule kRules[] = {{"caseIgnoreMatch", "2.5.13.2", Syntax::case_ignore},
                             {"caseExactMatch", "2.5.13.5", Syntax::case_exact},
                             {"distinguishedNameMatch", "2.5.13.1", Syntax::dn},
                             {"integerMatch", "2.5.13.14", Syntax::integer},
                             {"octetStringMatch", "2.5.13.17", Syntax::octets}};
  for (const Rule& known : kRules) {
    if (ldap::equal_ignoring_case(rule, known.name) || rule == known.oid) {
      return known.syntax;
    }
  }
  return std::nullopt;
}

Kind kind_of(FilterKind kind) {
  switch (kind) {
    case FilterKind::all_of: return Kind::all_of;
    case FilterKind::any_of: return Kind::any_of;
    case FilterKind::negation: return Kind::negation;
    case FilterKind::substrings: return Kind::substrings;
    case FilterKind::greater_or_equal: return Kind::greater_or_equal;
    case FilterKind::less_or_equal: return Kind::less_or_equal;
    case FilterKind::present: return Kind::present;
    case FilterKind::equality:
    case FilterKind::approximate:  // as good as equality, says RFC 4511
    case FilterKind::extensible: return Kind::equality;
  }
  return Kind::undefined;
}

// Folds a piece, keeping one space at an end that had some: "john *" wants the space.
std::string fold_piece(Syntax syntax, std::string_view piece) {
  if (syntax == Syntax::octets) {
    return std::string(piece);
  }
  const bool spaces_matter = syntax == Syntax::case_ignore || syntax == Syntax::case_exact;
  const Syntax as = syntax == Syntax::dn ? Syntax::case_ignore : syntax;
  std::string folded = normalize_value(as, piece);
  if (spaces_matter && piece.starts_with(' ')) {
    folded.insert(0, 1, ' ');
  }
  if (spaces_matter && piece.ends_with(' ') && folded != " ") {
    folded.push_back(' ');
  }
  return folded;
}

Matcher prepare_item(const Schema& schema, const ldap::Filter& filter) {
  Matcher matcher{kind_of(filter.kind), schema.find(filter.attribute)};
  if (matcher.type == nullptr || matcher.type->secret) {
    return {};
  }
  matcher.syntax = matcher.type->syntax;
  if (!filter.matching_rule.empty()) {
    const std::optional<Syntax> syntax = syntax_of_rule(filter.matching_rule);
    if (!syntax) {
      return {};
    }
    matcher.syntax = *syntax;
  }
  if (matcher.kind == Kind::substrings) {
    matcher.initial = fold_piece(matcher.syntax, filter.initial);
    matcher.final = fold_piece(matcher.syntax, filter.final);
    for (const std::string& piece : filter.any) {
      matcher.any.push_back(fold_piece(matcher.syntax, piece));
    }
  } else {
    matcher.value = normalize_value(matcher.syntax, filter.value);
  }
  return matcher;
}

bool contains_pieces(const Matcher& matcher, std::string_view value) {
  if (!value.starts_with(matcher.initial)) {
    return false;
  }
  value.remove_prefix(matcher.initial.size());
  for (const std::string& piece : matcher.any) {
    const std::size_t at = value.find(piece);
    if (at == std::string_view::npos) {
      return false;
    }
    value.remove_prefix(at + piece.size());
  }
  return value.ends_with(matcher.final);
}

// Integers by magnitude, all else as strings.
bool less(Syntax syntax, std::string_view a, std::string_view b) {
  if (syntax != Syntax::integer) {
    return a < b;
  }
  const bool negative = a.starts_with('-');
  if (negative != b.starts_with('-')) {
    return negative;
  }
  const bool smaller = a.size() != b.size() ? a.size() < b.size() : a < b;
  return negative ? a != b && !smaller : smaller;
}

bool value_matches(const Matcher& matcher, std::string_view value) {
  switch (matcher.kind) {
    case Kind::equality: return equals_normal(matcher.syntax, value, matcher.value);
    case Kind::substrings: return contains_pieces(matcher, normalize_value(matcher.syntax, value));
    case Kind::greater_or_equal: return !less(matcher.syntax, normalize_value(matcher.syntax, value), matcher.value);
    case Kind::less_or_equal: return !less(matcher.syntax, matcher.value, normalize_value(matcher.syntax, value));
    default: return true;  // present
  }
}

// `decides` ends the search; otherwise undefined outweighs the neutral value.
Truth combine(const Matcher& matcher, const Entry& entry, const Matcher* known, Truth decides, Truth neutral) {
  Truth result = neutral;
  for (const Matcher& child : matcher.children) {
    const Truth truth = evaluate(child, entry, known);
    if (truth == decides) {
      return decides;
    }
    if (truth == Truth::undefined) {
      result = Truth::undefined;
    }
  }
  return result;
}

Truth negate(Truth truth) { return truth == Truth::undefined ? truth : truth == Truth::yes ? Truth::no : Truth::yes; }

}  // namespace

Matcher prepare(const Schema& schema, const ldap::Filter& filter) {
  const Kind kind = kind_of(filter.kind);
  if (kind != Kind::all_of && kind != Kind::any_of && kind != Kind::negation) {
    return prepare_item(schema, filter);
  }
  Matcher matcher{kind};
  for (const ldap::Filter& child : filter.children) {
    matcher.children.push_back(prepare(schema, child));
  }
  return matcher;
}

Truth evaluate(const Matcher& matcher, const Entry& entry, const Matcher* known) {
  if (&matcher == known) {
    return Truth::yes;
  }
  switch (matcher.kind) {
    case Kind::all_of: return combine(matcher, entry, known, Truth::no, Truth::yes);
    case Kind::any_of: return combine(matcher, entry, known, Truth::yes, Truth::no);
    case Kind::negation: return negate(evaluate(matcher.children.front(), entry, known));
    case Kind::undefined: return Truth::undefined;
    default: break;
  }
  const StoredAttribute* attribute = entry.find(*matcher.type);
  const bool holds =
      attribute != nullptr && any_value(entry, *attribute, [&matcher](std::string_view value) { return value_matches(matcher, value); });
  return holds ? Truth::yes : Truth::no;
}

const Matcher* indexed_item(const Matcher& matcher) {
  if (matcher.kind == Kind::equality && matcher.type->index >= 0 && matcher.syntax == matcher.type->syntax) {
    return &matcher;
  }
  if (matcher.kind == Kind::all_of) {
    for (const Matcher& child : matcher.children) {
      if (const Matcher* item = indexed_item(child)) {
        return item;
      }
    }
  }
  return nullptr;
}

}  // namespace lab::directory
