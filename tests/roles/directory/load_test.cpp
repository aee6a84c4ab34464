#include "roles/directory/load.hpp"

#include "ldap/dn.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch.hpp>
#include <fstream>

using namespace lab;
using namespace lab::directory;

namespace {

std::vector<std::string> values(const Tree& tree, const std::string& dn, const char* attribute) {
  std::vector<std::string> values;
  const Entry& entry = tree[tree.find(dn)];
  if (const StoredAttribute* stored = entry.find(*tree.schema().find(attribute))) {
    any_value(entry, *stored, [&values](std::string_view value) {
      values.emplace_back(value);
      return false;
    });
  }
  return values;
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
  CHECK(values(*tree, dn, "userPassword").empty());
  PasswordChecker passwords;
  const Entry& user = tree->operator[](tree->find(dn));
  REQUIRE(user.passwords.size() == 1);
  CHECK(user.passwords[0].hashed);
  CHECK(passwords.matches(user.passwords[0], "secret000017"));
  CHECK_FALSE(passwords.matches(user.passwords[0], "secret000018"));
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
  CHECK((*tree)[0].encoded.find("secret") == std::string::npos);
}

TEST_CASE("an LDIF file with an error is refused with file, line and remedy") {
  const Error twice = Loaded("dn: dc=lab\ndc: lab\n\ndn: DC=Lab\ndc: lab\n").error();
  CHECK(twice.what == "an entry that is there already: DC=Lab");
  CHECK(twice.where == "people.ldif:4");
  const Error name = Loaded("dn: lab\ndc: lab\n").error();
  CHECK(name.what == "not a distinguished name: lab");
  CHECK(name.where == "people.ldif:1");
  const Error password = Loaded("dn: dc=lab\ndc: lab\nuserPassword: {CRYPT}x\n").error();
  CHECK(password.what == "a password of the unknown scheme {CRYPT}");
  CHECK(password.where == "people.ldif:1");
  CHECK(Loaded("dn: dc=lab\nnonsense\n").error().where == "people.ldif:2");
}

TEST_CASE("a file that is not there, and a folder, are errors that name it") {
  const TemporaryFolder folder;
  CHECK(load_ldif(folder / "none").error().what == "open " + (folder / "none").string() + ": No such file or directory");
  CHECK(load_ldif(folder.path()).error().what == "not a file of at most 1 GiB: " + folder.path().string());
}
