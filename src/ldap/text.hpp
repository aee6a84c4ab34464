// Characters as LDAP's text forms see them: ASCII only, no locale.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace lab::ldap {

constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_alpha(char c) { return to_lower(c) >= 'a' && to_lower(c) <= 'z'; }

inline bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return to_lower(x) == to_lower(y); });
}

constexpr int hex_digit(char c) {
  const char lower = to_lower(c);
  return is_digit(c) ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// The byte that the first two characters write in hexadecimal; -1 when they don't.
constexpr int hex_byte(std::string_view text) {
  const int high = text.size() < 2 ? -1 : hex_digit(text[0]);
  const int low = text.size() < 2 ? -1 : hex_digit(text[1]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

inline void append_hex_escape(std::string& text, char byte) {
  constexpr char kDigits[] = "0123456789abcdef";
  text.push_back('\\');
  text.push_back(kDigits[static_cast<unsigned char>(byte) >> 4]);
  text.push_back(kDigits[static_cast<unsigned char>(byte) & 15]);
}

bool is_ascii(std::string_view value);

// RFC 4518: spaces trimmed, inner runs of them one, letters composed; in lower case when folded.
std::string squeeze_spaces(std::string_view value, bool fold);
std::string fold_case_and_space(std::string_view value);

// "cn", "cn;lang-de", "2.5.4.3" (RFC 4512 section 2.5).
bool is_attribute_description(std::string_view text);

}  // namespace lab::ldap
