#include "update.hpp"

#include "attribute_list.hpp"
#include "ldap/dn.hpp"
#include "ldap/text.hpp"
#include "matcher.hpp"
#include "selection.hpp"

#include <algorithm>

namespace lab::directory {

namespace {

using ldap::Attribute;
using ldap::Change;
using ldap::Outcome;
using ldap::ResultCode;

bool good(const Outcome& outcome) { return outcome.code == ResultCode::success; }

const ldap::Rdn& first_rdn(const ldap::Dn& dn) { return dn.front(); }

}  // namespace

Outcome Update::locate(const std::string& dn, std::optional<Names>& names) const {
  names = tree_.schema().names_of(dn);
  if (!names) {
    return {ResultCode::invalid_dn_syntax, {}, "invalid DN"};
  }
  const bool is_servers_own = names->normal.empty() || names->normal == "cn=subschema";
  if (is_servers_own || !tree_.is_below_a_context(names->normal)) {
    return {ResultCode::unwilling_to_perform, {}, "no naming context of this server"};
  }
  if (by_.dn.empty() && !by_.may_write) {
    return {ResultCode::stronger_auth_required, {}, "modifications require authentication"};
  }
  return {};
}

Outcome Update::find(const std::string& dn, EntryId& id) {
  std::optional<Names> names;
  if (Outcome outcome = locate(dn, names); !good(outcome)) {
    return outcome;
  }
  id = tree_.find(names->normal);
  if (id == kNoEntry) {
    return {ResultCode::no_such_object, std::string(tree_[tree_.nearest_above(names->normal)].dn()), {}};
  }
  if (controls_.assertion) {
    const Matcher assertion = prepare(tree_.schema(), *controls_.assertion, false);
    if (evaluate(assertion, {tree_, tree_[id], id}) != Truth::yes) {
      return {ResultCode::assertion_failed, {}, {}};
    }
  }
  if (!by_.may_write) {
    return {ResultCode::insufficient_access_rights, {}, "only the administrator may write"};
  }
  return {};
}

// What is wrong with values whatever the entry is.
Outcome Update::check_values(const Attribute& attribute) const {
  const auto type = tree_.schema().describe(attribute.type);
  if (type == nullptr) {
    return by_.checks_schema ? Outcome{ResultCode::undefined_attribute_type, {}, attribute.type + ": attribute type undefined"} : Outcome{};
  }
  if (!by_.checks_schema) {
    return {};
  }
  if (type->no_user_modification || type->computed) {
    return {ResultCode::constraint_violation, {}, attribute.type + ": no user modification allowed"};
  }
  for (auto value = attribute.values.begin(); value != attribute.values.end(); ++value) {
    if (!tree_.schema().is_valid(type->syntax, *value)) {
      return {ResultCode::invalid_attribute_syntax, {}, attribute.type + ": value is not of the attribute's syntax"};
    }
    if (has_value(tree_.schema(), *type, std::vector<std::string>(attribute.values.begin(), value), *value)) {
      return {ResultCode::attribute_or_value_exists, {}, attribute.type + ": value provided more than once"};
    }
  }
  if (type->single_value && attribute.values.size() > 1) {
    return {ResultCode::constraint_violation, {}, attribute.type + ": multiple values provided"};
  }
  return {};
}

Outcome Update::apply(const ldap::AddRequest& request) {
  std::optional<Names> names;
  Outcome outcome = locate(request.dn, names);
  for (const Attribute& attribute : request.attributes) {
    outcome = good(outcome) ? check_values(attribute) : outcome;
  }
  if (!good(outcome)) {
    return outcome;
  }
  if (tree_.find(names->normal) != kNoEntry) {
    return {ResultCode::entry_already_exists, {}, {}};
  }
  const EntryId parent = tree_.find(ldap::parent_of(names->normal));
  if (parent == kNoEntry) {
    return {ResultCode::no_such_object, std::string(tree_[tree_.nearest_above(names->normal)].dn()), {}};
  }
  if (!by_.may_write) {
    return {ResultCode::insufficient_access_rights, {}, "only the administrator may write"};
  }
  std::vector<Attribute> attributes = request.attributes;
  const ldap::Dn name = ldap::parse_dn(names->pretty).value_or(ldap::Dn());
  for (const ldap::NamePart& part : first_rdn(name)) {  // the name's values belong to the entry, whether they were given or not
    const auto type = tree_.schema().describe(part.type);
    const Attribute* held = find_attribute(tree_.schema(), attributes, *type);
    if (held == nullptr || !has_value(tree_.schema(), *type, held->values, part.value)) {
      add_value(tree_.schema(), attributes, *type, part.value);
    }
  }
  if (outcome = check_classes(attributes, {}); !good(outcome)) {
    return outcome;
  }
  stamp(attributes, kNoEntry);
  tree_.insert(*names, parent, attributes);
  read_back(ldap::kPostRead, controls_.post_read, tree_.find(names->normal));
  return {};
}

Outcome Update::change(std::vector<Attribute>& attributes, const Change& change) const {
  const Schema& schema = tree_.schema();
  const auto type = schema.describe(change.attribute.type);
  if (type == nullptr) {
    attributes.push_back(change.attribute);  // an LDIF file's own type
    return {};
  }
  Attribute* held = find_attribute(schema, attributes, *type);
  const auto erase = [&] { attributes.erase(attributes.begin() + (held - attributes.data())); };
  switch (change.kind) {
    case Change::Kind::replace:
      if (held != nullptr) {
        erase();
      }
      if (!change.attribute.values.empty()) {
        attributes.push_back({type->name, change.attribute.values});
      }
      return {};
    case Change::Kind::add:
      for (const std::string& value : change.attribute.values) {
        held = find_attribute(schema, attributes, *type);
        if (held != nullptr && has_value(schema, *type, held->values, value)) {
          return {ResultCode::attribute_or_value_exists, {}, type->name + ": value exists already"};
        }
        add_value(schema, attributes, *type, value);
      }
      return {};
    case Change::Kind::remove:
      for (const std::string& value : change.attribute.values) {
        if (held == nullptr || !remove_value(schema, *type, held->values, value)) {
          return {ResultCode::no_such_attribute, {}, type->name + ": no such value"};
        }
      }
      if (held == nullptr) {
        return {ResultCode::no_such_attribute, {}, type->name + ": no such attribute"};
      }
      if (change.attribute.values.empty() || held->values.empty()) {
        erase();
      }
      return {};
    case Change::Kind::increment: break;
  }
  if (held == nullptr) {
    return {ResultCode::no_such_attribute, {}, type->name + ": no such attribute"};
  }
  const std::optional<std::int64_t> by = to_integer(change.attribute.values.front());
  for (std::string& value : held->values) {
    std::int64_t sum = 0;
    const std::optional<std::int64_t> number = to_integer(value);
    if (!number || !by || __builtin_add_overflow(*number, *by, &sum)) {
      return {ResultCode::constraint_violation, {}, type->name + ": cannot be incremented"};
    }
    value = std::to_string(sum);
  }
  return {};
}

Outcome Update::apply(const ldap::ModifyRequest& request) {
  std::optional<Names> names;
  Outcome outcome = locate(request.dn, names);
  for (const Change& change : request.changes) {
    const auto type = tree_.schema().describe(change.attribute.type);
    if (good(outcome) && change.kind == Change::Kind::increment && type != nullptr &&
        (type->syntax != Syntax::integer || change.attribute.values.size() != 1)) {
      outcome = {ResultCode::constraint_violation, {}, type->name + ": one integer increments an integer"};
    }
    outcome = good(outcome) ? check_values(change.attribute) : outcome;
    if (good(outcome) && change.kind == Change::Kind::add && change.attribute.values.empty()) {
      outcome = {ResultCode::protocol_error, {}, change.attribute.type + ": no values given"};
    }
  }
  EntryId id = kNoEntry;
  outcome = good(outcome) ? find(request.dn, id) : outcome;
  if (!good(outcome)) {
    return outcome;
  }
  std::vector<Attribute> attributes = attributes_of(tree_[id]);
  const std::string structural = tree_.structural_class(id);
  for (const Change& one : request.changes) {
    if (outcome = change(attributes, one); !good(outcome)) {
      return outcome;
    }
  }
  if (outcome = check_classes(attributes, structural); !good(outcome)) {
    return outcome;
  }
  const ldap::Dn name = ldap::parse_dn(tree_[id].dn()).value_or(ldap::Dn());
  for (const ldap::NamePart& part : first_rdn(name)) {
    const auto type = tree_.schema().describe(part.type);
    const Attribute* held = find_attribute(tree_.schema(), attributes, *type);
    if (by_.checks_schema && (held == nullptr || !has_value(tree_.schema(), *type, held->values, part.value))) {
      return {ResultCode::naming_violation, {}, "the entry's name needs " + part.type + ": " + part.value};
    }
  }
  stamp(attributes, id);
  read_back(ldap::kPreRead, controls_.pre_read, id);
  tree_.replace(id, attributes);
  read_back(ldap::kPostRead, controls_.post_read, id);
  return {};
}

Outcome Update::apply(const ldap::DeleteRequest& request) {
  EntryId id = kNoEntry;
  if (Outcome outcome = find(request.dn, id); !good(outcome)) {
    return outcome;
  }
  if (tree_[id].first_child != kNoEntry) {
    return {ResultCode::not_allowed_on_non_leaf, {}, "there are entries below it"};
  }
  read_back(ldap::kPreRead, controls_.pre_read, id);
  tree_.remove(id);
  return {};
}

Outcome Update::find_new_place(const ldap::ModifyDnRequest& request, EntryId id, std::optional<Names>& names, EntryId& parent) const {
  const std::optional<Names> rdn = tree_.schema().names_of(request.new_rdn);
  const std::optional<ldap::Dn> parts = rdn ? ldap::parse_dn(rdn->pretty) : std::nullopt;
  if (!parts || parts->size() != 1) {
    return {ResultCode::invalid_dn_syntax, {}, "invalid new RDN"};
  }
  parent = tree_[id].parent;
  if (request.new_superior) {
    const std::optional<Names> above = tree_.schema().names_of(*request.new_superior);
    if (!above) {
      return {ResultCode::invalid_dn_syntax, {}, "invalid newSuperior"};
    }
    if (!tree_.is_below_a_context(above->normal)) {
      return {ResultCode::affects_multiple_dsas, {}, "cannot rename between DSAs"};
    }
    parent = tree_.find(above->normal);
    if (parent == kNoEntry) {
      return {ResultCode::no_such_object, {}, "newSuperior not found"};
    }
    for (EntryId at = parent; at != kNoEntry; at = tree_[at].parent) {
      if (at == id) {
        return {ResultCode::unwilling_to_perform, {}, "cannot place an entry below itself"};
      }
    }
  }
  if (parent == kNoEntry) {
    return {ResultCode::affects_multiple_dsas, {}, "cannot rename a naming context"};
  }
  names = tree_.schema().names_of(rdn->pretty + ',' + std::string(tree_[parent].dn()));
  const EntryId there = tree_.find(names->normal);
  if (there != kNoEntry && there != id) {
    return {ResultCode::entry_already_exists, {}, {}};
  }
  return {};
}

Outcome Update::apply(const ldap::ModifyDnRequest& request) {
  if (!tree_.schema().names_of(request.new_rdn)) {
    return {ResultCode::invalid_dn_syntax, {}, "invalid new RDN"};
  }
  EntryId id = kNoEntry, parent = kNoEntry;
  Outcome outcome = find(request.dn, id);
  std::optional<Names> names;
  outcome = good(outcome) ? find_new_place(request, id, names, parent) : outcome;
  if (!good(outcome)) {
    return outcome;
  }
  const Schema& schema = tree_.schema();
  std::vector<Attribute> attributes = attributes_of(tree_[id]);
  const ldap::Dn old_name = ldap::parse_dn(tree_[id].dn()).value_or(ldap::Dn());
  const ldap::Dn new_name = ldap::parse_dn(names->pretty).value_or(ldap::Dn());
  for (const ldap::NamePart& part : request.delete_old_rdn ? first_rdn(old_name) : ldap::Rdn()) {
    const auto type = schema.describe(part.type);
    Attribute* held = find_attribute(schema, attributes, *type);
    if (held != nullptr && remove_value(schema, *type, held->values, part.value) && held->values.empty()) {
      attributes.erase(attributes.begin() + (held - attributes.data()));
    }
  }
  for (const ldap::NamePart& part : first_rdn(new_name)) {
    const auto type = schema.describe(part.type);
    const Attribute* held = find_attribute(schema, attributes, *type);
    if (held == nullptr || !has_value(schema, *type, held->values, part.value)) {
      add_value(schema, attributes, *type, part.value);
    }
  }
  if (outcome = check_classes(attributes, tree_.structural_class(id)); !good(outcome)) {
    return outcome;
  }
  stamp(attributes, id);
  read_back(ldap::kPreRead, controls_.pre_read, id);
  tree_.rename(id, *names, parent, attributes);
  read_back(ldap::kPostRead, controls_.post_read, id);
  return {};
}

void Update::read_back(std::string_view control, const std::optional<std::vector<std::string>>& asked, EntryId id) {
  if (!asked) {
    return;
  }
  std::string entry;
  ber::Writer writer(entry);
  Selection(tree_.schema(), *asked, false, by_.may_write).append(writer, {tree_, tree_[id], id});
  response_controls_.push_back(ldap::read_entry_response(control, entry));
}

}  // namespace lab::directory
