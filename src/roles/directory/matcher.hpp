// A search filter made ready for one tree: types resolved, asserted values normalised, evaluated with three values.
#pragma once

#include "ldap/filter.hpp"
#include "tree.hpp"

#include <string>
#include <vector>

namespace lab::directory {

enum class Truth { no, yes, undefined };  // RFC 4511 section 4.5.1.7

struct Matcher {
  enum class Kind { all_of, any_of, negation, equality, substrings, greater_or_equal, less_or_equal, present, undefined };

  Kind kind = Kind::undefined;
  const AttributeType* type = nullptr;
  Syntax syntax = Syntax::case_ignore;
  std::string value;           // normal form
  std::string initial, final;  // normal forms; empty: not given
  std::vector<std::string> any;
  std::vector<Matcher> children;
};

// Attributes that nobody knows, and secret ones, make an item undefined.
Matcher prepare(const Schema& schema, const ldap::Filter& filter);

// `known` is an item already found true of the entry by an index; may be null.
Truth evaluate(const Matcher& matcher, const Entry& entry, const Matcher* known = nullptr);

// An equality that an index answers and that must hold for the whole to hold; null: none.
const Matcher* indexed_item(const Matcher& matcher);

}  // namespace lab::directory
