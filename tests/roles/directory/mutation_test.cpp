// Broken messages of every kind: none crashes, hangs, or makes more of an answer than the directory has.
#include "ldap/controls.hpp"
#include "session_client.hpp"

#include <random>

using namespace lab;
using namespace lab::directory;
using namespace session_client;
using ldap::Change;

namespace {

std::vector<std::string> whole_requests() {
  std::string sorted;
  {
    ber::Writer writer(sorted);
    const ber::Writer::Scope keys(writer, ber::kSequence);
    const ber::Writer::Scope key(writer, ber::kSequence);
    writer.text("uidNumber");
  }
  const std::string page("\x30\x05\x02\x01\x02\x04\x00", 7);
  const ldap::Filter filter = ldap::parse_filter("(&(uid=a*n)(|(cn~=ann)(!(uidNumber>=5)))(ou:dn:caseIgnoreMatch:=people))").value();
  const std::vector<ldap::Message> messages{
      {1, ldap::BindRequest{3, "uid=ann,ou=people,dc=lab", "secret", {}, {}}, {}},
      {2, ldap::BindRequest{3, "", "", "EXTERNAL", "dn:cn=x"}, {}},
      {3,
       ldap::SearchRequest{"ou=people,dc=lab", Scope::subtree, 0, 10, 10, false, filter, {"cn", "+", "@person", "cn;lang-de"}},
       {{std::string(ldap::kPagedResults), true, page}, {std::string(ldap::kSortRequest), false, sorted}}},
      {4, ldap::CompareRequest{"uid=ann,ou=people,dc=lab", "cn", "Ann Other"}, {}},
      {5, ldap::AddRequest{"uid=x,ou=people,dc=lab", {{"objectClass", {"inetOrgPerson"}}, {"cn", {"x"}}, {"sn", {"x"}}}}, {}},
      {6,
       ldap::ModifyRequest{"uid=ann,ou=people,dc=lab",
                           {{Change::Kind::replace, {"mail", {"a@lab"}}}, {Change::Kind::increment, {"uidNumber", {"1"}}}}},
       {}},
      {7, ldap::ModifyDnRequest{"uid=ann,ou=people,dc=lab", "uid=anne", true, "ou=groups,dc=lab"}, {}},
      {8, ldap::DeleteRequest{"cn=few,ou=groups,dc=lab"}, {}},
      {9, ldap::ExtendedRequest{std::string(ldap::kCancel), std::string("\x30\x03\x02\x01\x01", 5)}, {}},
      {10, ldap::AbandonRequest{3}, {}},
  };
  std::vector<std::string> requests;
  for (const ldap::Message& message : messages) {
    ldap::encode(requests.emplace_back(), message);
  }
  return requests;
}

// Bytes changed, cut out, doubled; lengths made huge; pieces of two requests joined.
std::string mutated(const std::vector<std::string>& requests, std::mt19937& random) {
  std::string bytes = requests[random() % requests.size()];
  for (auto changes = 1 + random() % 4; changes > 0 && !bytes.empty(); --changes) {
    const std::size_t at = random() % bytes.size();
    switch (random() % 6) {
      case 0: bytes[at] = static_cast<char>(random()); break;
      case 1: bytes.erase(at, 1 + random() % 4); break;
      case 2: bytes.insert(at, bytes.substr(at, random() % 16)); break;
      case 3: bytes.replace(at, 1, std::string("\x84\x7f\xff\xff\xff", 5)); break;
      case 4: bytes[at] = static_cast<char>(bytes[at] ^ (1U << random() % 8)); break;
      default: {
        const std::string& other = requests[random() % requests.size()];
        bytes = bytes.substr(0, at) + other.substr(random() % other.size());
      }
    }
  }
  return bytes;
}

}  // namespace

TEST_CASE("mutated requests are answered or end the session; none does more than a request may") {
  const std::vector<std::string> requests = whole_requests();
  std::mt19937 random(11);
  Client client;
  client.become_administrator();
  for (int i = 0; i < 20'000; ++i) {
    const std::string bytes = mutated(requests, random);
    const ber::Frame frame = ldap::frame(bytes, std::size_t{256} * 1024);
    if (frame.status != ber::Frame::Status::complete) {
      continue;
    }
    std::string out;
    Session::Next next = client.session().handle(std::string_view(bytes).substr(0, frame.size), out, 0);
    for (int step = 0; next == Session::Next::search; ++step) {
      REQUIRE(step < 100);
      next = client.session().go_on(out, 0);
    }
    REQUIRE(out.size() < 256 * 1024);
    for (std::string_view rest = out; !rest.empty();) {
      const std::size_t size = ber::frame(rest, rest.size()).size;
      REQUIRE(size > 0);
      REQUIRE(ldap::decode(rest.substr(0, size)).has_value());
      rest.remove_prefix(size);
    }
  }
}

TEST_CASE("ten thousand nested ands are a protocol error, not a stack") {  // CVE-2020-12243
  std::string filter(
      "\x87\x02"
      "cn",
      4);
  for (int i = 0; i < 10'000; ++i) {
    std::string outer;
    ber::Writer(outer).text(filter, 0xa0);
    filter.swap(outer);
  }
  std::string body, message;
  ber::Writer writer(body);
  writer.text("dc=lab");
  writer.integer(2, ber::kEnumerated);
  writer.integer(0, ber::kEnumerated);
  writer.integer(0);
  writer.integer(0);
  writer.boolean(false);
  writer.raw(filter);
  writer.text("", ber::kSequence);
  std::string operation;
  ber::Writer whole(operation);
  whole.integer(1);
  whole.text(body, ldap::op::kSearchRequest);
  ber::Writer(message).text(operation, ber::kSequence);
  Client client;
  std::string out;
  CHECK(client.session().handle(message, out, 0) == Session::Next::request);
  CHECK(std::get<ldap::Response>(ldap::decode(out)->operation).outcome.code == ResultCode::protocol_error);
}
