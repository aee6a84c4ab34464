#include "http/characters.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using namespace lab::http;

namespace {

std::size_t byte_by_byte(std::string_view text, std::size_t at) {
  while (at < text.size() && is_field_char(text[at])) {
    ++at;
  }
  return at;
}

}  // namespace

TEST_CASE("a field's text ends at the first control character or DEL, wherever it stands among tabs, high bytes and others") {
  int wrong = 0;
  for (const char filler : {'a', '\t', '\x80', '\xff', ' '}) {
    for (std::size_t length = 0; length < 20; ++length) {
      for (std::size_t place = 0; place < length; ++place) {
        for (int byte = 0; byte < 256; ++byte) {
          std::string text(length, filler);
          text[place] = static_cast<char>(byte);
          for (const std::size_t from : {std::size_t{0}, place / 2, place}) {
            wrong += end_of_field_text(text, from) == byte_by_byte(text, from) ? 0 : 1;
          }
        }
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("a host holds no blank, no control character, and nothing that ends it in a URL") {
  for (const char c : std::string("/\\?#@,\"<>{}|^` \t\r\n\x7f\x80")) {
    CAPTURE(static_cast<int>(c));
    CHECK_FALSE(is_host_char(c));
  }
  const std::string fine = "abcXYZ019.-_~:[]!$&'()*+;=%";
  CHECK(std::all_of(fine.begin(), fine.end(), is_host_char));
}
