#include "attribute_list.hpp"

#include "ldap/text.hpp"

#include <algorithm>

namespace lab::directory {

namespace {

auto find_value(const Schema& schema, const AttributeType& type, const std::vector<std::string>& values, std::string_view value) {
  const Matching matching = type.equality == Matching::none ? Matching::octets : type.equality;
  const std::string normal = schema.normalize(matching, value);
  return std::find_if(values.begin(), values.end(), [&](const std::string& one) { return schema.equals(matching, one, normal); });
}

}  // namespace

ldap::Attribute* find_attribute(const Schema& schema, std::vector<ldap::Attribute>& attributes, const AttributeType& type) {
  const auto found = std::find_if(attributes.begin(), attributes.end(), [&](const ldap::Attribute& one) {
    const auto described = schema.describe(one.type);
    return described != nullptr && described->base == type.base && described->options == type.options;
  });
  return found == attributes.end() ? nullptr : &*found;
}

bool has_value(const Schema& schema, const AttributeType& type, const std::vector<std::string>& values, std::string_view value) {
  return find_value(schema, type, values, value) != values.end();
}

bool remove_value(const Schema& schema, const AttributeType& type, std::vector<std::string>& values, std::string_view value) {
  const auto found = find_value(schema, type, values, value);
  if (found == values.end()) {
    return false;
  }
  values.erase(found);
  return true;
}

void add_value(const Schema& schema, std::vector<ldap::Attribute>& attributes, const AttributeType& type, std::string value) {
  if (ldap::Attribute* held = find_attribute(schema, attributes, type)) {
    held->values.push_back(std::move(value));
  } else {
    attributes.push_back({type.name, {std::move(value)}});
  }
}

void set_value(std::vector<ldap::Attribute>& attributes, const std::string& type, std::string value) {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const ldap::Attribute& one) { return ldap::equal_ignoring_case(one.type, type); });
  if (found == attributes.end()) {
    attributes.push_back({type, {std::move(value)}});
  } else {
    found->values = {std::move(value)};
  }
}

}  // namespace lab::directory
