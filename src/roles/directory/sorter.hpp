// Puts entries in the order that a client asked for (RFC 2891).
#pragma once

#include "ldap/controls.hpp"
#include "matcher.hpp"

#include <optional>
#include <string>
#include <vector>

namespace lab::directory {

class Sorter {
 public:
  // Success, or why these keys cannot be sorted by: an attribute that nobody knows (16), or without an ordering rule (18).
  ldap::Outcome prepare(const Schema& schema, const std::vector<ldap::SortKey>& keys);

  bool add(const EntryView& view);  // false: there are too many
  std::vector<EntryId> sorted();    // once; entries without the attribute come last, or first in reverse

 private:
  struct Key {
    std::shared_ptr<const AttributeType> type;
    Matching matching;
    bool reverse;
  };
  struct Item {
    EntryId id;
    std::vector<std::optional<std::string>> values;  // a key each, in normal form
  };
  std::optional<std::string> value_of(const Key& key, const EntryView& view) const;
  bool is_before(const Item& a, const Item& b) const;

  std::vector<Key> keys_;
  std::vector<Item> items_;
};

}  // namespace lab::directory
