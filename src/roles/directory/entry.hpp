// One entry as it is kept: its name and its attributes in the bytes that answers have.
#pragma once

#include "equality_index.hpp"
#include "ldap/message.hpp"
#include "schema.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lab::directory {

namespace ber = ldap::ber;

using Shape = std::vector<const AttributeType*>;  // an entry's types in order; entries of the same shape share it

struct Entry {
  std::string data;              // the name, then PartialAttributes: public user attributes, secret ones, operational ones
  const Shape* shape = nullptr;  // of all attributes
  std::uint32_t name_size = 0, public_end = 0, secret_end = 0;
  EntryId parent = kNoEntry, first_child = kNoEntry, last_child = kNoEntry, next_sibling = kNoEntry, previous_sibling = kNoEntry;
  bool gone = false;  // deleted; searches under way may still stand on it

  std::string_view dn() const { return std::string_view(data).substr(0, name_size); }
  std::string_view encoded(std::size_t begin, std::size_t end) const { return std::string_view(data).substr(begin, end - begin); }
};

// Calls `use(type, partial attribute)` for each attribute until it returns true; whether one did.
template <class Use>
bool any_attribute(const Entry& entry, Use use) {
  std::string_view rest = std::string_view(entry.data).substr(entry.name_size);
  for (const AttributeType* type : *entry.shape) {
    const std::size_t size = ber::frame(rest, rest.size()).size;
    if (use(*type, rest.substr(0, size))) {
      return true;
    }
    rest.remove_prefix(size);
  }
  return false;
}

// Calls `use(value)` for each value of a partial attribute until it returns true; whether one did.
template <class Use>
bool any_value(std::string_view partial_attribute, Use use) {
  ber::Reader partial = ber::Reader(partial_attribute).open(ber::kSequence);
  partial.read(ber::kOctetString);
  ber::Reader values = partial.open(ber::kSet);
  while (!values.done()) {
    if (use(values.read(ber::kOctetString))) {
      return true;
    }
  }
  return false;
}

std::vector<ldap::Attribute> attributes_of(const Entry& entry);  // all of them, as they were added

void append_attribute(std::string& out, std::string_view name, const std::vector<std::string>& values);

}  // namespace lab::directory
