#include "load.hpp"

#include "ldap/ldif.hpp"

#include <sys/stat.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace lab::directory {

namespace {

constexpr std::uintmax_t kMaxLdif = 1U << 30;  // offsets in the tree are 32 bits wide
constexpr unsigned kGroups = 10;

Result<std::string> read_whole(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    return system_error("open " + path, errno, "give an LDIF file with --ldif, or --users N for generated users");
  }
  if (!S_ISREG(status.st_mode) || static_cast<std::uintmax_t>(status.st_size) > kMaxLdif) {
    return Error{"not a file of at most 1 GiB: " + path, {}, "give an LDIF file"};
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) {
    return system_error("read " + path, errno);
  }
  return std::move(text).str();
}

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
  void add(const std::string& dn, std::vector<ldap::Attribute> attributes) { static_cast<void>(tree_->add(dn, attributes).value()); }

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

Result<std::unique_ptr<Tree>> load_ldif(const std::string& path) {
  const Result<std::string> text = read_whole(path);
  if (!text) {
    return text.error();
  }
  const auto records = ldap::parse_ldif(*text, path);
  if (!records) {
    return records.error();
  }
  auto tree = std::make_unique<Tree>();
  for (const ldap::LdifRecord& record : *records) {
    if (const Result<void> added = tree->add(record.dn, record.attributes); !added) {
      Error error = added.error();
      error.where = path + ':' + std::to_string(record.line);
      return error;
    }
  }
  tree->link();
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
