#include "ldap/message.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace std::string_literals;
using namespace lab::ldap;

namespace {

std::string encoded(const Message& message) {
  std::string out;
  encode(out, message);
  return out;
}

SearchRequest a_search() {
  return {"ou=people,dc=lab", Scope::one_level, 1, 10, 20, true, parse_filter("(&(objectClass=person)(|(uid=a*b)(!(cn=*))))").value(),
          {"cn", "1.1"}};
}

std::vector<Message> all_kinds() {
  return {
      {1, BindRequest{3, "uid=a,dc=lab", "secret", {}}, {}},
      {2, BindRequest{3, "", "", "EXTERNAL"}, {}},
      {3, UnbindRequest{}, {}},
      {4, a_search(), {{"1.2.3", true, "x"}, {"4.5.6", false, {}}}},
      {5, CompareRequest{"dc=lab", "dc", "lab"}, {}},
      {11, AddRequest{"cn=a,dc=lab", {{"cn", {"a", "b"}}, {"sn", {"c"}}}}, {}},
      {12,
       ModifyRequest{
           "cn=a,dc=lab",
           {{Change::Kind::add, {"cn", {"b"}}}, {Change::Kind::remove, {"sn", {}}}, {Change::Kind::increment, {"uidNumber", {"1"}}}}},
       {{"1.2.3", true, {}}}},
      {13, DeleteRequest{"cn=a,dc=lab"}, {}},
      {14, ModifyDnRequest{"cn=a,dc=lab", "cn=b", true, {}}, {}},
      {15, ModifyDnRequest{"cn=a,dc=lab", "cn=b", false, "dc=other"}, {}},
      {16, BindRequest{3, "", "", "EXTERNAL", "dn:cn=a"}, {}},
      {128, AbandonRequest{300}, {}},
      {7, ExtendedRequest{std::string(kWhoAmI), {}}, {}},
      {8, SearchEntry{"dc=lab", {{"dc", {"lab"}}, {"cn", {}}}}, {}},
      {9, SearchReference{{"ldap://a/", "ldap://b/"}}, {}},
      {2147483647, Response{op::kSearchDone, {ResultCode::size_limit_exceeded, "dc=lab", "enough"}, {}, {}}, {}},
      {0, Response{op::kExtendedResponse, {ResultCode::unavailable, {}, "end"}, std::string(kNoticeOfDisconnection), {}}, {}},
      {10, Response{op::kExtendedResponse, {}, {}, "dn:uid=a"}, {}},
  };
}

}  // namespace

TEST_CASE("messages of all kinds are read as they were written") {
  for (const Message& message : all_kinds()) {
    const std::string bytes = encoded(message);
    const auto read = decode(bytes);
    INFO("message " << message.id);
    REQUIRE(read.has_value());
    CHECK(*read == message);
  }
}

TEST_CASE("a simple bind is the bytes that ldapwhoami sends") {
  CHECK(encoded({1, BindRequest{3, "cn=a", "b", {}}, {}}) ==
        "\x30\x11\x02\x01\x01\x60\x0c\x02\x01\x03\x04\x04"
        "cn=a\x80\x01"
        "b"s);
}

TEST_CASE("message id 128 takes two bytes") {  // go-asn1-ber 11
  CHECK(encoded({128, UnbindRequest{}, {}}) == "\x30\x06\x02\x02\x00\x80\x42\x00"s);
}

TEST_CASE("10,000 nested filters are a protocol error of that search alone") {  // CVE-2020-12243
  std::string filter;
  ber::Writer(filter).text("a", 0x87);
  for (int i = 0; i < 10'000; ++i) {
    std::string outer;
    ber::Writer(outer).text(filter, 0xa0);
    filter = std::move(outer);
  }
  std::string bytes;
  {
    ber::Writer writer(bytes);
    const ber::Writer::Scope message(writer, ber::kSequence);
    writer.integer(7);
    const ber::Writer::Scope search(writer, op::kSearchRequest);
    writer.text("");
    writer.integer(0, ber::kEnumerated);
    writer.integer(0, ber::kEnumerated);
    writer.integer(0);
    writer.integer(0);
    writer.boolean(false);
    writer.raw(filter);
    writer.text("", ber::kSequence);
  }
  const auto read = decode(bytes);
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().id == 7);
  CHECK(read.error().response == op::kSearchDone);
}

TEST_CASE("what is no message is malformed beyond repair") {
  for (const std::string& bytes :
       {""s, "\x30\x00"s, "\x30\x03\x02\x01\x01"s, "\x31\x05\x02\x01\x01\x42\x00"s, "\x30\x05\x02\x01\xff\x42\x00"s,
        "\x30\x05\x02\x01\x01\x5f\x00"s, "\x30\x05\x02\x01\x01\x42\x00x"s, "\x30\x05\x02\x01\x01\x60\x00"s,
        "\x30\x09\x02\x05\x01\x00\x00\x00\x00\x42\x00"s, "\x30\x07\x02\x01\x01\x42\x00\xa1\x00"s}) {
    const auto read = decode(bytes);
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().response == 0);
  }
}

TEST_CASE("an unknown scope, a negative limit and an empty SASL mechanism are malformed") {
  const std::string good = encoded({1, SearchRequest{"", Scope::base, 0, 5, 0, false, present("a"), {}}, {}});
  REQUIRE(decode(good).has_value());
  std::string scope = good, limit = good;
  scope[scope.find("\x0a\x01"s) + 2] = 4;
  limit[limit.find("\x02\x01\x05"s) + 2] = '\xff';
  CHECK_FALSE(decode(scope).has_value());
  CHECK_FALSE(decode(limit).has_value());
  CHECK_FALSE(decode("\x30\x10\x02\x01\x01\x60\x0b\x02\x01\x03\x04\x00\xa3\x04\x04\x00\x04\x00"s).has_value());
}

TEST_CASE("mutated messages are read or refused, and never read beyond their end") {
  std::mt19937 random(20071126);
  const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::vector<std::string> corpus;
  for (const Message& message : all_kinds()) {
    corpus.push_back(encoded(message));
  }
  std::size_t good = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string bytes = corpus[below(corpus.size())];
    for (std::size_t changes = 1 + below(4); changes > 0 && !bytes.empty(); --changes) {
      switch (below(4)) {
        case 0: bytes[below(bytes.size())] = static_cast<char>(random()); break;
        case 1: bytes.erase(below(bytes.size()), 1 + below(8)); break;
        case 2: bytes.insert(below(bytes.size() + 1), 1, static_cast<char>(random())); break;
        default: bytes.resize(below(bytes.size() + 1)); break;
      }
    }
    const std::vector<char> exact(bytes.begin(), bytes.end());  // so that a sanitizer sees its end
    const auto read = decode({exact.data(), exact.size()});
    if (read) {
      ++good;
      const std::string again = encoded(*read);
      const auto reread = decode(again);
      REQUIRE(reread.has_value());
      CHECK(*reread == *read);
    }
  }
  CHECK(good > 0);
}

TEST_CASE("what does not begin as a message is malformed at its first byte") {
  CHECK(frame("G", 100).status == ber::Frame::Status::malformed);
  CHECK(frame("\x30", 100).status == ber::Frame::Status::incomplete);
  CHECK(frame("", 100).status == ber::Frame::Status::incomplete);
}
