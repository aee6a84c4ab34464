#include "ldap/filter.hpp"

#include <catch2/catch.hpp>

using namespace std::string_literals;
using namespace lab::ldap;
using Kind = Filter::Kind;

namespace {

Filter parsed(const std::string& text) {
  const auto filter = parse_filter(text);
  INFO(text);
  REQUIRE(filter.has_value());
  return *filter;
}

std::string error_of(const std::string& text) {
  const auto filter = parse_filter(text);
  INFO(text);
  REQUIRE_FALSE(filter.has_value());
  return filter.error().what + " at " + filter.error().where;
}

std::string nested(int depth) {
  std::string text = "(a=b)";
  for (int i = 1; i < depth; ++i) {
    text = "(&" + text + ")";
  }
  return text;
}

}  // namespace

TEST_CASE("filters of all kinds are written as they were read") {
  for (const std::string text : {"(uid=user000001)",
                                 "(&(objectClass=inetOrgPerson)(uid=a))",
                                 "(|(a=1)(b=2)(!(c=3)))",
                                 "(cn=*)",
                                 "(cn=a*)",
                                 "(cn=*a)",
                                 "(cn=a*b*c)",
                                 "(cn=*a*b*)",
                                 "(n>=5)",
                                 "(n<=5)",
                                 "(cn~=jon)",
                                 "(cn:caseExactMatch:=Fred)",
                                 "(ou:dn:=people)",
                                 "(:2.5.13.5:=x)",
                                 "(cn:=x)",
                                 "(&)",
                                 "(|)",
                                 "(cn=)",
                                 "(cn;lang-de=x)",
                                 "(2.5.4.3=x)"}) {
    CHECK(to_string(parsed(text)) == text);
  }
}

TEST_CASE("outer parentheses may be left out") { CHECK(parsed("uid=a") == equality("uid", "a")); }

TEST_CASE("an escaped asterisk is a literal one, not a wildcard") {  // glauth 95
  CHECK(parsed("(uid=\\2a)") == equality("uid", "*"));
  CHECK(parsed("(uid=a\\2Ab)") == equality("uid", "a*b"));
  CHECK(parsed("(uid=*)").kind == Kind::present);
  CHECK(parsed("(uid=a\\2a*)").initial == "a*");
}

TEST_CASE("escaping makes any value an equality with just that value") {
  const std::string value = "*)(uid=*\\\0ü"s;
  CHECK(escape_filter_value(value) == "\\2a\\29\\28uid=\\2a\\5c\\00ü");
  CHECK(parsed("(cn=" + escape_filter_value(value) + ")") == equality("cn", value));
}

TEST_CASE("bad filter text is an error that says where") {
  CHECK(error_of("(uid=a") == "bad search filter: ')' expected at character 7 of (uid=a");
  CHECK(error_of("(uid=a))") == "bad search filter: nothing may follow the filter at character 8 of (uid=a))");
  CHECK(error_of("(uid)") == "bad search filter: an attribute and '=' expected at character 2 of (uid)");
  CHECK(error_of("(=a)") == "bad search filter: an attribute expected at character 2 of (=a)");
  CHECK(error_of("(uid=\\zz)") == "bad search filter: '\\' wants two hexadecimal digits at character 6 of (uid=\\zz)");
  CHECK(error_of("(uid=a**b)") == "bad search filter: two '*' in a row at character 10 of (uid=a**b)");
  CHECK(error_of("(!uid=a)") == "bad search filter: '(' expected at character 3 of (!uid=a)");
  CHECK(error_of("(:=a)") == "bad search filter: an attribute or a matching rule expected at character 4 of (:=a)");
  CHECK(error_of("") == "bad search filter: an attribute and '=' expected at character 1 of ");
}

TEST_CASE("text nested beyond the limit is refused") {
  CHECK(parse_filter(nested(kMaxFilterDepth)).has_value());
  CHECK_FALSE(parse_filter(nested(kMaxFilterDepth + 1)).has_value());
  CHECK_FALSE(parse_filter(nested(100'000)).has_value());
}

TEST_CASE("filters of all kinds survive a message") {
  for (const std::string text : {"(&(a=1)(|(b=*x*y*z)(!(c=*)))(d>=1)(e<=2)(f~=3))", "(ou:dn:caseIgnoreMatch:=people)", "(:2.5.13.5:=x)",
                                 "(&)", "(a=i*)", "(a=*f)"}) {
    const Filter filter = parsed(text);
    std::string bytes;
    ber::Writer writer(bytes);
    write_filter(writer, filter);
    ber::Reader reader(bytes);
    Filter read;
    CHECK(read_filter(reader, read) == FilterStatus::good);
    CHECK(reader.done());
    CHECK(read == filter);
  }
}

TEST_CASE("an equality filter in a message is that of RFC 4511") {
  std::string bytes;
  ber::Writer writer(bytes);
  write_filter(writer, equality("uid", "a"));
  CHECK(bytes ==
        "\xa3\x08\x04\x03uid\x04\x01"
        "a"s);
}

TEST_CASE("substrings out of order, empty or without any piece are malformed") {
  for (const std::string& pieces : {""s, "\x80\x00"s,
                                    "\x81\x01"
                                    "a\x80\x01"
                                    "b"s,
                                    "\x82\x01"
                                    "a\x81\x01"
                                    "b"s,
                                    "\x83\x01"
                                    "a"s}) {
    std::string bytes;
    {
      ber::Writer writer(bytes);
      const ber::Writer::Scope filter(writer, 0xa4);
      writer.text("cn");
      writer.text(pieces, ber::kSequence);
    }
    ber::Reader reader(bytes);
    Filter read;
    CHECK(read_filter(reader, read) == FilterStatus::malformed);
    CHECK_FALSE(reader.ok());
  }
}

TEST_CASE("a filter with too many items in a message is too complex") {
  std::string bytes;
  {
    ber::Writer writer(bytes);
    const ber::Writer::Scope any(writer, 0xa1);
    for (int i = 0; i < kMaxFilterItems; ++i) {
      writer.text("a", 0x87);
    }
  }
  ber::Reader reader(bytes);
  Filter read;
  CHECK(read_filter(reader, read) == FilterStatus::too_complex);
}
