#include "ldap/unicode.hpp"

#include <array>
#include <cstdint>

namespace lab::ldap {

namespace {

struct Decoded {
  char32_t code = 0;
  std::size_t size = 0;  // 0: no character begins here
};

Decoded decode_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[at + i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) {
    return {first, 1};
  }
  const std::size_t size = first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0;
  if (size == 0 || text.size() - at < size) {
    return {};
  }
  char32_t code = first & (0xffU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) {
      return {};
    }
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < kLeast[size] || code > 0x10ffff || surrogate ? Decoded{} : Decoded{code, size};
}

void append(std::string& out, char32_t code) {
  const auto tail = [&](int shift) { out.push_back(static_cast<char>(0x80 | (code >> shift & 0x3f))); };
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out.push_back(static_cast<char>(0xc0 | code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out.push_back(static_cast<char>(0xe0 | code >> 12));
    tail(6);
    tail(0);
  } else {
    out.push_back(static_cast<char>(0xf0 | code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

// Latin Extended-A has its cases side by side; in two stretches the upper one is the odd code.
char32_t fold_extended_latin(char32_t code) {
  if (code == 0x178) {
    return 0xff;
  }
  if (code == 0x130 || code == 0x131 || code == 0x138 || code == 0x149 || code == 0x17f) {
    return code;
  }
  const bool upper_is_odd = (code >= 0x139 && code <= 0x148) || code >= 0x179;
  return ((code & 1) != 0) == upper_is_odd ? code + 1 : code;
}

char32_t to_lower(char32_t code) {
  if (code < 0x80) {
    return code >= 'A' && code <= 'Z' ? code + 32 : code;
  }
  if (code >= 0xc0 && code <= 0xde) {
    return code == 0xd7 ? code : code + 32;
  }
  if (code >= 0x100 && code <= 0x17f) {
    return fold_extended_latin(code);
  }
  if (code >= 0x391 && code <= 0x3ab && code != 0x3a2) {
    return code + 32;
  }
  if (code >= 0x400 && code <= 0x42f) {
    return code + (code < 0x410 ? 80 : 32);
  }
  return code;
}

struct Composition {
  char32_t mark;
  std::u32string_view bases, composed;
};

constexpr Composition kCompositions[] = {
    {0x300, U"AEIOUNaeioun", U"ÀÈÌÒÙǸàèìòùǹ"},
    {0x301, U"AEIOUYCLNRSZaeiouyclnrsz", U"ÁÉÍÓÚÝĆĹŃŔŚŹáéíóúýćĺńŕśź"},
    {0x302, U"AEIOUCGHJSWYaeioucghjswy", U"ÂÊÎÔÛĈĜĤĴŜŴŶâêîôûĉĝĥĵŝŵŷ"},
    {0x303, U"ANOIUanoiu", U"ÃÑÕĨŨãñõĩũ"},
    {0x304, U"AEIOUaeiou", U"ĀĒĪŌŪāēīōū"},
    {0x306, U"AEIOUGaeioug", U"ĂĔĬŎŬĞăĕĭŏŭğ"},
    {0x307, U"CEGIZcegz", U"ĊĖĠİŻċėġż"},
    {0x308, U"AEIOUYaeiouy", U"ÄËÏÖÜŸäëïöüÿ"},
    {0x30a, U"AUau", U"ÅŮåů"},
    {0x30b, U"OUou", U"ŐŰőű"},
    {0x30c, U"CDENRSTZcdenrstz", U"ČĎĚŇŘŠŤŽčďěňřšťž"},
    {0x327, U"CGKLNRSTcgklnrst", U"ÇĢĶĻŅŖŞŢçģķļņŗşţ"},
    {0x328, U"AEIUaeiu", U"ĄĘĮŲąęįų"},
};

char32_t composed(char32_t base, char32_t mark) {
  for (const Composition& known : kCompositions) {
    const std::size_t at = known.mark == mark ? known.bases.find(base) : std::u32string_view::npos;
    if (at != std::u32string_view::npos) {
      return known.composed[at];
    }
  }
  return 0;
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Decoded one = decode_at(text, at);
    if (one.size == 0) {
      return false;
    }
    at += one.size;
  }
  return true;
}

std::string compose(std::string_view text, bool fold) {
  std::string out;
  out.reserve(text.size());
  char32_t last = 0;
  std::size_t last_at = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Decoded one = decode_at(text, at);
    if (one.size == 0) {
      out.push_back(text[at++]);
      last = 0;
      continue;
    }
    at += one.size;
    char32_t code = one.code;
    if (const char32_t whole = last == 0 ? 0 : composed(last, code); whole != 0) {
      code = whole;
      out.resize(last_at);
    }
    last = fold ? to_lower(code) : code;
    last_at = out.size();
    append(out, last);
  }
  return out;
}

}  // namespace lab::ldap
