#include "schema.hpp"

#include "embedded_schema.hpp"
#include "ldap/dn.hpp"
#include "ldap/text.hpp"

#include <algorithm>

namespace lab::directory {

namespace {

constexpr const char* kIndexed[] = {"uid", "cn", "mail", "member", "uniqueMember", "memberUid"};
constexpr const char* kComputed[] = {"entryDN", "hasSubordinates", "subschemaSubentry"};

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), ldap::to_lower);
  return result;
}

std::vector<std::string> options_of(std::string_view description) {
  std::vector<std::string> options;
  for (std::size_t at = description.find(';'); at != std::string_view::npos;) {
    const std::size_t end = description.find(';', at + 1);
    options.push_back(lower(description.substr(at + 1, end == std::string_view::npos ? end : end - at - 1)));
    at = end;
  }
  std::sort(options.begin(), options.end());
  return options;
}

// "lang-" is a range: it stands for lang-de and all others (RFC 3866 section 2.2).
bool has_option(const std::vector<std::string>& options, const std::string& wanted) {
  return std::any_of(options.begin(), options.end(),
                     [&](const std::string& one) { return wanted.ends_with('-') ? one.starts_with(wanted) : one == wanted; });
}

// RFC 4514 section 2.4 allows hexadecimal pairs for what must be escaped; OpenLDAP's servers write them so.
std::string pretty_value(std::string_view value) {
  constexpr std::string_view kSpecial = "\"+,;<=>\\";
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string text;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    const bool at_edge = (c == ' ' && (i == 0 || i + 1 == value.size())) || (c == '#' && i == 0);
    if (!at_edge && c != '\0' && kSpecial.find(c) == std::string_view::npos) {
      text.push_back(c);
      continue;
    }
    text.push_back('\\');
    text.push_back(kDigits[static_cast<unsigned char>(c) >> 4]);
    text.push_back(kDigits[static_cast<unsigned char>(c) & 15]);
  }
  return text;
}

}  // namespace

AttributeType::AttributeType(const AttributeType& other, const AttributeType* base_type)
    : name(other.name),
      oid(other.oid),
      aliases(other.aliases),
      super(other.super),
      equality(other.equality),
      ordering(other.ordering),
      substrings(other.substrings),
      syntax(other.syntax),
      single_value(other.single_value),
      operational(other.operational),
      no_user_modification(other.no_user_modification),
      secret(other.secret),
      computed(other.computed),
      index(other.index),
      options(other.options),
      base(base_type) {}

bool AttributeType::is_kind_of(const AttributeType& type) const {
  if (this == &type) {
    return true;
  }
  const AttributeType* at = base;
  while (at != nullptr && at != type.base) {
    at = at->super;
  }
  return at != nullptr &&
         std::all_of(type.options.begin(), type.options.end(), [this](const std::string& wanted) { return has_option(options, wanted); });
}

bool ObjectClass::is_kind_of(const ObjectClass& other) const {
  return this == &other || std::any_of(supers.begin(), supers.end(), [&](const ObjectClass* super) { return super->is_kind_of(other); });
}

Schema::Schema() {
  std::string_view text = embedded_schema().front().text;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with("hiddenTypes: ")) {
      define_attribute(line.substr(13));
    } else if (line.starts_with("attributeTypes: ")) {
      define_attribute(line.substr(16));
      publish("attributeTypes", std::string(line.substr(16)));
    } else if (line.starts_with("objectClasses: ")) {
      define_class(line.substr(15));
    }
  }
  mark_special_types();
  for (const MatchingRule& rule : matching_rules()) {
    publish("matchingRules", std::string("( ") + rule.oid + " NAME '" + rule.name + "' SYNTAX " + rule.syntax + " )");
  }
}

void Schema::publish(std::string_view kind, std::string definition) {
  auto found = std::find_if(definitions_.begin(), definitions_.end(), [&](const auto& one) { return one.first == kind; });
  if (found == definitions_.end()) {
    found = definitions_.insert(found, {std::string(kind), {}});
  }
  found->second.push_back(std::move(definition));
}

void Schema::mark_special_types() {
  types_.find("userpassword")->second->secret = true;
  for (const char* name : kComputed) {
    types_.find(lower(name))->second->computed = true;
  }
  for (const char* name : kIndexed) {
    types_.find(lower(name))->second->index = indexes_++;
  }
}

const AttributeType* Schema::find(std::string_view description) const {
  const auto found = types_.find(description);
  if (found != types_.end()) {
    return found->second.get();
  }
  const auto in_lower_case = types_.find(lower(description));
  return in_lower_case == types_.end() ? nullptr : in_lower_case->second.get();
}

AttributeType Schema::with_options(const AttributeType& base, std::string_view description) const {
  AttributeType type(base);
  const std::size_t options = description.find(';');
  type.name = base.name + std::string(options == std::string_view::npos ? std::string_view() : description.substr(options));
  type.options = options_of(description);
  type.base = base.base;
  return type;
}

const AttributeType& Schema::find_or_add(std::string_view description) {
  if (const AttributeType* known = find(description)) {
    return *known;
  }
  const std::string_view name = description.substr(0, description.find(';'));
  if (find(name) == nullptr) {
    AttributeType unknown;
    unknown.name = name;
    unknown.substrings = Matching::case_ignore;
    unknown.syntax = Syntax::any;
    types_.emplace(lower(name), std::make_shared<AttributeType>(unknown));
  }
  const auto kept = std::make_shared<AttributeType>(with_options(*find(name), description));
  return *types_.emplace(lower(description), kept).first->second;
}

std::shared_ptr<const AttributeType> Schema::describe(std::string_view description) const {
  const auto found = types_.find(lower(description));
  if (found != types_.end()) {
    return found->second;
  }
  const AttributeType* base = find(description.substr(0, description.find(';')));
  return base == nullptr ? nullptr : std::make_shared<const AttributeType>(with_options(*base, description));
}

const ObjectClass* Schema::find_class(std::string_view name) const {
  const auto found = classes_.find(lower(name));
  return found == classes_.end() ? nullptr : found->second.get();
}

std::string Schema::normalize(Matching matching, std::string_view value) const {
  if (matching == Matching::dn) {
    return normalize_dn(value).value_or(ldap::fold_case_and_space(value));
  }
  if (matching == Matching::object_identifier) {
    const ObjectClass* known = find_class(value);
    return lower(known != nullptr ? known->name : value);
  }
  return normalize_value(matching, value);
}

bool Schema::equals(Matching matching, std::string_view value, std::string_view normal) const {
  const bool byte_by_byte = matching == Matching::case_ignore || matching == Matching::case_exact || matching == Matching::octets;
  if (byte_by_byte && value.find(' ') == std::string_view::npos && ldap::is_ascii(value)) {
    return matching == Matching::case_ignore ? ldap::equal_ignoring_case(value, normal) : value == normal;
  }
  if (matching == Matching::dn && is_normal_name(value)) {
    return value == normal;
  }
  return normalize(matching, value) == normal;
}

bool Schema::is_valid(Syntax syntax, std::string_view value) const {
  switch (syntax) {
    case Syntax::dn: return names_of(value).has_value();
    case Syntax::name_and_uid: return names_of(value.substr(0, value.find('#'))).has_value();
    case Syntax::oid: return find_class(value) != nullptr || find(value) != nullptr || (!value.empty() && ldap::is_digit(value.front()));
    default: return is_valid_value(syntax, value);
  }
}

bool Schema::is_normal_name(std::string_view dn) const {
  if (!ldap::is_plainly_normal(dn)) {
    return false;
  }
  for (std::size_t at = 0; at < dn.size();) {
    const std::size_t equals = dn.find('=', at);
    const std::string_view type = dn.substr(at, equals - at);
    const auto found = types_.find(type);
    const bool canonical = found != types_.end() && found->second->equality != Matching::none &&
                           ldap::equal_ignoring_case(found->second->name, type) && found->second->syntax != Syntax::integer;
    if (!canonical) {
      return false;
    }
    at = std::min(dn.find(',', equals), dn.size() - 1) + 1;
  }
  return true;
}

std::optional<std::string> Schema::normalize_dn(std::string_view dn) const {
  if (is_normal_name(dn)) {
    return std::string(dn);
  }
  std::optional<Names> names = names_of(dn);
  return names ? std::optional(std::move(names->normal)) : std::nullopt;
}

std::optional<Names> Schema::names_of(std::string_view dn) const {
  if (is_normal_name(dn)) {
    return Names{std::string(dn), std::string(dn)};
  }
  const std::optional<ldap::Dn> parsed = dn.find("=#") == std::string_view::npos ? ldap::parse_dn(dn) : std::nullopt;
  if (!parsed) {
    return std::nullopt;
  }
  Names names;
  for (const ldap::Rdn& rdn : *parsed) {
    std::vector<std::pair<std::string, std::string>> parts;
    std::string pretty;
    for (const ldap::NamePart& part : rdn) {
      const AttributeType* type = find(part.type);
      if (type == nullptr || part.value.empty() || !is_valid(type->syntax, part.value)) {
        return std::nullopt;
      }
      pretty += (pretty.empty() ? "" : "+") + type->name + '=' + pretty_value(part.value);
      parts.emplace_back(lower(type->name), ldap::escape_dn_value(normalize(type->equality, part.value)));
    }
    std::sort(parts.begin(), parts.end());
    names.pretty += (names.pretty.empty() ? "" : ",") + pretty;
    names.normal += names.normal.empty() ? "" : ",";
    for (std::size_t i = 0; i < parts.size(); ++i) {
      names.normal += (i == 0 ? "" : "+") + parts[i].first + '=' + parts[i].second;
    }
  }
  return names;
}

std::optional<Names> Schema::names_of_data(std::string_view dn) {
  if (!is_normal_name(dn)) {
    for (const ldap::Rdn& rdn : ldap::parse_dn(dn).value_or(ldap::Dn())) {
      for (const ldap::NamePart& part : rdn) {
        find_or_add(part.type);
      }
    }
  }
  return names_of(dn);
}

}  // namespace lab::directory
