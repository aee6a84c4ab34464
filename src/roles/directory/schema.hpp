// Attribute types: how their values are compared, and whether they are for everybody to see.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace lab::directory {

enum class Syntax { case_ignore, case_exact, dn, integer, telephone, octets };

struct AttributeType {
  std::string name;  // as it is written in answers
  Syntax syntax = Syntax::case_ignore;
  bool operational = false;  // only returned when asked for, by name or with "+"
  bool secret = false;       // never returned, never compared in a search
  int index = -1;            // which equality index of the tree holds it; -1: none
};

// The types of RFC 4512, 4519, 2798 and 2307 that people use, and whatever else the data brings (case ignored).
class Schema {
 public:
  Schema();

  const AttributeType* find(std::string_view name) const;  // any spelling or alias; null when nobody knows it
  const AttributeType& find_or_add(std::string_view name);
  int index_count() const { return indexes_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  void add(const AttributeType& type, std::initializer_list<const char*> aliases = {});
  AttributeType& keep(AttributeType type);

  std::unordered_map<std::string, std::shared_ptr<AttributeType>, Hash, std::equal_to<>> types_;  // by lower-case name
  int indexes_ = 0;
};

// The normal form in which equal values of the syntax are equal strings.
std::string normalize_value(Syntax syntax, std::string_view value);

// Whether `value` has the normal form `normal`; allocates nothing in the common case.
bool equals_normal(Syntax syntax, std::string_view value, std::string_view normal);

}  // namespace lab::directory
