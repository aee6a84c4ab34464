#include "roles/gateway/path.hpp"

#include <catch2/catch.hpp>

using namespace lab::gateway;

namespace {

std::string normal(std::string_view target) {
  NormalPath path;
  return normalise_path(target, path) ? path.path + std::string(path.query) : "refused";
}

std::string judged(std::string_view target) {
  NormalPath path;
  return normalise_path(target, path) ? std::string(path.judged()) : "refused";
}

}  // namespace

TEST_CASE("a plain path is its own normal form") {
  CHECK(normal("/") == "/");
  CHECK(normal("/page/5.8KB?a=/../b%2F") == "/page/5.8KB?a=/../b%2F");
  CHECK(normal("/a/b/") == "/a/b/");
  CHECK(normal("/a.b/c..d/...") == "/a.b/c..d/...");
}

TEST_CASE("ways around a rule lead to the same path") {  // CVE-2019-9901, CVE-2021-29492, CVE-2021-32779
  CHECK(normal("/info/../private") == "/private");
  CHECK(normal("/info/%2e%2E/private") == "/private");
  CHECK(normal("/info/.%2e/private") == "/private");
  CHECK(normal("//private") == "/private");
  CHECK(normal("/info//./private") == "/info/private");
  CHECK(normal("/%70rivate") == "/private");
  CHECK(normal("/a/..") == "/");
  CHECK(normal("/a/.") == "/a/");
  CHECK(normal("/a/b/../../c/") == "/c/");
}

TEST_CASE("what back ends could read in different ways is refused") {
  CHECK(normal("/info%2F..%2Fprivate") == "refused");
  CHECK(normal("/info%2f") == "refused");
  CHECK(normal("/info\\..\\private") == "refused");
  CHECK(normal("/info%5c..") == "refused");
  CHECK(normal("/admin#x") == "refused");
  CHECK(normal("/a%00") == "refused");
  CHECK(normal("/a%0d%0aX: y") == "refused");
  CHECK(normal("/a%7f") == "refused");
  CHECK(normal("/..") == "refused");
  CHECK(normal("/a/../../b") == "refused");
  CHECK(normal("/a%2") == "refused");
  CHECK(normal("/a%") == "refused");
  CHECK(normal("/a%zz") == "refused");
  CHECK(normal("/info/..;/private") == "refused");
  CHECK(normal("/info/.;x/private") == "refused");
  CHECK(normal("/;x/private") == "refused");
}

TEST_CASE("escapes that must stay are in upper case, others are made where they are needed") {
  CHECK(normal("/caf%c3%a9") == "/caf%C3%A9");
  CHECK(normal("/a%20b%3fc%23") == "/a%20b%3Fc%23");
  CHECK(normal("/a\"b|c") == "/a%22b%7Cc");
  CHECK(normal("/%252e%252e/") == "/%252e%252e/");  // decoded once
}

TEST_CASE("path parameters go on but are not judged") {
  CHECK(normal("/private;v=1/x") == "/private;v=1/x");
  CHECK(judged("/private;v=1/x;y") == "/private/x");
  CHECK(judged("/private") == "/private");
}

TEST_CASE("an absolute target is judged by its path") {
  CHECK(normal("http://lab:80/a/../b?c") == "/b?c");
  CHECK(normal("http://lab") == "/");
  CHECK(normal("http://lab?x") == "/?x");
}

TEST_CASE("prefixes end on segment boundaries") {
  CHECK(is_below("/app", "/app"));
  CHECK(is_below("/app/x", "/app"));
  CHECK_FALSE(is_below("/apple", "/app"));
  CHECK_FALSE(is_below("/ap", "/app"));
  CHECK(is_below("/", ""));
  CHECK(is_below("/anything", ""));
  CHECK(normal_prefix("/app/") == "/app");
  CHECK(normal_prefix("/") == "");
  CHECK(normal_prefix("/a b//c") == "/a b//c");
}
