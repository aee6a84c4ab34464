// An entry's attributes while they are being changed: found by type, values compared by the type's rule.
#pragma once

#include "ldap/message.hpp"
#include "schema.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lab::directory {

// Null: there is none of just this type and these options.
ldap::Attribute* find_attribute(const Schema& schema, std::vector<ldap::Attribute>& attributes, const AttributeType& type);

bool has_value(const Schema& schema, const AttributeType& type, const std::vector<std::string>& values, std::string_view value);
bool remove_value(const Schema& schema, const AttributeType& type, std::vector<std::string>& values, std::string_view value);

// Into the attribute, which is made where there is none.
void add_value(const Schema& schema, std::vector<ldap::Attribute>& attributes, const AttributeType& type, std::string value);
// The only value of an attribute that the server keeps.
void set_value(std::vector<ldap::Attribute>& attributes, const std::string& type, std::string value);

}  // namespace lab::directory
