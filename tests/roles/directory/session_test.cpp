#include "roles/directory/session.hpp"

#include "roles/directory/load.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch.hpp>
#include <fstream>

using namespace lab;
using namespace lab::directory;
using ldap::ResultCode;
using ldap::Scope;
using Strings = std::vector<std::string>;

namespace {

constexpr const char* kPeople = R"(dn: dc=lab
objectClass: top
objectClass: domain
dc: lab

dn: ou=people,dc=lab
objectClass: organizationalUnit
ou: people

dn: ou=groups,dc=lab
objectClass: organizationalUnit
ou: groups

dn: uid=ann,ou=people,dc=lab
objectClass: person
objectClass: inetOrgPerson
uid: ann
cn: Ann  Other
sn: Other
mail: ann@lab
employeeNumber: 7
uidNumber: 10
userPassword: secret
createTimestamp: 20070101000000Z

dn: uid=bob,ou=people,dc=lab
objectClass: person
uid: bob
cn: Bob*
sn: Builder
uidNumber: 9
userPassword: {SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=

dn: cn=all,ou=groups,dc=lab
objectClass: groupOfNames
cn: all
member: uid=ann,ou=people,dc=lab
member: UID=Bob, OU=people, DC=lab

dn: cn=few,ou=groups,dc=lab
objectClass: groupOfNames
cn: few
member: uid=ann,ou=people,dc=lab
)";

std::unique_ptr<Tree> tree_of(const std::string& ldif) {
  const TemporaryFolder folder;
  const std::string path = folder / "data.ldif";
  std::ofstream(path) << ldif;
  return std::move(load_ldif(path).value());
}

struct Found {
  Strings dns;
  std::vector<ldap::SearchEntry> entries;
  ldap::Outcome outcome;
};

class Client {
 public:
  explicit Client(const std::string& ldif = kPeople) : tree_(tree_of(ldif)), session_(*tree_, passwords_, counters_) {}

  std::vector<ldap::Message> ask(const ldap::Message& message) {
    std::string request, out;
    ldap::encode(request, message);
    next = session_.handle(request, out, 0);
    while (next == Session::Next::search) {
      next = session_.go_on(out, 0);
    }
    std::vector<ldap::Message> messages;
    for (std::string_view rest = out; !rest.empty();) {
      const std::size_t size = ber::frame(rest, out.size()).size;
      messages.push_back(ldap::decode(rest.substr(0, size)).value());
      CHECK((messages.back().id == message.id || messages.back().id == 0));
      rest.remove_prefix(size);
    }
    return messages;
  }

  ldap::Response response(ldap::Operation operation, std::vector<ldap::Control> controls = {}) {
    return std::get<ldap::Response>(ask({5, std::move(operation), std::move(controls)}).back().operation);
  }
  ResultCode bind(const std::string& name, const std::string& password) {
    return response(ldap::BindRequest{3, name, password, {}}).outcome.code;
  }

  Found search(const std::string& base, Scope scope, const std::string& filter, const Strings& attributes = {}, int size_limit = 0,
               bool types_only = false) {
    Found found;
    for (ldap::Message& message :
         ask({9, ldap::SearchRequest{base, scope, 0, size_limit, 0, types_only, ldap::parse_filter(filter).value(), attributes}, {}})) {
      if (auto* entry = std::get_if<ldap::SearchEntry>(&message.operation)) {
        found.dns.push_back(entry->dn.substr(0, entry->dn.find(',')));
        found.entries.push_back(*entry);
      } else {
        found.outcome = std::get<ldap::Response>(message.operation).outcome;
      }
    }
    return found;
  }
  Strings matching(const std::string& filter) { return search("dc=lab", Scope::subtree, filter).dns; }
  Strings types(const Strings& attributes) {
    Strings types;
    const Found found = search("uid=ann,ou=people,dc=lab", Scope::base, "(objectClass=*)", attributes);
    for (const ldap::Attribute& attribute : found.entries.at(0).attributes) {
      types.push_back(attribute.type);
    }
    return types;
  }

  Session::Next next = Session::Next::request;
  Counters counters_;

 private:
  std::unique_ptr<Tree> tree_;
  PasswordChecker passwords_;
  Session session_;
};

}  // namespace

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
  CHECK(client.search("", Scope::subtree, "(uid=ann)").dns == Strings{"uid=ann"});
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
  CHECK(client.matching("(uidNumber=010)") == Strings{"uid=ann"});
  CHECK(client.matching("(sn~=other)") == Strings{"uid=ann"});
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
  const Strings operational{"createTimestamp", "entryDN", "hasSubordinates"};
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
  CHECK(found.entries[0].attributes[0] == ldap::Attribute{"namingContexts", {"dc=lab"}});
  CHECK(found.entries[0].attributes[1] == ldap::Attribute{"supportedExtension", {std::string(ldap::kWhoAmI)}});
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

TEST_CASE("writing and unknown extended operations are refused, and the connection goes on") {
  Client client;
  CHECK(client.response(ldap::ExtendedRequest{"1.3.6.1.4.1.1466.20037", {}}).outcome.code == ResultCode::protocol_error);
  std::string out;
  Counters counters;
  PasswordChecker passwords;
  const auto tree = generate_users(1);
  Session session(*tree, passwords, counters);
  CHECK(session.handle(std::string("\x30\x05\x02\x01\x01\x68\x00", 7), out, 0) == Session::Next::request);
  CHECK(std::get<ldap::Response>(ldap::decode(out)->operation).outcome.code == ResultCode::unwilling_to_perform);
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
