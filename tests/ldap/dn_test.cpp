#include "ldap/dn.hpp"

#include <catch2/catch.hpp>

using namespace std::string_literals;
using namespace lab::ldap;

TEST_CASE("names that mean the same have one normal form") {
  const std::string normal = "uid=user000001,ou=people,dc=lab";
  for (const std::string text :
       {"uid=user000001,ou=people,dc=lab", "UID=User000001,OU=People,DC=LAB", "uid = user000001 , ou= people ,dc=lab",
        "uid=\\75ser000001,ou=people,dc=lab", "uid=user000001;ou=people;dc=lab", "uid=#040a75736572303030303031,ou=people,dc=lab"}) {
    INFO(text);
    CHECK(normalize_dn(text) == normal);
  }
}

TEST_CASE("inner spaces count once, the parts of an RDN have no order") {
  CHECK(normalize_dn("cn=John   Smith,dc=lab") == "cn=john smith,dc=lab");
  CHECK(normalize_dn("UID=b+CN=a,dc=lab") == normalize_dn("cn=A+uid=B,dc=lab"));
}

TEST_CASE("special characters of values stay escaped in the normal form") {
  CHECK(normalize_dn("cn=Smith\\, John,dc=lab") == "cn=smith\\, john,dc=lab");
  CHECK(normalize_dn("cn=Smith\\2C John,dc=lab") == "cn=smith\\, john,dc=lab");
  CHECK(normalize_dn("cn=a\\+b\\\"c\\\\d,dc=lab") == "cn=a\\+b\\\"c\\\\d,dc=lab");
}

TEST_CASE("the root is the empty name") {
  CHECK(normalize_dn("") == "");
  CHECK(parse_dn("")->empty());
}

TEST_CASE("what is no name is refused") {
  for (const std::string text : {"uid", "uid=a,", ",dc=lab", "=a", "uid=a,,dc=lab", "uid=a\\", "uid=a\\zz,dc=lab", "1x=a", "uid=\"a",
                                 "uid=#zz", "uid=#04", "uid=#0402616263", "u id=a", "uid=a+,dc=lab"}) {
    INFO(text);
    CHECK_FALSE(normalize_dn(text).has_value());
  }
}

TEST_CASE("the parent begins after the first comma that is not escaped") {
  CHECK(parent_of("uid=a,ou=people,dc=lab") == "ou=people,dc=lab");
  CHECK(parent_of("cn=smith\\, john,dc=lab") == "dc=lab");
  CHECK(parent_of("cn=a\\\\,dc=lab") == "dc=lab");
  CHECK(parent_of("dc=lab") == "");
  CHECK(parent_of("") == "");
}

TEST_CASE("values at their edges are escaped so that they read back") {
  for (const std::string& value : {" a "s, "#a"s, "a,b+c\"d\\e<f>g;h"s, "\0"s, "ü"s}) {
    const auto dn = parse_dn("cn=" + escape_dn_value(value) + ",dc=lab");
    REQUIRE(dn.has_value());
    CHECK(dn->front().front().value == value);
  }
}

TEST_CASE("a quoted value is read as RFC 2253 still allows it") {
  CHECK(normalize_dn("cn=\"a, b\",dc=lab") == normalize_dn("cn=a\\, b,dc=lab"));
  CHECK(normalize_dn("cn=\"a\\\"b\"") == normalize_dn("cn=a\\\"b"));
  CHECK_FALSE(normalize_dn("cn=\"a\"b").has_value());
}
