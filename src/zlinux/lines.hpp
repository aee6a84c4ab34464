// Lines "Key: value" of the texts that this folder reads.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

namespace lab::zlinux {

// Blanks at both ends taken off, and rows of them within made one.
inline std::string squeezed(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\r';
    if (!blank) {
      result += c;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  if (result.ends_with(' ')) {
    result.pop_back();
  }
  return result;
}

// 0 where it is no whole number.
template <class Integer = int>
Integer whole_number(std::string_view text) {
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? value : Integer{0};
}

// Calls `read` with key and value of each line that has a colon.
template <class Read>
void for_each_field(std::string_view text, Read read) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) {
      read(squeezed(line.substr(0, colon)), squeezed(line.substr(colon + 1)));
    }
  }
}

}  // namespace lab::zlinux
