// From a value of a file to a checked C++ value. A reader that is not satisfied says so in `errors` and returns nothing.
#pragma once

#include "config/document.hpp"
#include "lab/roles.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

namespace lab::config {

struct Cursor {
  const Value& value;
  std::string_view key;  // that it stands under, for messages
  Diagnostics& errors;

  std::nullopt_t refuse(std::string what, std::string remedy = {}) const;
  std::nullopt_t wants(std::string_view what) const;  // "`cpus` wants a number, not a list"
};

std::optional<std::string> text(Cursor at);    // any, also empty, but no NUL
std::optional<std::string> line(Cursor at);    // text without control characters
std::optional<std::string> filled(Cursor at);  // a line that is not empty
std::optional<std::string> name(Cursor at);    // letters, digits, '-', '_', '.'; a letter or digit first; at most 63
std::optional<bool> boolean(Cursor at);
std::optional<double> number(Cursor at, double least, double most);
std::optional<std::int64_t> integer(Cursor at, std::int64_t least, std::int64_t most);
std::optional<std::uint64_t> size(Cursor at);
std::optional<std::chrono::nanoseconds> duration(Cursor at, std::chrono::nanoseconds least = std::chrono::nanoseconds(0));
std::optional<double> share(Cursor at);       // "10%" or 0.1; from 0 to 1
std::optional<Endpoint> endpoint(Cursor at);  // "127.0.0.1:8080", "[::1]:8080"
std::optional<std::uint16_t> port(Cursor at);

template <class Integer>
std::optional<Integer> whole(Cursor at, std::int64_t least, std::int64_t most = std::numeric_limits<std::int32_t>::max()) {
  const auto value = integer(at, least, most);
  return value ? std::optional(static_cast<Integer>(*value)) : std::nullopt;
}

// What a file's word stands for.
template <class T>
struct Choice {
  std::string_view word;
  T value;
};

std::optional<std::size_t> choose(Cursor at, const std::vector<std::string>& words);

template <class T, std::size_t N>
std::optional<T> choice(Cursor at, const Choice<T> (&choices)[N]) {
  std::vector<std::string> words;
  for (const Choice<T>& one : choices) {
    words.emplace_back(one.word);
  }
  const auto index = choose(at, words);
  return index ? std::optional(choices[*index].value) : std::nullopt;
}

template <class T, std::size_t N>
std::string_view word(const Choice<T> (&choices)[N], T value) {
  for (const Choice<T>& one : choices) {
    if (one.value == value) {
      return one.word;
    }
  }
  return {};
}

// One value or a list of them; `read` is a reader as above. What can't be read is left out.
template <class Read>
auto one_or_more(Cursor at, Read read) -> std::vector<typename decltype(read(at))::value_type> {
  std::vector<typename decltype(read(at))::value_type> all;
  const bool many = at.value.kind == Value::Kind::list;
  for (const Value& item : std::span(many ? at.value.items.data() : &at.value, many ? at.value.items.size() : 1)) {
    if (auto one = read(Cursor{item, at.key, at.errors})) {
      all.push_back(std::move(*one));
    }
  }
  return all;
}

// A list; anything else is an error.
template <class Read>
auto list(Cursor at, Read read) -> std::vector<typename decltype(read(at))::value_type> {
  if (at.value.kind != Value::Kind::list) {
    at.wants("a list");
    return {};
  }
  return one_or_more(at, read);
}

template <class To, class From>
void set(To& into, std::optional<From> value) {
  if (value) {
    into = std::move(*value);
  }
}

// A key of a map and what its value means for a T.
template <class T>
struct Field {
  std::string_view key;
  void (*read)(Cursor at, T& into);
  bool required = false;
};

// Checks a map's keys against those known: nothing where it is no map, else the known keys that unknown ones seem to stand for.
std::optional<std::vector<std::string>> check_keys(Cursor at, std::string_view what, const std::vector<std::string>& known);
void missing_key(Cursor at, std::string_view what, std::string_view key);

template <class Fields>
std::vector<std::string> keys_of(const Fields& fields) {
  std::vector<std::string> keys;
  for (const auto& field : fields) {
    keys.emplace_back(field.key);
  }
  return keys;
}

// Reads a map key by key into a T; `what` names it in messages ("node `was`"). A key that an unknown one seems to be meant for is
// neither missed nor read. Returns the keys so meant.
template <class T>
std::vector<std::string> read_map(Cursor at, std::string_view what, std::type_identity_t<std::span<const Field<T>>> fields, T& into) {
  const auto meant = check_keys(at, what, keys_of(fields));
  if (!meant) {
    return {};
  }
  for (const Field<T>& field : fields) {
    if (std::find(meant->begin(), meant->end(), field.key) != meant->end()) {
      continue;
    }
    if (const Entry* entry = at.value.entry(field.key)) {
      if (entry->value.kind == Value::Kind::null) {
        at.errors.add(entry->mark, "`" + entry->key + "` has no value", "give it one, or take the key out", entry->key.size());
      } else {
        field.read(Cursor{entry->value, field.key, at.errors}, into);
      }
    } else if (field.required) {
      missing_key(at, what, field.key);
    }
  }
  return *meant;
}

}  // namespace lab::config
