// A YAML (or JSON) file as a tree of values that know their place. Only document.cpp knows yaml-cpp.
#pragma once

#include "config/diagnostics.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lab::config {

struct Entry;

struct Value {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  Mark mark;
  std::string text;            // scalar; as written, without quotes
  bool quoted = false;         // scalar
  std::vector<Value> items;    // list
  std::vector<Entry> entries;  // map, in file order; keys are unique

  const Value* find(std::string_view key) const;
  const Entry* entry(std::string_view key) const;
  std::size_t width() const;  // characters on its first line, for the caret
};

struct Entry {
  std::string key;
  Mark mark;
  Value value;
};

inline constexpr std::size_t kMostBytes = std::size_t{4} << 20;
inline constexpr std::size_t kDeepest = 32;
inline constexpr std::size_t kMostValues = 250'000;

// One document: nothing, with the reasons in `diagnostics`, where it is not YAML, not UTF-8, empty, more than one document, beyond
// the bounds above, or uses anchors, aliases or tags. A repeated key is an error too, but reading goes on with the first.
std::optional<Value> parse_document(std::string_view text, Diagnostics& diagnostics);

// Parts of a value that may not be there (nullptr) or may be of another kind: then there are none.
std::span<const Value> items_of(const Value* list);
std::span<const Entry> entries_of(const Value* map);
const Value* part_of(const Value* map, std::string_view key);
std::vector<const Value*> texts_of(const Value* value);  // a scalar itself, or the scalars of a list

// "a map", "a list", "text", "nothing"
std::string kind_name(const Value& value);

}  // namespace lab::config
