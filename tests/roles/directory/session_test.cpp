#include "session_client.hpp"

#include <algorithm>

using namespace lab;
using namespace lab::directory;
using namespace session_client;

TEST_CASE("scopes: the base alone, its children, all below it; nothing outside the base") {  // glauth 304
  Client client;
  CHECK(client.search("ou=people,dc=lab", Scope::base, "(objectClass=*)").dns == Strings{"ou=people"});
  CHECK(client.search("ou=people,dc=lab", Scope::one_level, "(objectClass=*)").dns == Strings{"uid=ann", "uid=bob"});
  CHECK(client.search("ou=people,dc=lab", Scope::subtree, "(objectClass=*)").dns == Strings{"ou=people", "uid=ann", "uid=bob"});
  CHECK(client.search("dc=lab", Scope::one_level, "(objectClass=*)").dns == Strings{"ou=people", "ou=groups"});
  CHECK(client.search("dc=lab", Scope::subtree, "(objectClass=*)").dns ==
        Strings{"dc=lab", "ou=people", "uid=ann", "uid=bob", "ou=groups", "cn=all", "cn=few"});
  CHECK(client.search("ou=groups,dc=lab", Scope::subtree, "(uid=ann)").dns.empty());
  CHECK(client.search("dc=lab", Scope::one_level, "(uid=ann)").dns.empty());
  CHECK(client.search("ou=people,dc=lab", Scope::one_level, "(uid=ann)").dns == Strings{"uid=ann"});
  CHECK(client.search("uid=ann,ou=people,dc=lab", Scope::base, "(uid=bob)").dns.empty());
  CHECK(client.search("", Scope::subtree, "(uid=ann)").outcome.code == ResultCode::no_such_object);
  CHECK(client.search("ou=people,dc=lab", Scope::children, "(objectClass=*)").dns == Strings{"uid=ann", "uid=bob"});
}

TEST_CASE("matching ignores case and spaces where the syntax does") {
  Client client;
  CHECK(client.matching("(objectClass=Person)") == client.matching("(objectclass=person)"));  // lldap 189
  CHECK(client.matching("(objectClass=Person)") == Strings{"uid=ann", "uid=bob"});
  CHECK(client.matching("(CN=ann other)") == Strings{"uid=ann"});
  CHECK(client.matching("(commonName=ANN OTHER)") == Strings{"uid=ann"});
  CHECK(client.matching("(member=uid=bob,ou=people,dc=lab)") == Strings{"cn=all"});
  CHECK(client.matching("(member=UID=Ann, OU=People , DC=lab)") == Strings{"cn=all", "cn=few"});
  CHECK(client.matching("(&(objectClass=groupOfNames)(member=uid=ann,ou=people,dc=lab)(cn=few))") == Strings{"cn=few"});
}

TEST_CASE("an escaped asterisk matches a literal one only") {  // glauth 95
  Client client;
  CHECK(client.matching("(cn=bob\\2a)") == Strings{"uid=bob"});
  CHECK(client.matching("(cn=\\2a)").empty());
  CHECK(client.matching("(uid=\\2a)").empty());
}

TEST_CASE("substrings, presence and order") {
  Client client;
  CHECK(client.matching("(cn=a*)") == Strings{"uid=ann", "cn=all"});
  CHECK(client.matching("(cn=*o*er)") == Strings{"uid=ann"});
  CHECK(client.matching("(cn=ann o*)") == Strings{"uid=ann"});
  CHECK(client.matching("(cn=*r*r)").empty());
  CHECK(client.matching("(mail=*)") == Strings{"uid=ann"});
  CHECK(client.matching("(uidNumber>=10)") == Strings{"uid=ann"});  // 9 is less than 10, as a number
  CHECK(client.matching("(uidNumber<=9)") == Strings{"uid=bob"});
  CHECK(client.matching("(uidNumber=010)").empty());  // no integer, so undefined
  CHECK(client.matching("(!(uidNumber=010))").empty());
  CHECK(client.matching("(cn>=a)").empty());  // cn has no ordering rule
  CHECK(client.matching("(sn~=other)") == Strings{"uid=ann"});
  CHECK(client.matching("(cn~=othr)") == Strings{"uid=ann"});
  CHECK(client.matching("(cn~=ann zother)").empty());
  CHECK(client.matching("(cn:caseExactMatch:=ann other)").empty());
  CHECK(client.matching("(cn:caseExactMatch:=Ann Other)") == Strings{"uid=ann"});
}

TEST_CASE("filters have three values: what nobody knows is neither true nor false") {
  Client client;
  CHECK(client.matching("(nonsense=x)").empty());
  CHECK(client.matching("(!(nonsense=x))").empty());
  CHECK(client.matching("(|(nonsense=x)(uid=ann))") == Strings{"uid=ann"});
  CHECK(client.matching("(&(nonsense=x)(uid=ann))").empty());
  CHECK(client.matching("(!(&(nonsense=x)(uid=ann)))") == Strings{"dc=lab", "ou=people", "uid=bob", "ou=groups", "cn=all", "cn=few"});
  CHECK(client.matching("(&(objectClass=person)(!(mail=ann@lab)))") == Strings{"uid=bob"});  // lldap 738: goes on past one without
  CHECK(client.matching("(!(uid:unknownRule:=x))").empty());
  CHECK(client.matching("(&)").size() == 7);
  CHECK(client.matching("(|)").empty());
}

TEST_CASE("passwords are never returned, and cannot be searched for") {
  Client client;
  REQUIRE(client.bind("uid=ann,ou=people,dc=lab", "secret") == ResultCode::success);
  for (const Strings& attributes : {Strings{}, Strings{"*", "+"}, Strings{"userPassword"}, Strings{"2.5.4.35"}}) {
    for (const std::string& type : client.types(attributes)) {
      CHECK(type != "userPassword");
    }
  }
  CHECK(client.matching("(userPassword=secret)").empty());
  CHECK(client.matching("(userPassword=*)").empty());
  CHECK(client.response(ldap::CompareRequest{"uid=ann,ou=people,dc=lab", "userPassword", "secret"}).outcome.code ==
        ResultCode::insufficient_access_rights);
}

TEST_CASE("attributes are returned as asked for") {
  Client client;
  const Strings user{"objectClass", "uid", "cn", "sn", "mail", "employeeNumber", "uidNumber"};
  const Strings operational{"createTimestamp", "structuralObjectClass", "entryUUID", "creatorsName",      "entryCSN",
                            "modifiersName",   "modifyTimestamp",       "entryDN",   "subschemaSubentry", "hasSubordinates"};
  Strings both = user;
  both.insert(both.end(), operational.begin(), operational.end());
  CHECK(client.types({}) == user);
  CHECK(client.types({"*"}) == user);
  CHECK(client.types({"+"}) == operational);
  CHECK(client.types({"*", "+"}) == both);
  CHECK(client.types({"1.1"}).empty());
  CHECK(client.types({"MAIL", "uid", "nonsense"}) == Strings{"uid", "mail"});
  CHECK(client.types({"surname"}) == Strings{"sn"});
  CHECK(client.types({"*", "createTimestamp"}).back() == "createTimestamp");
  CHECK(client.types({"name"}) == Strings{"cn", "sn"});
  CHECK(client.types({"@person"}) == Strings{"objectClass", "cn", "sn"});
}

TEST_CASE("types only: names without values") {
  Client client;
  const Found found = client.search("uid=ann,ou=people,dc=lab", Scope::base, "(objectClass=*)", {"cn", "entryDN"}, 0, true);
  REQUIRE(found.entries.size() == 1);
  CHECK(found.entries[0].attributes == std::vector<ldap::Attribute>{{"cn", {}}, {"entryDN", {}}});
}

TEST_CASE("the size limit gives code 4 with the entries so far, and nothing odd when it just fits") {  // idm 72
  Client client;
  const Found cut = client.search("dc=lab", Scope::subtree, "(objectClass=person)", {}, 1);
  CHECK(cut.outcome.code == ResultCode::size_limit_exceeded);
  CHECK(cut.dns == Strings{"uid=ann"});
  const Found whole = client.search("dc=lab", Scope::subtree, "(objectClass=person)", {}, 2);
  CHECK(whole.outcome.code == ResultCode::success);
  CHECK(whole.dns.size() == 2);
}

TEST_CASE("a base that is not there is code 32 with the nearest entry above it") {
  Client client;
  const Found found = client.search("uid=x,uid=nobody,ou=people,dc=lab", Scope::subtree, "(objectClass=*)");
  CHECK(found.outcome.code == ResultCode::no_such_object);
  CHECK(found.outcome.matched_dn == "ou=people,dc=lab");
  CHECK(client.search("dc=elsewhere", Scope::subtree, "(objectClass=*)").outcome.matched_dn.empty());
  CHECK(client.search("nonsense", Scope::subtree, "(objectClass=*)").outcome.code == ResultCode::invalid_dn_syntax);
}

TEST_CASE("the root DSE tells what the server can") {
  Client client;
  const Found found = client.search("", Scope::base, "(objectClass=*)", {"+"});
  REQUIRE(found.entries.size() == 1);
  CHECK(found.entries[0].dn.empty());
  const std::vector<ldap::Attribute>& told = found.entries[0].attributes;
  const auto values = [&told](const char* type) {
    const auto at = std::find_if(told.begin(), told.end(), [&](const ldap::Attribute& one) { return one.type == type; });
    return at == told.end() ? Strings() : at->values;
  };
  CHECK(values("namingContexts") == Strings{"dc=lab"});
  CHECK(values("supportedExtension") == Strings{std::string(ldap::kStartTls), std::string(ldap::kWhoAmI), std::string(ldap::kCancel)});
  CHECK(values("subschemaSubentry") == Strings{"cn=Subschema"});
  CHECK(values("supportedSASLMechanisms").empty());
}

TEST_CASE("binds: success, wrong, unknown, anonymous, without a password") {
  Client client;
  CHECK(client.bind("uid=ann,ou=people,dc=lab", "secret") == ResultCode::success);
  CHECK(client.bind("UID=Bob,ou=People,dc=lab", "secret") == ResultCode::success);
  CHECK(client.bind("uid=ann,ou=people,dc=lab", "Secret") == ResultCode::invalid_credentials);
  CHECK(client.bind("uid=nobody,ou=people,dc=lab", "secret") == ResultCode::invalid_credentials);
  CHECK(client.bind("ou=people,dc=lab", "secret") == ResultCode::invalid_credentials);
  CHECK(client.bind("", "") == ResultCode::success);
  CHECK(client.bind("", "secret") == ResultCode::invalid_credentials);
  CHECK(client.bind("uid=ann,ou=people,dc=lab", "") == ResultCode::unwilling_to_perform);  // RFC 4513 5.1.2
  CHECK(client.bind("nonsense", "secret") == ResultCode::invalid_dn_syntax);
  CHECK(client.response(ldap::BindRequest{2, "uid=ann,ou=people,dc=lab", "secret", {}}).outcome.code == ResultCode::protocol_error);
  CHECK(client.response(ldap::BindRequest{3, "", "", "PLAIN"}).outcome.code == ResultCode::auth_method_not_supported);
  CHECK(client.counters_.binds == 11);
  CHECK(client.counters_.results[49] == 4);
}

TEST_CASE("who am I: nobody, the one who bound, nobody after a failed bind") {
  Client client;
  const ldap::ExtendedRequest who{std::string(ldap::kWhoAmI), {}};
  CHECK(client.response(who).value == "");
  client.bind("UID=ann,ou=people,dc=lab", "secret");
  CHECK(client.response(who).value == "dn:uid=ann,ou=people,dc=lab");
  client.bind("uid=ann,ou=people,dc=lab", "wrong");
  CHECK(client.response(who).value == "");
}

TEST_CASE("compare") {
  Client client;
  const auto code = [&client](const char* dn, const char* attribute, const char* value) {
    return client.response(ldap::CompareRequest{dn, attribute, value}).outcome.code;
  };
  CHECK(code("uid=ann,ou=people,dc=lab", "cn", "ANN OTHER") == ResultCode::compare_true);
  CHECK(code("uid=ann,ou=people,dc=lab", "cn", "Bob") == ResultCode::compare_false);
  CHECK(code("uid=bob,ou=people,dc=lab", "mail", "x") == ResultCode::no_such_attribute);
  CHECK(code("uid=bob,ou=people,dc=lab", "nonsense", "x") == ResultCode::undefined_attribute_type);
  CHECK(code("uid=x,dc=lab", "cn", "x") == ResultCode::no_such_object);
}

TEST_CASE("an unknown critical control is code 12, one that is not critical is passed over") {  // Adldap2 695
  Client client;
  const ldap::SearchRequest search{"dc=lab", Scope::base, 0, 0, 0, false, ldap::present("objectClass"), {}};
  CHECK(client.response(search, {{"1.2.3.4", true, {}}}).outcome.code == ResultCode::unavailable_critical_extension);
  CHECK(client.response(search, {{"1.2.3.4", false, {}}}).outcome.code == ResultCode::success);
  CHECK(client.response(ldap::BindRequest{}, {{"1.2.3.4", true, {}}}).outcome.code == ResultCode::unavailable_critical_extension);
}

TEST_CASE("an unknown extended operation is refused, and the connection goes on") {
  Client client;
  CHECK(client.response(ldap::ExtendedRequest{"1.2.3.4", {}}).outcome.code == ResultCode::protocol_error);
  CHECK(client.next == Session::Next::request);
}

TEST_CASE("StartTLS: offered with a certificate, once") {
  Client without;
  CHECK(without.response(ldap::ExtendedRequest{std::string(ldap::kStartTls), {}}).outcome.code == ResultCode::protocol_error);
  Client client(kPeople, {false, true, {}});
  CHECK(client.response(ldap::ExtendedRequest{std::string(ldap::kStartTls), {}}).oid == ldap::kStartTls);
  CHECK(client.next == Session::Next::start_tls);
  client.session().tls_started();
  CHECK(client.response(ldap::ExtendedRequest{std::string(ldap::kStartTls), {}}).outcome.code == ResultCode::operations_error);
}

TEST_CASE("SASL EXTERNAL is whoever the transport says") {
  Client nobody;
  CHECK(nobody.response(ldap::BindRequest{3, "", "", "EXTERNAL", ""}).outcome.code == ResultCode::inappropriate_authentication);
  const std::string name = "gidNumber=0+uidNumber=0,cn=peercred,cn=external,cn=auth";
  Client client(kPeople, {false, false, name});
  CHECK(client.response(ldap::BindRequest{3, "", "", "EXTERNAL", ""}).outcome.code == ResultCode::success);
  CHECK(client.response(ldap::ExtendedRequest{std::string(ldap::kWhoAmI), {}}).value == "dn:" + name);
  CHECK(client.response(ldap::BindRequest{3, "", "", "EXTERNAL", "dn:cn=somebody"}).outcome.code == ResultCode::insufficient_access_rights);
  CHECK(client.response(ldap::ExtendedRequest{std::string(ldap::kWhoAmI), {}}).value == "");
}

TEST_CASE("letters beyond ASCII are compared ignoring case, however they are composed") {
  Client client("dn: dc=lab\nobjectClass: domain\ndc: lab\n\ndn: cn=L\u00fcbeck,dc=lab\nobjectClass: device\ncn: L\u00fcbeck\n");
  CHECK(client.matching("(cn=L\u00dcBECK)").size() == 1);
  CHECK(client.matching("(cn=Lu\\cc\\88beck)").size() == 1);
  CHECK(client.matching("(cn=*\u00dc*)").size() == 1);
  CHECK(client.matching("(cn=Lubeck)").empty());
  CHECK(client.search("cn=L\u00dcBECK,dc=lab", Scope::base, "(objectClass=*)").dns.size() == 1);
}

TEST_CASE("unbind ends, abandon is not answered, what is no request ends with a notice") {
  Client client;
  CHECK(client.ask({1, ldap::AbandonRequest{7}, {}}).empty());
  CHECK(client.next == Session::Next::request);
  CHECK(client.ask({2, ldap::UnbindRequest{}, {}}).empty());
  CHECK(client.next == Session::Next::close);
  const auto notice = client.ask({3, ldap::SearchEntry{}, {}});
  CHECK(client.next == Session::Next::close);
  CHECK(std::get<ldap::Response>(notice.at(0).operation).oid == ldap::kNoticeOfDisconnection);
}
