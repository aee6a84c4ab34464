// What attributes and object classes there are (RFC 4512 section 4), and how values of an attribute are compared and checked.
#pragma once

#include "lab/error.hpp"
#include "matching.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lab::directory {

// An attribute description: a type, with options ("cn;lang-de") or without.
struct AttributeType {
  std::string name;  // as it is written in answers
  std::string oid;
  std::vector<std::string> aliases;
  const AttributeType* super = nullptr;
  Matching equality = Matching::case_ignore, ordering = Matching::none, substrings = Matching::none;
  Syntax syntax = Syntax::directory_string;
  bool single_value = false;
  bool operational = false;           // only returned when asked for, by name or with "+"
  bool no_user_modification = false;  // the directory's own business
  bool secret = false;                // for the administrator's eyes only
  bool computed = false;              // not in the entries: follows from where an entry is
  int index = -1;                     // which equality index of the tree holds it; -1: none
  std::vector<std::string> options;   // in lower case, sorted
  const AttributeType* base = this;   // without options

  AttributeType() = default;
  AttributeType(const AttributeType& other) : AttributeType(other, other.base == &other ? this : other.base) {}
  AttributeType& operator=(const AttributeType&) = delete;

  bool is_kind_of(const AttributeType& type) const;  // itself, derived from it, with further options (RFC 4512 section 2.5)

 private:
  AttributeType(const AttributeType& other, const AttributeType* base_type);
};

struct ObjectClass {
  enum class Kind { abstract, structural, auxiliary };

  std::string name, oid;
  std::vector<std::string> aliases;
  std::vector<const ObjectClass*> supers;
  Kind kind = Kind::structural;
  std::vector<const AttributeType*> must, may;

  bool is_kind_of(const ObjectClass& other) const;
};

struct Names {         // of an entry
  std::string pretty;  // as answers have it
  std::string normal;  // equal names, equal strings
};

// The types of RFC 4512, 4519, 4524, 2307 and 2798, and whatever else the data brings (compared ignoring case).
class Schema {
 public:
  Schema();
  Schema(const Schema&) = delete;
  Schema& operator=(const Schema&) = delete;

  const AttributeType* find(std::string_view description) const;  // any spelling or alias, as the data has it; null: not there
  const AttributeType& find_or_add(std::string_view description);
  // Also of a known type with options that no entry has; null: nobody knows the type.
  std::shared_ptr<const AttributeType> describe(std::string_view description) const;
  const ObjectClass* find_class(std::string_view name) const;

  // A name with types that are known and values that fit them; nothing otherwise.
  std::optional<Names> names_of(std::string_view dn) const;
  std::optional<std::string> normalize_dn(std::string_view dn) const;
  // As above, for data that may bring types of its own.
  std::optional<Names> names_of_data(std::string_view dn);

  std::string normalize(const AttributeType& type, std::string_view value) const { return normalize(type.equality, value); }
  std::string normalize(Matching matching, std::string_view value) const;
  bool equals(Matching matching, std::string_view value, std::string_view normal) const;
  bool is_valid(Syntax syntax, std::string_view value) const;

  int index_count() const { return indexes_; }
  // The values of cn=Subschema, by attribute: "attributeTypes", "( 2.5.4.3 NAME …".
  const std::vector<std::pair<std::string, std::vector<std::string>>>& definitions() const { return definitions_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  template <class T>
  using ByName = std::unordered_map<std::string, std::shared_ptr<T>, Hash, std::equal_to<>>;

  void define_attribute(std::string_view definition);
  void define_class(std::string_view definition);
  void mark_special_types();
  void publish(std::string_view kind, std::string definition);
  AttributeType with_options(const AttributeType& base, std::string_view description) const;
  bool is_normal_name(std::string_view dn) const;

  ByName<AttributeType> types_;  // by lower-case name
  ByName<ObjectClass> classes_;
  int indexes_ = 0;
  std::vector<std::pair<std::string, std::vector<std::string>>> definitions_;
};

}  // namespace lab::directory
