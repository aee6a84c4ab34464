#include "roles/directory/load.hpp"

#include "roles/directory/save.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch.hpp>
#include <fstream>

using namespace lab;
using namespace lab::directory;

namespace {

std::vector<std::string> values(const Tree& tree, const std::string& dn, const char* attribute) {
  for (ldap::Attribute& held : attributes_of(tree[tree.find(dn)])) {
    if (held.type == attribute) {
      return held.values;
    }
  }
  return {};
}

struct Loaded {
  explicit Loaded(const std::string& text) { std::ofstream(folder / "people.ldif") << text; }
  Result<std::unique_ptr<Tree>> load() const { return load_ldif(folder / "people.ldif"); }
  Error error() const {
    Error error = load().error();
    error.where = error.where.substr(error.where.rfind('/') + 1);
    return error;
  }
  TemporaryFolder folder;
};

}  // namespace

TEST_CASE("generated users are the ones that the design names") {
  const auto tree = generate_users(25);
  CHECK(tree->size() == 3 + 25 + 10);
  const std::string dn = "uid=user000017,ou=people,dc=lab";
  CHECK(values(*tree, dn, "uid") == std::vector<std::string>{"user000017"});
  CHECK(values(*tree, dn, "objectClass").back() == "inetOrgPerson");
  CHECK(values(*tree, dn, "mail") == std::vector<std::string>{"user000017@lab"});
  PasswordChecker passwords;
  const std::vector<std::string> stored = values(*tree, dn, "userPassword");
  REQUIRE(stored.size() == 1);
  CHECK(stored[0].starts_with("{SSHA}"));
  CHECK(passwords.matches(stored[0], "secret000017"));
  CHECK_FALSE(passwords.matches(stored[0], "secret000018"));
  CHECK(values(*tree, "cn=group7,ou=groups,dc=lab", "member") ==
        std::vector<std::string>{"uid=user000007,ou=people,dc=lab", "uid=user000017,ou=people,dc=lab"});
  CHECK(values(*tree, "cn=group0,ou=groups,dc=lab", "member").front() == "uid=user000010,ou=people,dc=lab");
}

TEST_CASE("children may come before their parents; entries without one are naming contexts") {
  const auto tree = std::move(Loaded("dn: uid=a,dc=lab\nuid: a\n\ndn: dc=lab\ndc: lab\n\ndn: dc=other\ndc: other\n").load().value());
  CHECK(tree->naming_contexts().size() == 2);
  CHECK((*tree)[tree->find("uid=a,dc=lab")].parent == tree->find("dc=lab"));
}

TEST_CASE("a password with options is as secret as one without") {
  const auto tree = std::move(Loaded("dn: dc=lab\ndc: lab\nuserPassword;x-old: secret\n").load().value());
  const Entry& entry = (*tree)[0];
  CHECK(entry.encoded(0, entry.public_end).find("secret") == std::string_view::npos);
  CHECK(entry.encoded(entry.public_end, entry.secret_end).find("secret") != std::string_view::npos);
}

TEST_CASE("an LDIF file with an error is refused with file, line and remedy") {
  const Error twice = Loaded("dn: dc=lab\ndc: lab\n\ndn: DC=Lab\ndc: lab\n").error();
  CHECK(twice.what == "an entry that is there already: DC=Lab");
  CHECK(twice.where == "people.ldif:4");
  const Error name = Loaded("dn: lab\ndc: lab\n").error();
  CHECK(name.what == "not a distinguished name: lab");
  CHECK(name.where == "people.ldif:1");
  const Error password = Loaded("dn: dc=lab\ndc: lab\nuserPassword: {MD5}x\n").error();
  CHECK(password.what == "a password that nobody can check: {MD5}");
  CHECK(password.where == "people.ldif:1");
  CHECK(Loaded("dn: dc=lab\nnonsense\n").error().where == "people.ldif:2");
}

TEST_CASE("a file that is not there, and a folder, are errors that name it") {
  const TemporaryFolder folder;
  CHECK(load_ldif(folder / "none").error().what == "open " + (folder / "none").string() + ": No such file or directory");
  CHECK(load_ldif(folder.path()).error().what == "not a file: " + folder.path().string());
}

TEST_CASE("changes in the file are made, in their order") {
  const auto tree = std::move(Loaded("dn: dc=lab\ndc: lab\nobjectClass: domain\n\n"
                                     "dn: cn=a,dc=lab\nchangetype: add\nobjectClass: device\n\n"
                                     "dn: cn=a,dc=lab\nchangetype: modify\nadd: description\ndescription: one\n\n"
                                     "dn: cn=a,dc=lab\nchangetype: modrdn\nnewrdn: cn=b\ndeleteoldrdn: 1\n\n"
                                     "dn: cn=c,dc=lab\nchangetype: add\nobjectClass: device\n\n"
                                     "dn: cn=c,dc=lab\nchangetype: delete\n")
                                  .load()
                                  .value());
  CHECK(tree->size() == 2);
  CHECK(tree->find("cn=a,dc=lab") == kNoEntry);
  CHECK(values(*tree, "cn=b,dc=lab", "description") == std::vector<std::string>{"one"});
  CHECK(values(*tree, "cn=b,dc=lab", "cn") == std::vector<std::string>{"b"});
  const Error impossible = Loaded("dn: dc=lab\ndc: lab\n\ndn: cn=a,dc=lab\nchangetype: delete\n").error();
  CHECK(impossible.what == "a change that cannot be made: result code 32");
  CHECK(impossible.where == "people.ldif:4");
  CHECK(Loaded("dn: dc=lab\nchangetype: add\ndc: lab\n").error().what.starts_with("a change that cannot be made: result code 53"));
}

TEST_CASE("what is saved is loaded as it was") {
  const TemporaryFolder folder;
  const auto tree = generate_users(30);
  REQUIRE(save_ldif(*tree, folder / "saved.ldif"));
  const auto again = std::move(load_ldif(folder / "saved.ldif").value());
  REQUIRE(again->size() == tree->size());
  for (EntryId id = 0; id < tree->size(); ++id) {
    const EntryId same = again->find(std::string((*tree)[id].dn()));
    REQUIRE(same != kNoEntry);
    CHECK(attributes_of((*again)[same]) == attributes_of((*tree)[id]));
  }
  CHECK(save_ldif(*tree, folder / "none/saved.ldif").error().what.starts_with("save the entries to "));
}
