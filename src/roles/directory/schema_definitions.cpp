// Reads definitions of attribute types and object classes (RFC 4512 section 4.1). They are the program's own: a bad one is a bug.
#include "schema.hpp"

#include "ldap/text.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace lab::directory {

namespace {

// "( 2.5.4.3 NAME ( 'cn' 'commonName' ) SUP name SINGLE-VALUE )": the OID, and words after keywords.
struct Definition {
  std::string oid;
  std::map<std::string, std::vector<std::string>, std::less<>> words;

  bool has(std::string_view key) const { return words.find(key) != words.end(); }
  std::string first(std::string_view key) const {
    const auto found = words.find(key);
    return found == words.end() || found->second.empty() ? std::string() : found->second.front();
  }
  std::vector<std::string> all(std::string_view key) const {
    const auto found = words.find(key);
    return found == words.end() ? std::vector<std::string>() : found->second;
  }
};

bool is_keyword(std::string_view word) {
  constexpr std::string_view kKeywords[] = {"NAME",       "SUP",          "EQUALITY",   "ORDERING", "SUBSTR", "SYNTAX",
                                            "USAGE",      "SINGLE-VALUE", "COLLECTIVE", "MUST",     "MAY",    "NO-USER-MODIFICATION",
                                            "STRUCTURAL", "AUXILIARY",    "ABSTRACT",   "OBSOLETE"};
  return std::find(std::begin(kKeywords), std::end(kKeywords), word) != std::end(kKeywords);
}

Definition read_definition(std::string_view text) {
  Definition result;
  std::vector<std::string>* into = nullptr;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty() || word == "(" || word == ")" || word == "$") {
      continue;
    }
    if (result.oid.empty()) {
      result.oid = word;
    } else if (is_keyword(word)) {
      into = &result.words[std::string(word)];
    } else if (into != nullptr) {
      word.remove_prefix(word.starts_with('\'') ? 1 : 0);
      word.remove_suffix(word.ends_with('\'') ? 1 : 0);
      into->emplace_back(word);
    }
  }
  return result;
}

template <class T>
T& known(T* found, const std::string& name) {
  if (found == nullptr) {
    throw std::logic_error("the schema names what it does not define before: " + name);
  }
  return *found;
}

Matching matching_of(const Definition& definition, std::string_view use, Matching inherited) {
  if (!definition.has(use)) {
    return inherited;
  }
  const MatchingRule* rule = find_rule(definition.first(use));
  return rule == nullptr ? Matching::none : rule->matching;
}

template <class Map, class Kept>
void keep(Map& by_name, Kept value) {
  const auto kept = std::make_shared<Kept>(std::move(value));
  std::vector<std::string> keys = kept->aliases;
  keys.push_back(kept->name);
  keys.push_back(kept->oid);
  for (std::string& key : keys) {
    std::transform(key.begin(), key.end(), key.begin(), ldap::to_lower);
    by_name.insert_or_assign(std::move(key), kept);
  }
}

void name_it(auto& named, const Definition& definition) {
  std::vector<std::string> names = definition.all("NAME");
  named.oid = definition.oid;
  named.name = names.empty() ? definition.oid : names.front();
  named.aliases.assign(names.begin() + (names.empty() ? 0 : 1), names.end());
}

}  // namespace

void Schema::define_attribute(std::string_view text) {
  const Definition definition = read_definition(text);
  AttributeType type;
  name_it(type, definition);
  type.equality = Matching::none;
  type.syntax = Syntax::any;
  if (definition.has("SUP")) {
    const AttributeType& super = known(find(definition.first("SUP")), definition.first("SUP"));
    type.super = &super;
    type.equality = super.equality;
    type.ordering = super.ordering;
    type.substrings = super.substrings;
    type.syntax = super.syntax;
  }
  type.equality = matching_of(definition, "EQUALITY", type.equality);
  type.ordering = matching_of(definition, "ORDERING", type.ordering);
  type.substrings = matching_of(definition, "SUBSTR", type.substrings);
  if (definition.has("SYNTAX")) {
    const std::string syntax = definition.first("SYNTAX");
    type.syntax = syntax_of(std::string_view(syntax).substr(0, syntax.find('{')));
  }
  type.single_value = definition.has("SINGLE-VALUE");
  type.operational = definition.has("USAGE") && definition.first("USAGE") != "userApplications";
  type.no_user_modification = definition.has("NO-USER-MODIFICATION");
  keep(types_, std::move(type));
}

void Schema::define_class(std::string_view text) {
  const Definition definition = read_definition(text);
  ObjectClass made;
  name_it(made, definition);
  made.kind = definition.has("ABSTRACT")    ? ObjectClass::Kind::abstract
              : definition.has("AUXILIARY") ? ObjectClass::Kind::auxiliary
                                            : ObjectClass::Kind::structural;
  for (const std::string& name : definition.all("SUP")) {
    made.supers.push_back(&known(find_class(name), name));
  }
  for (const std::string& name : definition.all("MUST")) {
    made.must.push_back(&known(find(name), name));
  }
  for (const std::string& name : definition.all("MAY")) {
    made.may.push_back(&known(find(name), name));
  }
  keep(classes_, std::move(made));
  publish("objectClasses", std::string(text));
}

}  // namespace lab::directory
