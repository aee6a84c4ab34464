#include "ldap/ldif.hpp"

#include <catch2/catch.hpp>

using namespace std::string_literals;
using namespace lab::ldap;

namespace {

std::vector<LdifRecord> parsed(const std::string& text) {
  const auto records = parse_ldif(text, "people.ldif");
  REQUIRE(records.has_value());
  return *records;
}

std::string error_of(const std::string& text) {
  const auto records = parse_ldif(text, "people.ldif");
  REQUIRE_FALSE(records.has_value());
  return records.error().where + ": " + records.error().what;
}

}  // namespace

TEST_CASE("records are read with their values in order, and their line") {
  const auto records = parsed("version: 1\n\n# people\ndn: uid=a,dc=lab\nuid: a\nmail: a@lab\nMAIL: b@lab\n\n\ndn: uid=b,dc=lab\nuid:b\n");
  REQUIRE(records.size() == 2);
  CHECK(records[0].dn == "uid=a,dc=lab");
  CHECK(records[0].line == 4);
  CHECK(records[0].attributes == std::vector<Attribute>{{"uid", {"a"}}, {"mail", {"a@lab", "b@lab"}}});
  CHECK(records[1].line == 10);
  CHECK(records[1].attributes == std::vector<Attribute>{{"uid", {"b"}}});
}

TEST_CASE("folding removes exactly one space") {  // ruby-net-ldap 15
  CHECK(parsed("dn: dc=lab\ndescription: one\n  two\n three\n")[0].attributes[0].values[0] == "one twothree");
  CHECK(parsed("dn: uid=a,d\n c=lab\n")[0].dn == "uid=a,dc=lab");
  CHECK(parsed("# a comment\n that goes on\ndn: dc=lab\n").size() == 1);
}

TEST_CASE("base64 values and names are decoded") {
  CHECK(parsed("dn:: ZGM9bGFi\ncn:: w7w=\n")[0].dn == "dc=lab");
  CHECK(parsed("dn: dc=lab\ncn:: w7w=\n")[0].attributes[0].values[0] == "ü");
  CHECK(parsed("dn: dc=lab\nx:: AAA\n B\n")[0].attributes[0].values[0] == "\0\0\1"s);
  CHECK(parsed("dn: dc=lab\nx::\n")[0].attributes[0].values[0].empty());
}

TEST_CASE("an empty value, and one with a colon, are read as they are") {
  CHECK(parsed("dn: dc=lab\ndescription:\n")[0].attributes[0].values[0].empty());
  CHECK(parsed("dn: dc=lab\nlabeledURI: http://x:1/\n")[0].attributes[0].values[0] == "http://x:1/");
}

TEST_CASE("carriage returns, a missing last line end and an empty file are no trouble") {
  CHECK(parsed("dn: dc=lab\r\ndc: lab\r\n")[0].attributes[0].values[0] == "lab");
  CHECK(parsed("dn: dc=lab\ndc: lab")[0].attributes[0].values[0] == "lab");
  CHECK(parsed("").empty());
}

TEST_CASE("what is wrong is told with file and line") {
  CHECK(error_of("dn: dc=lab\nnonsense\n") == "people.ldif:2: not an attribute: nonsense");
  CHECK(error_of("\nuid: a\n") == "people.ldif:2: a record starts with `uid`");
  CHECK(error_of("dn: dc=lab\ncn:: !!!!\n") == "people.ldif:2: not base64: !!!!");
  CHECK(error_of("dn: dc=lab\ncn:: abc\n") == "people.ldif:2: not base64: abc");
  CHECK(error_of("dn: dc=lab\njpegPhoto:< file:///x\n") == "people.ldif:2: a value by URL");
  CHECK(error_of("dn: dc=lab\nchangetype: change\n") == "people.ldif:2: unknown changetype: change");
  CHECK(error_of("dn: dc=lab\ncontrol: 1.2.3\nchangetype: delete\n") == "people.ldif:2: a control");
  CHECK(error_of("dn: dc=lab\nchangetype: delete\ndc: lab\n") == "people.ldif:3: more than a name to delete");
  CHECK(error_of("dn: dc=lab\nchangetype: modify\nupdate: cn\n") == "people.ldif:3: unknown change: update");
  CHECK(error_of("dn: dc=lab\nchangetype: modify\nadd: cn\nsn: x\n") == "people.ldif:4: a value of `sn` in a change of `cn`");
  CHECK(error_of("dn: dc=lab\nchangetype: modrdn\nnewrdn: dc=x\ndeleteoldrdn: yes\n") ==
        "people.ldif:4: not of a new name: deleteoldrdn: yes");
  CHECK(error_of("dn: dc=lab\nchangetype: modrdn\ndeleteoldrdn: 1\n") == "people.ldif:2: a new name without newrdn");
  CHECK(error_of("dn: dc=lab\ndc: lab\ndn: dc=b\n") == "people.ldif:3: a second dn in one record");
  CHECK(error_of("version: 2\n") == "people.ldif:1: LDIF version 2");
  CHECK(error_of("dn: dc=lab\ndescription: a\n b\nbad line\n") == "people.ldif:4: not an attribute: bad line");
  CHECK(error_of("\n lost\n") == "people.ldif:2: a continuation line that continues nothing");
}

TEST_CASE("change records are read as the requests that they stand for") {
  const auto records = parsed(
      "dn: uid=a,dc=lab\nchangetype: add\nuid: a\ncn: A\n\n"
      "dn: uid=a,dc=lab\nchangetype: modify\nadd: cn\ncn: B\ncn: C\n-\ndelete: sn\n-\nreplace: mail\n-\nincrement: uidNumber\nuidNumber: "
      "1\n-\n\n"
      "dn: uid=a,dc=lab\nchangetype: modrdn\nnewrdn: uid=b\ndeleteoldrdn: 1\nnewsuperior: ou=x,dc=lab\n\n"
      "dn: uid=b,ou=x,dc=lab\nchangetype: delete\n");
  REQUIRE(records.size() == 4);
  CHECK(std::get<AddRequest>(records[0].change) == AddRequest{"uid=a,dc=lab", {{"uid", {"a"}}, {"cn", {"A"}}}});
  CHECK(std::get<ModifyRequest>(records[1].change) == ModifyRequest{"uid=a,dc=lab",
                                                                    {{Change::Kind::add, {"cn", {"B", "C"}}},
                                                                     {Change::Kind::remove, {"sn", {}}},
                                                                     {Change::Kind::replace, {"mail", {}}},
                                                                     {Change::Kind::increment, {"uidNumber", {"1"}}}}});
  CHECK(std::get<ModifyDnRequest>(records[2].change) == ModifyDnRequest{"uid=a,dc=lab", "uid=b", true, "ou=x,dc=lab"});
  CHECK(std::get<DeleteRequest>(records[3].change) == DeleteRequest{"uid=b,ou=x,dc=lab"});
}

TEST_CASE("what is written as LDIF is read as it was: folded, in base64 where it must be") {
  const std::vector<Attribute> attributes{{"cn", {"plain", " space before", "space after ", ": colon", "<less", "ü", "line\nend", ""}},
                                          {"description", {std::string(300, 'x')}}};
  std::string text;
  append_ldif(text, "cn=ü,dc=lab", attributes);
  const auto records = parsed(text);
  REQUIRE(records.size() == 1);
  CHECK(records[0].dn == "cn=ü,dc=lab");
  CHECK(records[0].attributes == attributes);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    CHECK(end - at <= 76);
    at = end + 1;
  }
}
