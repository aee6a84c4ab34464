#include "tree.hpp"

#include "ldap/dn.hpp"

#include <algorithm>

namespace lab::directory {

namespace {

void encode_attribute(std::string& out, const std::string& name, const std::vector<std::string>& values) {
  ber::Writer writer(out);
  const ber::Writer::Scope partial(writer, ber::kSequence);
  writer.text(name);
  const ber::Writer::Scope set(writer, ber::kSet);
  for (const std::string& value : values) {
    writer.text(value);
  }
}

}  // namespace

const StoredAttribute* Entry::find(const AttributeType& type) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(), [&type](const StoredAttribute& a) { return a.type == &type; });
  return found == attributes.end() ? nullptr : &*found;
}

Tree::Tree() : indexes_(static_cast<std::size_t>(schema_.index_count())) {}

Result<void> Tree::add(std::string dn, const std::vector<ldap::Attribute>& attributes) {
  const std::optional<std::string> normal = ldap::normalize_dn(dn);
  if (!normal || normal->empty()) {
    return Error{
        "not a distinguished name: " + dn, {}, "write it as RFC 4514 has it, e.g. uid=user000001,ou=people,dc=lab", {}, Failure::usage};
  }
  if (find(*normal) != kNoEntry) {
    return Error{"an entry that is there already: " + dn, {}, "remove one of the two", {}, Failure::usage};
  }
  Entry entry;
  entry.dn = std::move(dn);
  if (const Result<void> filled = fill(entry, attributes); !filled) {
    return filled.error();
  }
  const auto id = static_cast<EntryId>(entries_.size());
  entries_.push_back(std::move(entry));
  parents_.emplace_back(ldap::parent_of(*normal));
  by_dn_.add(*normal, id);
  index(attributes, id);
  return {};
}

Result<void> Tree::fill(Entry& entry, const std::vector<ldap::Attribute>& attributes) {
  std::string operational;
  std::vector<StoredAttribute> operational_attributes;
  for (const ldap::Attribute& attribute : attributes) {
    const AttributeType& type = schema_.find_or_add(attribute.type);
    if (type.secret) {
      for (const std::string& value : attribute.values) {
        Result<Password> password = parse_password(value);
        if (!password) {
          return password.error();
        }
        entry.passwords.push_back(std::move(*password));
      }
      continue;
    }
    std::string& into = type.operational ? operational : entry.encoded;
    const auto begin = static_cast<std::uint32_t>(into.size());
    encode_attribute(into, type.name, attribute.values);
    (type.operational ? operational_attributes : entry.attributes).push_back({&type, begin, static_cast<std::uint32_t>(into.size())});
  }
  entry.user_end = static_cast<std::uint32_t>(entry.encoded.size());
  entry.encoded += operational;
  for (StoredAttribute attribute : operational_attributes) {
    entry.attributes.push_back({attribute.type, attribute.begin + entry.user_end, attribute.end + entry.user_end});
  }
  entry.encoded.shrink_to_fit();
  entry.attributes.shrink_to_fit();
  return {};
}

void Tree::index(const std::vector<ldap::Attribute>& attributes, EntryId id) {
  for (const ldap::Attribute& attribute : attributes) {
    const AttributeType& type = schema_.find_or_add(attribute.type);
    if (type.index < 0) {
      continue;
    }
    for (const std::string& value : attribute.values) {
      indexes_[static_cast<std::size_t>(type.index)].add(normalize_value(type.syntax, value), id);
    }
  }
}

void Tree::link() {
  for (EntryId id = 0; id < entries_.size(); ++id) {
    const EntryId parent = find(parents_[id]);
    entries_[id].parent = parent;
    if (parent == kNoEntry) {
      contexts_.push_back(id);
      continue;
    }
    Entry& above = entries_[parent];
    (above.last_child == kNoEntry ? above.first_child : entries_[above.last_child].next_sibling) = id;
    above.last_child = id;
  }
  parents_ = {};
  make_root_dse();
}

void Tree::make_root_dse() {
  std::vector<std::string> contexts;
  for (const EntryId id : contexts_) {
    contexts.push_back(entries_[id].dn);
  }
  const Result<void> filled = fill(root_dse_, {{"objectClass", {"top"}},
                                               {"namingContexts", contexts},
                                               {"supportedExtension", {std::string(ldap::kWhoAmI)}},
                                               // RFC 3673 (all operational attributes), RFC 4526 (absolute true and false filters)
                                               {"supportedFeatures", {"1.3.6.1.4.1.4203.1.5.1", "1.3.6.1.4.1.4203.1.5.3"}},
                                               {"supportedLDAPVersion", {"3"}},
                                               {"vendorName", {"lab"}}});
  static_cast<void>(filled.value());
}

void Tree::look_up(const AttributeType& type, std::string_view normal, std::vector<EntryId>& into) const {
  indexes_[static_cast<std::size_t>(type.index)].find(normal, into);
}

EntryId Tree::nearest_above(std::string_view normalized_dn) const {
  for (std::string_view above = ldap::parent_of(normalized_dn); !above.empty(); above = ldap::parent_of(above)) {
    if (const EntryId id = find(above); id != kNoEntry) {
      return id;
    }
  }
  return kNoEntry;
}

}  // namespace lab::directory
