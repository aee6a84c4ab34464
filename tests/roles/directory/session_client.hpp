// A client of the directory without sockets: requests to a session, its answers as values.
#pragma once

#include "roles/directory/load.hpp"
#include "roles/directory/session.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch.hpp>
#include <fstream>

namespace session_client {

namespace ldap = lab::ldap;
namespace ber = lab::ldap::ber;
using lab::directory::Session;
using lab::directory::Tree;
using lab::ldap::ResultCode;
using lab::ldap::Scope;
using Strings = std::vector<std::string>;

inline constexpr const char* kPeople = R"(dn: dc=lab
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

inline std::unique_ptr<lab::directory::Tree> tree_of(const std::string& ldif) {
  const TemporaryFolder folder;
  const std::string path = folder / "data.ldif";
  std::ofstream(path) << ldif;
  return std::move(lab::directory::load_ldif(path).value());
}

struct Found {
  Strings dns;
  std::vector<ldap::SearchEntry> entries;
  ldap::Outcome outcome;
};

class Client {
 public:
  explicit Client(const std::string& ldif = kPeople, Session::Transport transport = {})
      : tree_(tree_of(ldif)), session_({*tree_, authority_, passwords_, counters_, faults_}, std::move(transport)) {
    tree_->make_writable(authority_.dn);
  }

  void become_administrator() { CHECK(bind(kAdministrator, "admin-secret") == lab::ldap::ResultCode::success); }

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

  static constexpr const char* kAdministrator = "cn=admin,dc=lab";
  Session::Next next = Session::Next::request;
  lab::directory::Counters counters_;
  lab::directory::Faults faults_{0};
  Session& session() { return session_; }
  lab::directory::Tree& tree() { return *tree_; }

 private:
  const lab::directory::Authority authority_{kAdministrator, kAdministrator, "admin-secret"};
  std::unique_ptr<lab::directory::Tree> tree_;
  lab::directory::PasswordChecker passwords_;
  Session session_;
};

}  // namespace session_client
