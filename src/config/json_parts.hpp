// How values are put into the JSON of roles' files; what is empty is left out.
#pragma once

#include "config/words.hpp"

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace lab::config {

namespace json = boost::json;

// Exact, unlike format_duration.
inline std::string written(std::chrono::nanoseconds duration) {
  const auto count = duration.count();
  if (count % 1'000'000'000 == 0) {
    return std::to_string(count / 1'000'000'000) + "s";
  }
  return count % 1'000'000 == 0 ? std::to_string(count / 1'000'000) + "ms" : std::to_string(count) + "ns";
}

inline void put(json::object& into, std::string_view key, const std::string& text) {
  if (!text.empty()) {
    into[key] = text;
  }
}

inline void put(json::object& into, std::string_view key, std::optional<TlsVersion> version) {
  if (version) {
    into[key] = word(kTlsVersions, *version);
  }
}

inline void put(json::object& into, std::string_view key, json::object part) {
  if (!part.empty()) {
    into[key] = std::move(part);
  }
}

template <class T, class Write>
void put(json::object& into, std::string_view key, const std::vector<T>& all, Write write) {
  if (all.empty()) {
    return;
  }
  json::array& array = into[key].emplace_array();
  for (const T& one : all) {
    array.emplace_back(write(one));
  }
}

inline void put_texts(json::object& into, std::string_view key, const std::vector<std::string>& all) {
  put(into, key, all, [](const std::string& text) { return json::string(text); });
}

template <class T>
void put(json::object& into, std::string_view key, const std::optional<T>& value) {
  if (value) {
    into[key] = *value;
  }
}

}  // namespace lab::config
