// The character classes of RFC 9110 section 5.6 as tables, and a scan over field text.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace lab::http {

inline constexpr std::array<bool, 256> kTokenChars = [] {
  std::array<bool, 256> table{};
  for (const char c : std::string_view{"!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"}) {
    table[static_cast<unsigned char>(c)] = true;
  }
  return table;
}();

inline bool is_token_char(char c) { return kTokenChars[static_cast<unsigned char>(c)]; }
inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What a field value may hold: blanks, visible ASCII and obs-text.
inline bool is_field_char(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= 0x20 && byte != 0x7f) || byte == '\t';
}

// The first byte from `at` on that is not allowed in a field value, or the end. Eight bytes a step while all are plain.
inline std::size_t end_of_field_text(std::string_view text, std::size_t at) {
  constexpr std::uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;
  while (at < text.size()) {
    if (at + 8 <= text.size()) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + at, 8);
      const std::uint64_t control = (word - ones * 0x20) & ~word & tops;
      const std::uint64_t del = word ^ (ones * 0x7f);
      if ((control | ((del - ones) & ~del & tops)) == 0) {
        at += 8;
        continue;
      }
    }
    if (!is_field_char(text[at])) {
      return at;
    }
    ++at;
  }
  return at;
}

}  // namespace lab::http
