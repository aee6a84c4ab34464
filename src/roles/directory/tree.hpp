// The directory information tree: immutable once linked, shared read-only by all threads.
#pragma once

#include "equality_index.hpp"
#include "lab/error.hpp"
#include "ldap/message.hpp"
#include "password.hpp"
#include "schema.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lab::directory {

namespace ber = ldap::ber;

struct StoredAttribute {
  const AttributeType* type;
  std::uint32_t begin, end;  // its PartialAttribute in Entry::encoded
};

struct Entry {
  std::string dn;                           // as the data spells it
  std::string encoded;                      // the attributes as they go into answers; user attributes first, no secret ones
  std::uint32_t user_end = 0;               // where the operational ones begin
  std::vector<StoredAttribute> attributes;  // in the order of `encoded`
  std::vector<Password> passwords;
  EntryId parent = kNoEntry, first_child = kNoEntry, last_child = kNoEntry, next_sibling = kNoEntry;

  const StoredAttribute* find(const AttributeType& type) const;
  std::string_view encoded_attribute(const StoredAttribute& attribute) const {
    return std::string_view(encoded).substr(attribute.begin, attribute.end - attribute.begin);
  }
};

// Calls `use(value)` for each value until it returns true; whether one did.
template <class Use>
bool any_value(const Entry& entry, const StoredAttribute& attribute, Use use) {
  ber::Reader partial = ber::Reader(entry.encoded_attribute(attribute)).open(ber::kSequence);
  partial.read(ber::kOctetString);
  ber::Reader values = partial.open(ber::kSet);
  while (!values.done()) {
    if (use(values.read(ber::kOctetString))) {
      return true;
    }
  }
  return false;
}

class Tree {
 public:
  Tree();

  // Adds an entry, children before or after their parents. Errors: a bad DN, one that is there already, an unusable password.
  Result<void> add(std::string dn, const std::vector<ldap::Attribute>& attributes);
  // Once, after the last add(). Entries without a parent become naming contexts.
  void link();

  EntryId find(std::string_view normalized_dn) const { return by_dn_.first(normalized_dn); }
  const Entry& operator[](EntryId id) const { return entries_[id]; }
  std::size_t size() const { return entries_.size(); }
  const std::vector<EntryId>& naming_contexts() const { return contexts_; }
  const Schema& schema() const { return schema_; }
  // Appends the entries that have this normalised value; the type must have an index.
  void look_up(const AttributeType& type, std::string_view normal, std::vector<EntryId>& into) const;
  const Entry& root_dse() const { return root_dse_; }
  // The nearest entry above a DN that is not there; kNoEntry: none.
  EntryId nearest_above(std::string_view normalized_dn) const;

 private:
  Result<void> fill(Entry& entry, const std::vector<ldap::Attribute>& attributes);
  void index(const std::vector<ldap::Attribute>& attributes, EntryId id);
  void make_root_dse();

  Schema schema_;
  std::vector<Entry> entries_;
  std::vector<std::string> parents_;  // normalised DN of each entry's parent, until link()
  EqualityIndex by_dn_;
  std::vector<EqualityIndex> indexes_;
  std::vector<EntryId> contexts_;
  Entry root_dse_;
};

}  // namespace lab::directory
