#include "load.hpp"

#include "ldap/ldif.hpp"
#include "update.hpp"

#include <sys/stat.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <type_traits>
#include <utility>

namespace lab::directory {

namespace {

constexpr unsigned kGroups = 10;

std::string padded(unsigned number) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%06u", number);
  return text.data();
}

std::string user_dn(unsigned number) { return "uid=user" + padded(number) + ",ou=people,dc=lab"; }

// Derived, not random: a generated directory is the same one every time.
std::string salt_of(unsigned number) {
  std::uint64_t mixed = (number + 1) * 0x9e3779b97f4a7c15U;
  std::string salt;
  for (int i = 0; i < 8; ++i, mixed >>= 8) {
    salt.push_back(static_cast<char>(mixed & 0xff));
  }
  return salt;
}

class Generator {
 public:
  void add(const std::string& dn, const std::vector<ldap::Attribute>& attributes) { static_cast<void>(tree_->add(dn, attributes).value()); }

  void add_user(unsigned number) {
    const std::string digits = padded(number);
    const std::string uid = "user" + digits;
    const std::string salt = salt_of(number);
    add(user_dn(number), {{"objectClass", {"top", "person", "organizationalPerson", "inetOrgPerson"}},
                          {"uid", {uid}},
                          {"cn", {"User " + digits}},
                          {"sn", {digits}},
                          {"mail", {uid + "@lab"}},
                          {"userPassword", {passwords_.make_ssha("secret" + digits, salt)}}});
  }

  // Group i has the users whose number is i modulo ten. One of few users may be empty, and then has no member.
  void add_group(unsigned group, unsigned users) {
    std::vector<std::string> members;
    for (unsigned number = group == 0 ? kGroups : group; number <= users; number += kGroups) {
      members.push_back(user_dn(number));
    }
    std::vector<ldap::Attribute> attributes{{"objectClass", {"top", "groupOfNames"}}, {"cn", {"group" + std::to_string(group)}}};
    if (!members.empty()) {
      attributes.push_back({"member", std::move(members)});
    }
    add("cn=group" + std::to_string(group) + ",ou=groups,dc=lab", std::move(attributes));
  }

  std::unique_ptr<Tree> take() {
    tree_->link();
    return std::move(tree_);
  }

 private:
  std::unique_ptr<Tree> tree_ = std::make_unique<Tree>();
  PasswordChecker passwords_;
};

}  // namespace

namespace {

// A change is made to what the file has brought so far.
Result<void> take(Tree& tree, const ldap::LdifRecord& record, bool& linked) {
  if (std::holds_alternative<std::monostate>(record.change)) {
    if (linked) {
      return Error{"an entry after changes", {}, "give `changetype: add` to entries that follow changes", {}, Failure::usage};
    }
    return tree.add(record.dn, record.attributes);
  }
  if (!std::exchange(linked, true)) {
    tree.link();
  }
  const ldap::RequestControls controls;
  Update update(tree, {{}, true, false}, controls);
  const ldap::Outcome outcome = std::visit(
      [&update]<class Change>(const Change& change) {
        if constexpr (std::is_same_v<Change, std::monostate>) {
          return ldap::Outcome{};
        } else {
          return update.apply(change);
        }
      },
      record.change);
  if (outcome.code != ldap::ResultCode::success) {
    return Error{"a change that cannot be made: result code " + std::to_string(static_cast<int>(outcome.code)) +
                     (outcome.diagnostic.empty() ? "" : ", " + outcome.diagnostic),
                 {},
                 "see that the entry is there, and as the change takes it to be",
                 {},
                 Failure::usage};
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Tree>> load_ldif(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    return system_error("open " + path, errno, "give an LDIF file with --ldif, or --users N for generated users");
  }
  if (!S_ISREG(status.st_mode)) {
    return Error{"not a file: " + path, {}, "give an LDIF file"};
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return system_error("read " + path, errno);
  }
  ldap::LdifReader reader(file, path);
  auto tree = std::make_unique<Tree>();
  bool linked = false;
  for (;;) {
    const Result<std::optional<ldap::LdifRecord>> record = reader.next();
    if (!record) {
      return record.error();
    }
    if (!*record) {
      break;
    }
    if (const Result<void> taken = take(*tree, **record, linked); !taken) {
      Error error = taken.error();
      error.where = path + ':' + std::to_string((*record)->line);
      return error;
    }
  }
  if (!linked) {
    tree->link();
  }
  return tree;
}

std::unique_ptr<Tree> generate_users(unsigned count) {
  Generator generator;
  generator.add("dc=lab", {{"objectClass", {"top", "dcObject", "organization"}}, {"dc", {"lab"}}, {"o", {"lab"}}});
  for (const char* unit : {"people", "groups"}) {
    generator.add("ou=" + std::string(unit) + ",dc=lab", {{"objectClass", {"top", "organizationalUnit"}}, {"ou", {unit}}});
  }
  for (unsigned number = 1; number <= count; ++number) {
    generator.add_user(number);
  }
  for (unsigned group = 0; group < kGroups; ++group) {
    generator.add_group(group, count);
  }
  return generator.take();
}

}  // namespace lab::directory
