#include "selection.hpp"

#include <algorithm>

namespace lab::directory {

namespace {

void append_class(const ObjectClass& from, const Schema& schema, std::vector<std::shared_ptr<const AttributeType>>& into) {
  for (const auto* types : {&from.must, &from.may}) {
    for (const AttributeType* type : *types) {
      into.push_back(schema.describe(type->name));
    }
  }
  for (const ObjectClass* super : from.supers) {
    append_class(*super, schema, into);
  }
}

}  // namespace

Selection::Selection(const Schema& schema, const std::vector<std::string>& asked, bool types_only, bool sees_secrets)
    : user_(asked.empty()), types_only_(types_only), sees_secrets_(sees_secrets) {
  for (const std::string& name : asked) {
    if (name == "*") {
      user_ = true;
    } else if (name == "+") {
      operational_ = true;
    } else if (name.starts_with('@')) {
      if (const ObjectClass* known = schema.find_class(std::string_view(name).substr(1))) {
        append_class(*known, schema, types_);
      }
    } else if (auto type = schema.describe(name)) {
      types_.push_back(std::move(type));
    }
  }
}

bool Selection::selects(const AttributeType& type) const {
  if (type.secret && !sees_secrets_) {
    return false;
  }
  return (type.operational ? operational_ : user_) ||
         std::any_of(types_.begin(), types_.end(), [&type](const auto& wanted) { return type.is_kind_of(*wanted); });
}

void Selection::append(ber::Writer& writer, const EntryView& view) const {
  const ber::Writer::Scope operation(writer, ldap::op::kSearchEntry);
  writer.text(view.entry.dn());
  const ber::Writer::Scope attributes(writer, ber::kSequence);
  if (user_ && !types_only_ && !operational_ && types_.empty()) {
    writer.raw(view.entry.encoded(view.entry.name_size, sees_secrets_ ? view.entry.secret_end : view.entry.public_end));
    return;
  }
  any_attribute(view.entry, [&](const AttributeType& type, std::string_view partial) {
    if (!selects(type)) {
      return false;
    }
    if (!types_only_) {
      writer.raw(partial);
      return false;
    }
    const ber::Writer::Scope one(writer, ber::kSequence);
    writer.text(type.name);
    writer.text({}, ber::kSet);
    return false;
  });
  if (operational_ || !types_.empty()) {
    append_implied(writer, view);
  }
}

void Selection::append_implied(ber::Writer& writer, const EntryView& view) const {
  for (const AttributeType* type : view.tree.implied_types()) {
    if (!selects(*type)) {
      continue;
    }
    const bool outside = view.id == kNoEntry;
    const bool is_dn = type->name == "entryDN", is_subschema = type->name == "subschemaSubentry";
    const std::string value = !outside       ? view.tree.implied_value(*type, view.id)
                              : is_dn        ? std::string(view.entry.dn())
                              : is_subschema ? "cn=Subschema"
                                             : std::string();
    if (value.empty() && !(outside && is_dn)) {
      continue;
    }
    const ber::Writer::Scope one(writer, ber::kSequence);
    writer.text(type->name);
    const ber::Writer::Scope set(writer, ber::kSet);
    if (!types_only_) {
      writer.text(value);
    }
  }
}

}  // namespace lab::directory
