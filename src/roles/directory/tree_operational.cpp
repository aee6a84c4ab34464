// What a server tells about entries and about itself: operational attributes, the root DSE (RFC 4512 section 5.1), the subschema.
#include "tree.hpp"

#include "ldap/controls.hpp"

#include <array>
#include <cstdio>

namespace lab::directory {

namespace {

std::string hexadecimal(const char* format, auto... numbers) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, numbers...);
  return text.data();
}

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9U;
  value = (value ^ value >> 27) * 0x94d049bb133111ebU;
  return value ^ value >> 31;
}

}  // namespace

std::string Tree::structural_class(EntryId id) const {
  const ObjectClass* most_derived = nullptr;
  const AttributeType* classes = schema_.find("objectClass");
  any_attribute(entries_[id], [&](const AttributeType& type, std::string_view partial) {
    return &type == classes && any_value(partial, [&](std::string_view value) {
      const ObjectClass* known = schema_.find_class(value);
      const bool structural = known != nullptr && known->kind == ObjectClass::Kind::structural;
      if (structural && (most_derived == nullptr || known->is_kind_of(*most_derived))) {
        most_derived = known;
      }
      return false;
    });
  });
  return most_derived == nullptr ? std::string() : most_derived->name;
}

std::string Tree::implied_value(const AttributeType& type, EntryId id) const {
  const Entry& entry = entries_[id];
  if (any_attribute(entry, [&](const AttributeType& held, std::string_view) { return &held == &type; })) {
    return {};
  }
  const std::string_view name = type.name;
  if (name == "entryDN") {
    return std::string(entry.dn());
  }
  if (name == "hasSubordinates") {
    return entry.first_child == kNoEntry ? "FALSE" : "TRUE";
  }
  if (name == "subschemaSubentry") {
    return "cn=Subschema";
  }
  if (name == "structuralObjectClass") {
    return structural_class(id);
  }
  if (name == "creatorsName" || name == "modifiersName") {
    return administrator_;
  }
  if (name == "createTimestamp" || name == "modifyTimestamp") {
    return loaded_at_;
  }
  if (name == "entryUUID") {  // RFC 4530; version 4's form
    const std::uint64_t high = mixed(seed_ + id), low = mixed(high + id);
    return hexadecimal("%08x-%04x-4%03x-%04x-%012llx", static_cast<unsigned>(high >> 32), static_cast<unsigned>(high >> 16 & 0xffff),
                       static_cast<unsigned>(high & 0xfff), static_cast<unsigned>(0x8000 | (low >> 48 & 0x3fff)),
                       static_cast<unsigned long long>(low & 0xffffffffffff));
  }
  if (name == "entryCSN") {
    return loaded_at_.substr(0, 14) + hexadecimal(".000000Z#%06x#000#000000", id & 0xffffff);
  }
  return {};
}

void Tree::make_root_dse() {
  std::vector<std::string> contexts;
  for (const EntryId id : contexts_) {
    contexts.emplace_back(entries_[id].dn());
  }
  std::vector<ldap::Attribute> attributes{{"objectClass", {"top", "OpenLDAProotDSE"}},
                                          {"structuralObjectClass", {"OpenLDAProotDSE"}},
                                          {"namingContexts", contexts},
                                          {"supportedControl", ldap::supported_controls()},
                                          {"supportedExtension", ldap::supported_extensions()},
                                          {"supportedFeatures", ldap::supported_features()},
                                          {"supportedLDAPVersion", {"3"}}};
  fill(root_dse_, "", attributes);
  attributes.push_back({"supportedSASLMechanisms", {"EXTERNAL"}});
  fill(root_dse_with_external_, "", attributes);
}

void Tree::make_subschema() {
  std::vector<ldap::Attribute> attributes{{"objectClass", {"top", "subentry", "subschema", "extensibleObject"}},
                                          {"cn", {"Subschema"}},
                                          {"structuralObjectClass", {"subentry"}},
                                          {"createTimestamp", {loaded_at_}},
                                          {"modifyTimestamp", {loaded_at_}}};
  for (const auto& [kind, values] : schema_.definitions()) {
    attributes.push_back({kind, values});
  }
  fill(subschema_, "cn=Subschema", attributes);
}

}  // namespace lab::directory
