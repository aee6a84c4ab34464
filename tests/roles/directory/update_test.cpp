#include "session_client.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace lab;
using namespace lab::directory;
using namespace session_client;
using ldap::Change;

namespace {

constexpr const char* kAnn = "uid=ann,ou=people,dc=lab";

ldap::AddRequest person(const std::string& uid) {
  return {"uid=" + uid + ",ou=people,dc=lab", {{"objectClass", {"inetOrgPerson"}}, {"uid", {uid}}, {"cn", {uid}}, {"sn", {"x"}}}};
}

ldap::ModifyRequest replaced(const std::string& dn, const std::string& type, const Strings& values) {
  return {dn, {{Change::Kind::replace, {type, values}}}};
}

}  // namespace

TEST_CASE("nobody but the administrator writes") {
  Client client;
  CHECK(client.response(person("new")).outcome.code == ResultCode::stronger_auth_required);
  client.bind(kAnn, "secret");
  CHECK(client.response(person("new")).outcome.code == ResultCode::insufficient_access_rights);
  CHECK(client.response(ldap::DeleteRequest{kAnn}).outcome.code == ResultCode::insufficient_access_rights);
  CHECK(client.response(replaced(kAnn, "sn", {"y"})).outcome.code == ResultCode::insufficient_access_rights);
  CHECK(client.response(ldap::ModifyDnRequest{kAnn, "uid=x", false, {}}).outcome.code == ResultCode::insufficient_access_rights);
  CHECK(client.bind(Client::kAdministrator, "secret") == ResultCode::invalid_credentials);
  client.become_administrator();
  CHECK(client.response(person("new")).outcome.code == ResultCode::success);
  CHECK(client.matching("(uid=new)") == Strings{"uid=new"});
}

TEST_CASE("the administrator sees passwords, and can search for them") {
  Client client;
  client.become_administrator();
  CHECK(client.types({"*"}).back() == "userPassword");
  CHECK(client.types({"userPassword"}) == Strings{"userPassword"});
  CHECK(client.matching("(userPassword=*)") == Strings{"uid=ann", "uid=bob"});
}

TEST_CASE("what is added, changed, renamed and deleted is found so by every index") {
  Client client;
  client.become_administrator();
  REQUIRE(client.response(person("new")).outcome.code == ResultCode::success);
  CHECK(client.response(replaced("uid=new,ou=people,dc=lab", "mail", {"a@lab", "b@lab"})).outcome.code == ResultCode::success);
  CHECK(client.matching("(mail=b@lab)") == Strings{"uid=new"});
  CHECK(client.response(replaced("uid=new,ou=people,dc=lab", "mail", {"c@lab"})).outcome.code == ResultCode::success);
  CHECK(client.matching("(mail=b@lab)").empty());
  CHECK(client.response(ldap::ModifyDnRequest{"uid=new,ou=people,dc=lab", "uid=newer", true, "ou=groups,dc=lab"}).outcome.code ==
        ResultCode::success);
  CHECK(client.matching("(uid=new)").empty());
  CHECK(client.matching("(mail=c@lab)") == Strings{"uid=newer"});
  CHECK(client.search("ou=groups,dc=lab", Scope::one_level, "(uid=newer)").dns == Strings{"uid=newer"});
  CHECK(client.response(ldap::DeleteRequest{"uid=newer,ou=groups,dc=lab"}).outcome.code == ResultCode::success);
  CHECK(client.matching("(mail=c@lab)").empty());
  CHECK(client.search("dc=lab", Scope::subtree, "(objectClass=*)").dns.size() == 7);
}

TEST_CASE("a change is made whole or not at all") {
  Client client;
  client.become_administrator();
  const ldap::ModifyRequest half{kAnn, {{Change::Kind::replace, {"mail", {"x@lab"}}}, {Change::Kind::remove, {"title", {}}}}};
  CHECK(client.response(half).outcome.code == ResultCode::no_such_attribute);
  CHECK(client.matching("(mail=x@lab)").empty());
  CHECK(client.matching("(mail=ann@lab)") == Strings{"uid=ann"});
}

TEST_CASE("a new password counts at once") {
  Client client;
  client.become_administrator();
  CHECK(client.response(replaced("uid=bob,ou=people,dc=lab", "userPassword", {"fresh"})).outcome.code ==
        ResultCode::object_class_violation);
  CHECK(client
            .response(ldap::ModifyRequest{"uid=bob,ou=people,dc=lab",
                                          {{Change::Kind::remove, {"uid", {"bob"}}}, {Change::Kind::replace, {"userPassword", {"fresh"}}}}})
            .outcome.code == ResultCode::object_class_violation);
  CHECK(client.bind("uid=bob,ou=people,dc=lab", "fresh") == ResultCode::invalid_credentials);
  client.become_administrator();
  REQUIRE(client.response(person("new")).outcome.code == ResultCode::success);
  CHECK(client.response(replaced("uid=new,ou=people,dc=lab", "userPassword", {"fresh"})).outcome.code == ResultCode::success);
  CHECK(client.bind("uid=new,ou=people,dc=lab", "fresh") == ResultCode::success);
}

TEST_CASE("entries that come and go under a paged search hurt it not") {
  Client client;
  client.become_administrator();
  std::mt19937 random(7);
  std::vector<std::string> there;
  for (int i = 0; i < 500; ++i) {
    const auto choice = random() % 4;
    if (choice < 2 || there.empty()) {
      there.push_back("u" + std::to_string(i));
      REQUIRE(client.response(person(there.back())).outcome.code == ResultCode::success);
    } else if (choice == 2) {
      const std::size_t at = random() % there.size();
      REQUIRE(client.response(ldap::DeleteRequest{"uid=" + there[at] + ",ou=people,dc=lab"}).outcome.code == ResultCode::success);
      there.erase(there.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      std::string& name = there[random() % there.size()];
      const std::string renamed = "r" + std::to_string(i);
      REQUIRE(client.response(ldap::ModifyDnRequest{"uid=" + name + ",ou=people,dc=lab", "uid=" + renamed, true, {}}).outcome.code ==
              ResultCode::success);
      name = renamed;
    }
  }
  CHECK(client.matching("(&(objectClass=inetOrgPerson)(sn=x))").size() == there.size());
  for (const std::string& uid : there) {
    CHECK(client.matching("(uid=" + uid + ")").size() == 1);
  }
}
