#include "roles/load/cookies.hpp"

#include "catch_result.hpp"

#include <algorithm>

using namespace lab::load;

TEST_CASE("cookies go back to the paths that they are for") {
  CookieJar jar;
  jar.take("a=1", "/app/login?x=/y/z");
  jar.take("b=2; Path=/", "/app/login");
  jar.take("c=3; Path=/app/deep/", "/app/login");
  CHECK(jar.header("/app/x?q", false) == "a=1; b=2");
  CHECK(jar.header("/app/deep/x", false) == "a=1; b=2; c=3");
  CHECK(jar.header("/application", false) == "b=2");
  CHECK(jar.header("/", false) == "b=2");
}

TEST_CASE("a cookie set again is replaced, one that expired is taken out") {
  CookieJar jar;
  jar.take("a=1; Path=/", "/");
  const auto changes = jar.changes();
  jar.take("a=1; Path=/", "/");
  CHECK(jar.changes() == changes);
  jar.take("a=2; Path=/", "/");
  CHECK(jar.header("/", false) == "a=2");
  CHECK(jar.changes() > changes);
  jar.take("a=; Path=/; Max-Age=0; Expires=Fri, 01 Jan 2100 00:00:00 GMT", "/");
  CHECK(jar.empty());
  jar.take("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "/");
  CHECK(jar.empty());
  jar.take("a=1; expires=Thu, 01-Jan-1970 00:00:00 GMT; max-age=5", "/");
  CHECK(jar.header("/", false) == "a=1");
}

TEST_CASE("a secure cookie is for TLS only") {
  CookieJar jar;
  jar.take("a=1; Secure; HttpOnly", "/");
  CHECK(jar.header("/", false).empty());
  CHECK(jar.header("/", true) == "a=1");
}

TEST_CASE("what is no cookie, too long or one too many is not kept") {
  CookieJar jar;
  for (const char* text : {"", "a", "=1", ";", " =x; Path=/"}) {
    jar.take(text, "/");
  }
  jar.take("long=" + std::string(CookieJar::kLongest, 'x'), "/");
  CHECK(jar.empty());
  for (std::size_t i = 0; i < 2 * CookieJar::kMost; ++i) {
    jar.take("n" + std::to_string(i) + "=1", "/");
  }
  const std::string header = jar.header("/", false);
  CHECK(static_cast<std::size_t>(std::count(header.begin(), header.end(), '=')) == CookieJar::kMost);
}

TEST_CASE("a gateway's session is told from other cookies") {
  CookieJar jar;
  jar.take("JSESSIONID=abc", "/");
  jar.take("PD-S-SESSION-ID=", "/");
  CHECK_FALSE(jar.has_session());
  jar.take("PD-S-SESSION-ID=1_2_x==; Path=/; Secure", "/");
  CHECK(jar.has_session());
  CHECK(jar.header("/", true) == "JSESSIONID=abc; PD-S-SESSION-ID=1_2_x==");
}
