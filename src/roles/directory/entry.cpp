#include "entry.hpp"

namespace lab::directory {

std::vector<ldap::Attribute> attributes_of(const Entry& entry) {
  std::vector<ldap::Attribute> attributes;
  any_attribute(entry, [&](const AttributeType& type, std::string_view partial) {
    ldap::Attribute& attribute = attributes.emplace_back(ldap::Attribute{type.name, {}});
    any_value(partial, [&](std::string_view value) {
      attribute.values.emplace_back(value);
      return false;
    });
    return false;
  });
  return attributes;
}

void append_attribute(std::string& out, std::string_view name, const std::vector<std::string>& values) {
  ber::Writer writer(out);
  const ber::Writer::Scope partial(writer, ber::kSequence);
  writer.text(name);
  const ber::Writer::Scope set(writer, ber::kSet);
  for (const std::string& value : values) {
    writer.text(value);
  }
}

}  // namespace lab::directory
