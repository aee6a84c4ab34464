// What the readers of roles' files share.
#pragma once

#include "config/reader.hpp"

#include <span>
#include <string>
#include <string_view>

namespace lab::config {

inline constexpr int kMostThreads = 1024;
inline constexpr int kMostClients = 1'000'000;
inline constexpr int kMostUsers = 999'999;  // six digits in their names

template <class Config, class Check>
Result<Config, Errors> parse(std::string_view text, const std::string& path, std::string_view what, std::span<const Field<Config>> fields,
                             Check check) {
  Diagnostics errors(text, path);
  Config config;
  if (const auto root = parse_document(text, errors)) {
    const Cursor at{*root, what, errors};
    read_map(at, what, fields, config);
    if (errors.complaints() == 0) {
      check(at, config);
    }
  }
  Errors found = errors.take();
  return found.empty() ? Result<Config, Errors>(std::move(config)) : Result<Config, Errors>(std::move(found));
}

}  // namespace lab::config
