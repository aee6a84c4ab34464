#include "matcher.hpp"

#include "ldap/dn.hpp"
#include "ldap/text.hpp"

#include <algorithm>
#include <optional>

namespace lab::directory {

namespace {

using Kind = Matcher::Kind;
using FilterKind = ldap::Filter::Kind;

Kind kind_of(FilterKind kind) {
  switch (kind) {
    case FilterKind::all_of: return Kind::all_of;
    case FilterKind::any_of: return Kind::any_of;
    case FilterKind::negation: return Kind::negation;
    case FilterKind::substrings: return Kind::substrings;
    case FilterKind::greater_or_equal: return Kind::greater_or_equal;
    case FilterKind::less_or_equal: return Kind::less_or_equal;
    case FilterKind::present: return Kind::present;
    case FilterKind::approximate: return Kind::approximate;
    case FilterKind::equality:
    case FilterKind::extensible: return Kind::equality;
  }
  return Kind::undefined;
}

// Folds a piece, keeping one space at an end that had some: "john *" wants the space.
std::string fold_piece(Matching matching, std::string_view piece) {
  std::string folded = normalize_value(matching, piece);
  const bool spaces_matter = matching == Matching::case_ignore || matching == Matching::case_exact;
  if (spaces_matter && piece.starts_with(' ')) {
    folded.insert(0, 1, ' ');
  }
  if (spaces_matter && piece.ends_with(' ') && folded != " ") {
    folded.push_back(' ');
  }
  return folded;
}

// The rule that an item of this kind uses; none where the type has none.
Matching matching_of(const AttributeType& type, Kind kind) {
  switch (kind) {
    case Kind::substrings: return type.substrings;
    case Kind::greater_or_equal:
    case Kind::less_or_equal: return type.ordering;
    default: return type.equality;
  }
}

Syntax syntax_of_assertion(Matching matching) {
  switch (matching) {
    case Matching::integer:
    case Matching::bit_and:
    case Matching::bit_or: return Syntax::integer;
    case Matching::dn: return Syntax::dn;
    case Matching::boolean: return Syntax::boolean;
    case Matching::time: return Syntax::time;
    case Matching::uuid: return Syntax::uuid;
    case Matching::telephone: return Syntax::telephone;
    case Matching::object_identifier: return Syntax::oid;
    default: return Syntax::any;
  }
}

bool resolve_rule(const ldap::Filter& filter, Matcher& matcher) {
  matcher.dn_attributes = filter.dn_attributes;
  if (filter.matching_rule.empty()) {
    matcher.matching = matching_of(*matcher.type, matcher.kind);
    return matcher.matching != Matching::none;
  }
  const MatchingRule* rule = find_rule(filter.matching_rule);
  if (rule == nullptr || rule->use != MatchingRule::Use::equality) {
    return false;
  }
  matcher.rule = rule;
  matcher.matching = rule->matching;
  return matcher.type == nullptr || applies(*rule, matcher.type->syntax);
}

bool asserts_value(const Schema& schema, const ldap::Filter& filter, Matcher& matcher) {
  // The syntax of the attribute says what may be asserted; where a rule is named alone, the rule's does.
  const bool own_rule = filter.matching_rule.empty();
  const Syntax syntax = own_rule && matcher.type->syntax != Syntax::any && matcher.kind != Kind::approximate
                            ? matcher.type->syntax
                            : syntax_of_assertion(matcher.matching);
  if (!schema.is_valid(syntax, filter.value)) {
    return false;
  }
  matcher.value = schema.normalize(matcher.matching, filter.value);
  if (matcher.matching == Matching::object_identifier) {
    matcher.object_class = schema.find_class(filter.value);
  }
  return true;
}

Matcher prepare_item(const Schema& schema, const ldap::Filter& filter, bool sees_secrets) {
  Matcher matcher{kind_of(filter.kind)};
  const bool names_type = !filter.attribute.empty() || filter.matching_rule.empty();
  matcher.type = names_type ? schema.describe(filter.attribute) : nullptr;
  if (names_type && (matcher.type == nullptr || (matcher.type->secret && !sees_secrets))) {
    return {};
  }
  if (matcher.kind == Kind::present) {
    return matcher;
  }
  if (!resolve_rule(filter, matcher)) {
    return {};
  }
  if (matcher.kind != Kind::substrings) {
    return asserts_value(schema, filter, matcher) ? matcher : Matcher{};
  }
  matcher.initial = fold_piece(matcher.matching, filter.initial);
  matcher.final = fold_piece(matcher.matching, filter.final);
  for (const std::string& piece : filter.any) {
    matcher.any.push_back(fold_piece(matcher.matching, piece));
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

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) {
      words.push_back(text.substr(0, end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

// Every asserted word sounds like one of the value's, in their order.
bool sounds_alike(std::string_view asserted, std::string_view value) {
  const std::vector<std::string_view> heard = words_of(value);
  auto at = heard.begin();
  for (const std::string_view word : words_of(asserted)) {
    at = std::find_if(at, heard.end(),
                      [&](std::string_view one) { return one == word || (sound_of(one) == sound_of(word) && !sound_of(word).empty()); });
    if (at == heard.end()) {
      return false;
    }
    ++at;
  }
  return true;
}

bool bits_match(const Matcher& matcher, std::string_view value) {
  const std::optional<std::int64_t> held = to_integer(value), wanted = to_integer(matcher.value);
  if (!held || !wanted) {
    return false;
  }
  return matcher.matching == Matching::bit_and ? (*held & *wanted) == *wanted : (*held & *wanted) != 0;
}

bool equals(const Schema& schema, const Matcher& matcher, std::string_view value) {
  if (matcher.matching == Matching::bit_and || matcher.matching == Matching::bit_or) {
    return bits_match(matcher, value);
  }
  if (matcher.object_class != nullptr) {
    const ObjectClass* held = schema.find_class(value);
    return held != nullptr && held->is_kind_of(*matcher.object_class);
  }
  return schema.equals(matcher.matching, value, matcher.value);
}

bool value_matches(const Schema& schema, const Matcher& matcher, std::string_view value) {
  const Matching matching = matcher.matching;
  switch (matcher.kind) {
    case Kind::equality: return equals(schema, matcher, value);
    case Kind::substrings: return contains_pieces(matcher, schema.normalize(matching, value));
    case Kind::greater_or_equal: return !is_less(matching, schema.normalize(matching, value), matcher.value);
    case Kind::less_or_equal: return !is_less(matching, matcher.value, schema.normalize(matching, value));
    case Kind::approximate:
      return matching == Matching::case_ignore ? sounds_alike(matcher.value, schema.normalize(matching, value))
                                               : equals(schema, matcher, value);
    default: return true;  // present
  }
}

bool concerns(const Matcher& matcher, const AttributeType& type) {
  return matcher.type != nullptr ? type.is_kind_of(*matcher.type) : !type.secret && applies(*matcher.rule, type.syntax);
}

bool name_matches(const Matcher& matcher, const EntryView& view) {
  const Schema& schema = view.tree.schema();
  for (const ldap::Rdn& rdn : ldap::parse_dn(view.entry.dn()).value_or(ldap::Dn())) {
    for (const ldap::NamePart& part : rdn) {
      const AttributeType* type = schema.find(part.type);
      if (type != nullptr && concerns(matcher, *type) && value_matches(schema, matcher, part.value)) {
        return true;
      }
    }
  }
  return false;
}

bool implied_matches(const Matcher& matcher, const EntryView& view) {
  if (matcher.type == nullptr || !matcher.type->operational || view.id == kNoEntry || matcher.type->name == "subschemaSubentry") {
    return false;
  }
  const std::string value = view.tree.implied_value(*matcher.type, view.id);
  return !value.empty() && value_matches(view.tree.schema(), matcher, value);
}

bool item_holds(const Matcher& matcher, const EntryView& view) {
  const Schema& schema = view.tree.schema();
  return any_attribute(view.entry,
                       [&](const AttributeType& type, std::string_view partial) {
                         return concerns(matcher, type) &&
                                any_value(partial, [&](std::string_view value) { return value_matches(schema, matcher, value); });
                       }) ||
         implied_matches(matcher, view) || (matcher.dn_attributes && name_matches(matcher, view));
}

// `decides` ends the search; otherwise undefined outweighs the neutral value.
Truth combine(const Matcher& matcher, const EntryView& view, const Matcher* known, Truth decides, Truth neutral) {
  Truth result = neutral;
  for (const Matcher& child : matcher.children) {
    const Truth truth = evaluate(child, view, known);
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

Matcher prepare(const Schema& schema, const ldap::Filter& filter, bool sees_secrets) {
  const Kind kind = kind_of(filter.kind);
  if (kind != Kind::all_of && kind != Kind::any_of && kind != Kind::negation) {
    return prepare_item(schema, filter, sees_secrets);
  }
  Matcher matcher{kind};
  for (const ldap::Filter& child : filter.children) {
    matcher.children.push_back(prepare(schema, child, sees_secrets));
  }
  return matcher;
}

Truth evaluate(const Matcher& matcher, const EntryView& view, const Matcher* known) {
  switch (matcher.kind) {
    case Kind::all_of: return combine(matcher, view, known, Truth::no, Truth::yes);
    case Kind::any_of: return combine(matcher, view, known, Truth::yes, Truth::no);
    case Kind::negation: return negate(evaluate(matcher.children.front(), view, known));
    case Kind::undefined: return Truth::undefined;
    default: return &matcher == known || item_holds(matcher, view) ? Truth::yes : Truth::no;
  }
}

const Matcher* indexed_item(const Matcher& matcher) {
  if (matcher.kind == Kind::equality && matcher.type != nullptr && matcher.type->index >= 0 && matcher.type->options.empty() &&
      matcher.matching == matcher.type->equality && !matcher.dn_attributes) {
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
