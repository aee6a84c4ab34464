// The character classes of RFC 9110 section 5.6 as tables, and a scan over field text.
#pragma once

#include <array>
#include <bit>
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

// Host = uri-host [ ":" port ]: visible ASCII without what could be read as more than that.
inline constexpr std::array<bool, 256> kHostChars = [] {
  std::array<bool, 256> table{};
  for (int byte = 0x21; byte < 0x7f; ++byte) {
    table[static_cast<std::size_t>(byte)] = std::string_view{"/\\?#@,\"<>{}|^`"}.find(static_cast<char>(byte)) == std::string_view::npos;
  }
  return table;
}();

inline bool is_host_char(char c) { return kHostChars[static_cast<unsigned char>(c)]; }

// The first byte from `at` on that is not allowed in a field value, or the end. Eight bytes a step: of those that are controls or DEL
// the lowest is marked rightly (what it borrows marks higher ones only); a tab is one of them, and allowed.
inline std::size_t end_of_field_text(std::string_view text, std::size_t at) {
  constexpr std::uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;
  while (at + 8 <= text.size()) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    if constexpr (std::endian::native == std::endian::big) {
      word = __builtin_bswap64(word);
    }
    const std::uint64_t del = word ^ (ones * 0x7f);
    const std::uint64_t marks = ((word - ones * 0x20) & ~word & tops) | ((del - ones) & ~del & tops);
    if (marks == 0) {
      at += 8;
      continue;
    }
    at += static_cast<std::size_t>(std::countr_zero(marks)) / 8;
    if (!is_field_char(text[at])) {
      return at;
    }
    ++at;
  }
  while (at < text.size() && is_field_char(text[at])) {
    ++at;
  }
  return at;
}

}  // namespace lab::http
