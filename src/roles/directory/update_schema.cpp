// What the schema asks of an entry (RFC 4512 section 2.4), and what the server writes into those that it changes.
#include "attribute_list.hpp"
#include "ldap/text.hpp"
#include "update.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <random>

namespace lab::directory {

namespace {

using ldap::Attribute;
using ldap::Outcome;
using ldap::ResultCode;
using Kind = ObjectClass::Kind;

Outcome violation(std::string why) { return {ResultCode::object_class_violation, {}, std::move(why)}; }

void collect(const ObjectClass& from, std::vector<const ObjectClass*>& into) {
  if (std::find(into.begin(), into.end(), &from) == into.end()) {
    into.push_back(&from);
    for (const ObjectClass* super : from.supers) {
      collect(*super, into);
    }
  }
}

bool lists(const std::vector<const AttributeType*>& types, const AttributeType& type) {
  return std::any_of(types.begin(), types.end(), [&](const AttributeType* one) { return one->base == type.base; });
}

std::string time_text(const char* format) {
  std::array<char, 32> text{};
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::strftime(text.data(), text.size(), format, &parts);
  return text.data();
}

std::string new_uuid() {
  std::random_device random;
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%08x-%04x-4%03x-%04x-%08x%04x", random(), random() & 0xffff, random() & 0xfff,
                0x8000 | (random() & 0x3fff), random(), random() & 0xffff);
  return text.data();
}

// A change sequence number: when, and which one of this process. Called under the tree's lock for writing.
std::string new_csn(std::size_t number) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), ".%06ldZ#%06zx#000#000000", now.tv_nsec / 1000, number & 0xffffff);
  return time_text("%Y%m%d%H%M%S") + text.data();
}

// The structural class that all others are superclasses of; null with `why` where there is none or more than one.
const ObjectClass* structural_of(const std::vector<const ObjectClass*>& named, std::string& why) {
  const ObjectClass* structural = nullptr;
  for (const ObjectClass* one : named) {
    if (one->kind == Kind::structural && (structural == nullptr || one->is_kind_of(*structural))) {
      structural = one;
    }
  }
  for (const ObjectClass* one : named) {
    if (structural != nullptr && one->kind == Kind::structural && !structural->is_kind_of(*one)) {
      why = "invalid structural object class chain (" + structural->name + "/" + one->name + ")";
      return nullptr;
    }
  }
  why = structural == nullptr ? "no structural object class provided" : "";
  return structural;
}

Outcome check_attributes(const Schema& schema, const std::vector<const ObjectClass*>& all, const std::vector<Attribute>& attributes) {
  const bool extensible = std::any_of(all.begin(), all.end(), [](const ObjectClass* one) { return one->name == "extensibleObject"; });
  std::vector<std::shared_ptr<const AttributeType>> held;
  for (const Attribute& attribute : attributes) {
    const auto type = schema.describe(attribute.type);
    const bool allowed =
        type != nullptr && (type->operational || extensible || std::any_of(all.begin(), all.end(), [&](const ObjectClass* one) {
                              return lists(one->must, *type) || lists(one->may, *type);
                            }));
    if (!allowed) {
      return violation("attribute '" + attribute.type + "' not allowed");
    }
    if (type->single_value && attribute.values.size() > 1) {
      return {ResultCode::constraint_violation, {}, "attribute '" + attribute.type + "' cannot have multiple values"};
    }
    held.push_back(type);
  }
  for (const ObjectClass* one : all) {
    for (const AttributeType* needed : one->must) {
      if (std::none_of(held.begin(), held.end(), [&](const auto& type) { return type->is_kind_of(*needed); })) {
        return violation("object class '" + one->name + "' requires attribute '" + needed->name + "'");
      }
    }
  }
  return {};
}

}  // namespace

Outcome Update::check_classes(const std::vector<Attribute>& attributes, const std::string& structural_before) const {
  if (!by_.checks_schema) {
    return {};
  }
  std::vector<const ObjectClass*> named, all;
  for (const Attribute& attribute : attributes) {
    for (const std::string& value :
         ldap::equal_ignoring_case(attribute.type, "objectClass") ? attribute.values : std::vector<std::string>()) {
      const ObjectClass* known = tree_.schema().find_class(value);
      if (known == nullptr) {
        return violation("unrecognized objectClass '" + value + "'");
      }
      named.push_back(known);
      collect(*known, all);
    }
  }
  if (named.empty()) {
    return violation("no objectClass attribute");
  }
  std::string why;
  const ObjectClass* structural = structural_of(named, why);
  if (structural == nullptr) {
    return violation(why);
  }
  if (!structural_before.empty() && structural->name != structural_before) {
    return {ResultCode::object_class_mods_prohibited,
            {},
            "structural object class modification from '" + structural_before + "' to '" + structural->name + "' not allowed"};
  }
  return check_attributes(tree_.schema(), all, attributes);
}

void Update::stamp(std::vector<Attribute>& attributes, EntryId id) const {
  const std::string now = time_text("%Y%m%d%H%M%SZ");
  const std::string who = by_.dn;
  for (const AttributeType* type : tree_.implied_types()) {
    if (type->computed || type->name == "structuralObjectClass") {
      continue;
    }
    const bool is_new = id == kNoEntry;
    const std::string before = is_new ? std::string() : tree_.implied_value(*type, id);
    const bool of_change = type->name == "modifiersName" || type->name == "modifyTimestamp" || type->name == "entryCSN";
    if (!is_new && !of_change) {
      if (!before.empty()) {
        set_value(attributes, type->name, before);
      }
      continue;
    }
    std::string value = type->name.ends_with("Timestamp") ? now
                        : type->name == "entryUUID"       ? new_uuid()
                        : type->name == "entryCSN"        ? new_csn(tree_.size())
                                                          : who;
    if (!value.empty()) {
      set_value(attributes, type->name, std::move(value));
    }
  }
}

}  // namespace lab::directory
