#include "roles/gateway/policies.hpp"

#include <catch2/catch.hpp>

using namespace lab;
using namespace lab::gateway;

namespace {

// 2026-12-01 was a Tuesday.
constexpr std::time_t kTuesdayNoonUtc = 1'796'126'400;
constexpr std::time_t kHour = 3600;

ObjectPolicy policy(const std::string& path) {
  ObjectPolicy made;
  made.path = path;
  made.utc = true;
  return made;
}

bool met(const std::vector<ObjectPolicy>& policies, std::string_view path, bool https = false, std::string_view client = "192.0.2.1",
         std::time_t now = kTuesdayNoonUtc) {
  return Policies::create(policies).value().objection(path, Letters::exact, https, client, now) == nullptr;
}

}  // namespace

TEST_CASE("protection wants HTTPS, at the path and below, unless a nearer policy says otherwise") {
  std::vector<ObjectPolicy> policies{policy("/a"), policy("/a/open")};
  policies[0].protection = ObjectPolicy::Protection::privacy;
  CHECK_FALSE(met(policies, "/a"));
  CHECK_FALSE(met(policies, "/a/x"));
  CHECK(met(policies, "/a/x", true));
  CHECK(met(policies, "/a/open/x"));
  CHECK(met(policies, "/ab"));
  policies[0].protection = ObjectPolicy::Protection::integrity;
  CHECK_FALSE(met(policies, "/a"));
}

TEST_CASE("a policy may name the networks of clients") {
  std::vector<ObjectPolicy> policies{policy("/")};
  policies[0].clients = {"192.0.2.0/24", "2001:db8::/32", "10.9.8.7"};
  CHECK(met(policies, "/x"));
  CHECK(met(policies, "/x", false, "2001:db8:1::1"));
  CHECK(met(policies, "/x", false, "10.9.8.7"));
  CHECK_FALSE(met(policies, "/x", false, "192.0.3.1"));
  CHECK_FALSE(met(policies, "/x", false, "2001:db9::1"));
  CHECK_FALSE(met(policies, "/x", false, "10.9.8.6"));
  CHECK_FALSE(met(policies, "/x", false, "nonsense"));
}

TEST_CASE("networks that are none are told") {
  for (const char* text : {"10.0.0.0/33", "10.0.0/8", "x", "::1/129", "10.0.0.0/", "10.0.0.0/8x", ""}) {
    const auto read = Networks::parse({text});
    REQUIRE(read.has_error());
    CHECK(read.error().what == "\"" + std::string(text) + "\" is no network");
  }
  CHECK(Networks::parse({"0.0.0.0/0"})->contains("1.2.3.4"));
  CHECK_FALSE(Networks::parse({"0.0.0.0/0"})->contains("::1"));
  CHECK(Networks::parse({"10.128.0.0/9"})->contains("10.255.0.1"));
  CHECK_FALSE(Networks::parse({"10.128.0.0/9"})->contains("10.127.0.1"));
}

TEST_CASE("a policy may name hours and days") {
  std::vector<ObjectPolicy> policies{policy("/")};
  policies[0].from = 8 * 60;
  policies[0].to = 12 * 60;
  CHECK_FALSE(met(policies, "/"));
  CHECK(met(policies, "/", false, "", kTuesdayNoonUtc - 1));
  CHECK(met(policies, "/", false, "", kTuesdayNoonUtc - 4 * kHour));
  CHECK_FALSE(met(policies, "/", false, "", kTuesdayNoonUtc - 4 * kHour - 1));
  policies[0].to = 24 * 60;
  policies[0].days = {2};
  CHECK(met(policies, "/"));
  policies[0].days = {1, 3};
  CHECK_FALSE(met(policies, "/"));
}

TEST_CASE("hours over midnight belong to the day on which they begin") {
  std::vector<ObjectPolicy> policies{policy("/")};
  policies[0].from = 22 * 60;
  policies[0].to = 2 * 60;
  policies[0].days = {2};
  CHECK_FALSE(met(policies, "/"));
  CHECK(met(policies, "/", false, "", kTuesdayNoonUtc + 11 * kHour));        // Tuesday 23:00
  CHECK(met(policies, "/", false, "", kTuesdayNoonUtc + 13 * kHour));        // Wednesday 1:00
  CHECK_FALSE(met(policies, "/", false, "", kTuesdayNoonUtc - 11 * kHour));  // Tuesday 1:00 is Monday's
}
