// A search filter made ready for one tree: types resolved, asserted values normalised, evaluated with three values.
#pragma once

#include "ldap/filter.hpp"
#include "tree.hpp"

#include <memory>
#include <string>
#include <vector>

namespace lab::directory {

enum class Truth { no, yes, undefined };  // RFC 4511 section 4.5.1.7

struct Matcher {
  enum class Kind { all_of, any_of, negation, equality, substrings, greater_or_equal, less_or_equal, present, approximate, undefined };

  Kind kind = Kind::undefined;
  std::shared_ptr<const AttributeType> type;  // null: any that the rule applies to (extensible)
  Matching matching = Matching::none;
  const MatchingRule* rule = nullptr;         // the one that the filter names
  const ObjectClass* object_class = nullptr;  // an equality of objectClass: its subclasses match as well
  bool dn_attributes = false;                 // the entry's name counts too
  std::string value;                          // normal form
  std::string initial, final;                 // normal forms; empty: not given
  std::vector<std::string> any;
  std::vector<Matcher> children;
};

struct EntryView {
  const Tree& tree;
  const Entry& entry;
  EntryId id = kNoEntry;  // kNoEntry: one outside the tree, such as the root DSE
};

// Items that nobody can judge are undefined: unknown types, types without such a rule, values that do not fit, and secret attributes
// unless `sees_secrets`.
Matcher prepare(const Schema& schema, const ldap::Filter& filter, bool sees_secrets);

// `known` is an item already found true of the entry by an index; may be null.
Truth evaluate(const Matcher& matcher, const EntryView& view, const Matcher* known = nullptr);

// An equality that an index answers and that must hold for the whole to hold; null: none.
const Matcher* indexed_item(const Matcher& matcher);

}  // namespace lab::directory
