#include "schema.hpp"

#include "ldap/dn.hpp"
#include "ldap/text.hpp"

#include <algorithm>

namespace lab::directory {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), ldap::to_lower);
  return result;
}

std::string squeeze_spaces(std::string_view value) {
  std::string result;
  for (const char c : value) {
    if (c != ' ' || (!result.empty() && result.back() != ' ')) {
      result.push_back(c);
    }
  }
  if (result.ends_with(' ')) {
    result.pop_back();
  }
  return result;
}

std::string digits_and_signs(std::string_view value) {
  std::string result;
  for (const char c : value) {
    if (c != ' ' && c != '-') {
      result.push_back(ldap::to_lower(c));
    }
  }
  return result;
}

std::string plain_integer(std::string_view value) {
  const bool negative = value.starts_with('-');
  value.remove_prefix(negative ? 1 : 0);
  while (value.size() > 1 && value.front() == '0') {
    value.remove_prefix(1);
  }
  return (negative ? "-" : "") + std::string(value);
}

constexpr const char* kIndexed[] = {"uid", "cn", "mail", "member", "uniqueMember", "memberUid"};

constexpr const char* kCaseIgnore[] = {"objectClass",
                                       "l",
                                       "st",
                                       "street",
                                       "o",
                                       "ou",
                                       "title",
                                       "description",
                                       "businessCategory",
                                       "postalCode",
                                       "postalAddress",
                                       "givenName",
                                       "initials",
                                       "displayName",
                                       "employeeNumber",
                                       "employeeType",
                                       "departmentNumber",
                                       "preferredLanguage",
                                       "carLicense",
                                       "roomNumber",
                                       "associatedDomain",
                                       "gecos",
                                       "physicalDeliveryOfficeName",
                                       "host",
                                       "ref"};

}  // namespace

Schema::Schema() {
  add({"uid"}, {"userid", "0.9.2342.19200300.100.1.1"});
  add({"cn"}, {"commonName", "2.5.4.3"});
  add({"mail"}, {"rfc822Mailbox", "0.9.2342.19200300.100.1.3"});
  add({"sn"}, {"surname", "2.5.4.4"});
  add({"dc"}, {"domainComponent", "0.9.2342.19200300.100.1.25"});
  add({"c"}, {"countryName", "2.5.4.6"});
  for (const char* name : kCaseIgnore) {
    add({name});
  }
  for (const char* name : {"member", "uniqueMember", "owner", "seeAlso", "manager", "secretary", "roleOccupant"}) {
    add({name, Syntax::dn});
  }
  for (const char* name : {"memberUid", "labeledURI", "homeDirectory", "loginShell"}) {
    add({name, Syntax::case_exact});
  }
  for (const char* name : {"uidNumber", "gidNumber"}) {
    add({name, Syntax::integer});
  }
  for (const char* name : {"telephoneNumber", "facsimileTelephoneNumber", "mobile", "pager", "homePhone"}) {
    add({name, Syntax::telephone});
  }
  for (const char* name : {"jpegPhoto", "userCertificate", "userCertificate;binary"}) {
    add({name, Syntax::octets});
  }
  add({"userPassword", Syntax::octets, false, true}, {"2.5.4.35"});
  for (const char* name : {"createTimestamp", "modifyTimestamp", "entryUUID", "entryCSN", "contextCSN", "structuralObjectClass",
                           "supportedLDAPVersion", "supportedExtension", "supportedFeatures", "vendorName", "hasSubordinates"}) {
    add({name, Syntax::case_ignore, true});
  }
  for (const char* name : {"entryDN", "creatorsName", "modifiersName", "namingContexts", "subschemaSubentry"}) {
    add({name, Syntax::dn, true});
  }
  for (const char* name : kIndexed) {
    types_.find(lower(name))->second->index = indexes_++;
  }
}

AttributeType& Schema::keep(AttributeType type) {
  std::string key = lower(type.name);
  return *types_.emplace(std::move(key), std::make_shared<AttributeType>(std::move(type))).first->second;
}

void Schema::add(const AttributeType& type, std::initializer_list<const char*> aliases) {
  keep(type);
  const std::shared_ptr<AttributeType> kept = types_.find(lower(type.name))->second;
  for (const char* alias : aliases) {
    types_.emplace(lower(alias), kept);
  }
}

const AttributeType* Schema::find(std::string_view name) const {
  const auto found = types_.find(name);
  if (found != types_.end()) {
    return found->second.get();
  }
  const auto in_lower_case = types_.find(lower(name));
  return in_lower_case == types_.end() ? nullptr : in_lower_case->second.get();
}

const AttributeType& Schema::find_or_add(std::string_view name) {
  if (const AttributeType* known = find(name)) {
    return *known;
  }
  // With options ("cn;lang-de") it is compared, and kept secret, as without them.
  const AttributeType* base = find(name.substr(0, name.find(';')));
  AttributeType type = base != nullptr ? *base : AttributeType{};
  type.name = name;
  type.index = -1;
  return keep(std::move(type));
}

std::string normalize_value(Syntax syntax, std::string_view value) {
  switch (syntax) {
    case Syntax::case_ignore: return ldap::fold_case_and_space(value);
    case Syntax::case_exact: return squeeze_spaces(value);
    case Syntax::dn: return ldap::normalize_dn(value).value_or(ldap::fold_case_and_space(value));
    case Syntax::integer: return plain_integer(value);
    case Syntax::telephone: return digits_and_signs(value);
    case Syntax::octets: return std::string(value);
  }
  return {};
}

bool equals_normal(Syntax syntax, std::string_view value, std::string_view normal) {
  const bool compares_byte_by_byte = syntax == Syntax::case_ignore || syntax == Syntax::case_exact || syntax == Syntax::octets;
  if (compares_byte_by_byte && value.find(' ') == std::string_view::npos) {
    return syntax == Syntax::case_ignore ? ldap::equal_ignoring_case(value, normal) : value == normal;
  }
  return normalize_value(syntax, value) == normal;
}

}  // namespace lab::directory
