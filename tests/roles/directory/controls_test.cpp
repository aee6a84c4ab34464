#include "ldap/controls.hpp"
#include "session_client.hpp"

using namespace lab;
using namespace lab::directory;
using namespace session_client;

namespace {

ldap::Control paged(int size, const std::string& cookie, bool critical = false) {
  ldap::Control control{std::string(ldap::kPagedResults), critical, std::string()};
  ber::Writer writer(*control.value);
  const ber::Writer::Scope scope(writer, ber::kSequence);
  writer.integer(size);
  writer.text(cookie);
  return control;
}

// One key; the rule may be empty.
ldap::Control sort_by(const std::string& attribute, const std::string& rule, bool reverse) {
  ldap::Control control{std::string(ldap::kSortRequest), true, std::string()};
  ber::Writer writer(*control.value);
  const ber::Writer::Scope scope(writer, ber::kSequence);
  const ber::Writer::Scope key(writer, ber::kSequence);
  writer.text(attribute);
  if (!rule.empty()) {
    writer.text(rule, ber::context(0));
  }
  if (reverse) {
    writer.boolean(true, ber::context(1));
  }
  return control;
}

ldap::Control assertion(const std::string& filter) {
  ldap::Control control{std::string(ldap::kAssertion), true, std::string()};
  ber::Writer writer(*control.value);
  ldap::write_filter(writer, ldap::parse_filter(filter).value());
  return control;
}

struct Page {
  Strings names;
  ResultCode code = ResultCode::other;
  std::optional<std::string> cookie;  // nothing: no control came
};

Page page(Client& client, const std::vector<ldap::Control>& controls, int size_limit = 0) {
  Page page;
  const ldap::SearchRequest request{"dc=lab", Scope::subtree, 0, size_limit, 0, false, ldap::present("objectClass"), {"1.1"}};
  for (const ldap::Message& message : client.ask({9, request, controls})) {
    if (const auto* entry = std::get_if<ldap::SearchEntry>(&message.operation)) {
      page.names.push_back(entry->dn.substr(0, entry->dn.find(',')));
      continue;
    }
    page.code = std::get<ldap::Response>(message.operation).outcome.code;
    for (const ldap::Control& control : message.controls) {
      if (control.oid == ldap::kPagedResults) {
        ber::Reader body = ber::Reader(*control.value).open(ber::kSequence);
        body.integer();
        page.cookie = body.read(ber::kOctetString);
      }
    }
  }
  return page;
}

}  // namespace

TEST_CASE("paged results: every page has the control, the last one an empty cookie") {  // glauth 272
  Client client;
  const Page first = page(client, {paged(3, "")});
  CHECK(first.names == Strings{"dc=lab", "ou=people", "uid=ann"});
  REQUIRE(first.cookie.has_value());
  CHECK_FALSE(first.cookie->empty());
  const Page second = page(client, {paged(3, *first.cookie)});
  CHECK(second.names == Strings{"uid=bob", "ou=groups", "cn=all"});
  const Page third = page(client, {paged(3, second.cookie.value())});
  CHECK(third.names == Strings{"cn=few"});
  CHECK(third.cookie == "");
  CHECK(page(client, {paged(7, "")}).cookie == "");  // it just fits
}

TEST_CASE("paged results: an old or invented cookie is refused, size 0 gives the rest up") {
  Client client;
  const Page first = page(client, {paged(2, "")});
  const Page second = page(client, {paged(2, *first.cookie)});
  CHECK(page(client, {paged(2, *first.cookie)}).code == ResultCode::unwilling_to_perform);
  CHECK(page(client, {paged(2, "invented")}).code == ResultCode::unwilling_to_perform);
  const Page ended = page(client, {paged(0, *second.cookie)});
  CHECK(ended.code == ResultCode::success);
  CHECK(ended.names.empty());
  CHECK(ended.cookie == "");
  CHECK(page(client, {paged(2, *second.cookie)}).code == ResultCode::unwilling_to_perform);
}

TEST_CASE("the size limit counts over all pages") {
  Client client;
  const Page first = page(client, {paged(2, "")}, 3);
  const Page second = page(client, {paged(2, *first.cookie)}, 3);
  CHECK(second.code == ResultCode::size_limit_exceeded);
  CHECK(second.names.size() == 1);
  CHECK_FALSE(second.cookie.has_value());
}

TEST_CASE("entries that go between pages are left out, and the search finds on") {
  Client client;
  client.become_administrator();
  const Page first = page(client, {paged(3, "")});
  CHECK(client.response(ldap::DeleteRequest{"uid=bob,ou=people,dc=lab"}).outcome.code == ResultCode::success);
  CHECK(client.response(ldap::DeleteRequest{"uid=ann,ou=people,dc=lab"}).outcome.code == ResultCode::success);
  CHECK(page(client, {paged(10, *first.cookie)}).names == Strings{"ou=groups", "cn=all", "cn=few"});
}

TEST_CASE("sorting: by the attribute's rule or a rule named, missing values last, or first in reverse") {
  Client client;
  const auto sorted = [&client](const ldap::Control& control) { return page(client, {control}).names; };
  const Strings others{"dc=lab", "ou=people", "ou=groups", "cn=all", "cn=few"};
  Strings up{"uid=bob", "uid=ann"}, down(others);
  up.insert(up.end(), others.begin(), others.end());
  down.insert(down.end(), {"uid=ann", "uid=bob"});
  CHECK(sorted(sort_by("uidNumber", "", false)) == up);  // 9 before 10
  CHECK(sorted(sort_by("uidNumber", "", true)) == down);
  CHECK(sorted(sort_by("sn", "caseIgnoreOrderingMatch", false)) == up);
  CHECK(page(client, {sort_by("uid", "", false)}).code == ResultCode::inappropriate_matching);
  CHECK(page(client, {sort_by("uid", "nonsense", false)}).code == ResultCode::inappropriate_matching);
  CHECK(page(client, {sort_by("nonsense", "", false)}).code == ResultCode::no_such_attribute);
}

TEST_CASE("sorted results come in pages as well") {
  Client client;
  const Page first = page(client, {sort_by("uidNumber", "", false), paged(1, "")});
  CHECK(first.names == Strings{"uid=bob"});
  CHECK(page(client, {sort_by("uidNumber", "", false), paged(1, *first.cookie)}).names == Strings{"uid=ann"});
}

TEST_CASE("an assertion that does not hold is code 122, also where it is undefined") {
  Client client;
  CHECK(page(client, {assertion("(dc=lab)")}).code == ResultCode::success);
  CHECK(page(client, {assertion("(dc=other)")}).code == ResultCode::assertion_failed);
  CHECK(page(client, {assertion("(nonsense=x)")}).code == ResultCode::assertion_failed);
  const ldap::CompareRequest compare{"uid=ann,ou=people,dc=lab", "cn", "Ann Other"};
  CHECK(client.response(compare, {assertion("(uid=ann)")}).outcome.code == ResultCode::compare_true);
  CHECK(client.response(compare, {assertion("(uid=bob)")}).outcome.code == ResultCode::assertion_failed);
}

TEST_CASE("malformed and repeated controls are protocol errors") {
  Client client;
  CHECK(page(client, {{std::string(ldap::kPagedResults), false, "nonsense"}}).code == ResultCode::protocol_error);
  CHECK(page(client, {{std::string(ldap::kPagedResults), false, {}}}).code == ResultCode::protocol_error);
  CHECK(page(client, {{std::string(ldap::kSortRequest), false, {}}}).code == ResultCode::protocol_error);
  CHECK(page(client, {paged(1, ""), paged(1, "")}).code == ResultCode::protocol_error);
}
