#include "http/message.hpp"
#include "http/page_pattern.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace lab::http;

TEST_CASE("names are compared without case, lists by member") {
  CHECK(equals_ignore_case("Content-Length", "content-length"));
  CHECK_FALSE(equals_ignore_case("a", "ab"));
  CHECK_FALSE(equals_ignore_case("a@", "a`"));  // differ by the case bit, are no letters
  CHECK(token_in("close, x", "close"));
  CHECK(token_in("x ,\tClose", "close"));
  CHECK_FALSE(token_in("closed", "close"));
  CHECK_FALSE(token_in("", "close"));
}

TEST_CASE("dates are written as RFC 9110 wants them") {
  CHECK(http_date(784111777) == "Sun, 06 Nov 1994 08:49:37 GMT");
  CHECK(http_date(0) == "Thu, 01 Jan 1970 00:00:00 GMT");
}

TEST_CASE("reasons are the standard's") {
  CHECK(reason_phrase(200) == "OK");
  CHECK(reason_phrase(431) == "Request Header Fields Too Large");
  CHECK(reason_phrase(299) == "Unknown");
}

TEST_CASE("a page is printable lines of 64 bytes and a prefix of every longer page") {
  std::vector<char> page(200'000);
  fill_page(page, 0);
  for (std::size_t i = 0; i < page.size(); ++i) {
    const bool newline = i % 64 == 63;
    REQUIRE((newline ? page[i] == '\n' : page[i] >= ' ' && page[i] < 0x7f));
  }
  std::vector<char> part(70'000);
  fill_page(part, 65'000);
  CHECK(std::equal(part.begin(), part.end(), page.begin() + 65'000));
  CHECK(page_block().size() == 2 * kPagePeriod);
  CHECK(page_block().substr(0, kPagePeriod) == page_block().substr(kPagePeriod));
}

TEST_CASE("a page's lines all differ, so a shifted or repeated segment is noticed") {
  std::vector<std::string_view> lines;
  for (std::size_t i = 0; i < kPagePeriod; i += 64) {
    lines.push_back(page_block().substr(i, 64));
  }
  std::sort(lines.begin(), lines.end());
  CHECK(std::adjacent_find(lines.begin(), lines.end()) == lines.end());
}

TEST_CASE("pages are recognised at any offset, and their damage too") {
  std::string bytes(150'000, ' ');
  fill_page(bytes, 12'345);
  CHECK(matches_page(bytes, 12'345));
  CHECK(matches_page(bytes, 12'345 + kPagePeriod));
  CHECK_FALSE(matches_page(bytes, 12'346));
  CHECK_FALSE(matches_page(bytes, 12'345 + 64));
  bytes[149'999] ^= 1;
  CHECK_FALSE(matches_page(bytes, 12'345));
  CHECK(matches_page({}, 5));
}

TEST_CASE("page paths name a size in bytes or as people write it") {
  CHECK(page_size_of_path("/page/5939") == 5939U);
  CHECK(page_size_of_path("/page/5.8KB") == 5939U);
  CHECK(page_size_of_path("/page/2.9MB") == 3'040'870U);
  CHECK(page_size_of_path("/page/100B") == 100U);
  CHECK(page_size_of_path("/page/0") == 0U);
  CHECK_FALSE(page_size_of_path("/page/2GB"));
  CHECK_FALSE(page_size_of_path("/page/"));
  CHECK_FALSE(page_size_of_path("/page/x"));
  CHECK_FALSE(page_size_of_path("/page/1/2"));
  CHECK_FALSE(page_size_of_path("/pages/1"));
}
