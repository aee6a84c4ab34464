#include "roles/directory/password.hpp"

#include <catch2/catch.hpp>

using namespace lab::directory;

namespace {

bool accepts(const std::string& stored, const std::string& given) {
  PasswordChecker checker;
  return checker.matches(parse_password(stored).value(), given);
}

}  // namespace

TEST_CASE("passwords of each scheme are checked; schemes ignore case") {
  // slappasswd -h {SHA} -s secret; the salted one has the salt "saltsalt"
  for (const std::string stored : {"secret", "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=", "{sha}5en6G6MezRroT3XKqkdPOmY/BfQ="}) {
    CHECK(accepts(stored, "secret"));
    CHECK_FALSE(accepts(stored, "Secret"));
    CHECK_FALSE(accepts(stored, "secre"));
    CHECK_FALSE(accepts(stored, ""));
  }
}

TEST_CASE("a salted password is checked with its salt, of any length") {
  PasswordChecker checker;
  for (const std::string& salt : {std::string("s"), std::string("saltsalt"), std::string(32, '\0')}) {
    const std::string stored = checker.make_ssha("secret", salt);
    CHECK(stored.starts_with("{SSHA}"));
    CHECK(accepts(stored, "secret"));
    CHECK_FALSE(accepts(stored, "secret2"));
  }
}

TEST_CASE("schemes nobody can check and damaged digests are errors") {
  CHECK(parse_password("{CRYPT}x").error().what == "a password of the unknown scheme {CRYPT}");
  CHECK(parse_password("{SSHA}5en6G6MezRroT3XKqkdPOmY/BfQ=").error().what == "a damaged {SSHA} password");
  CHECK(parse_password("{SHA}!!!").error().what == "a damaged {SHA} password");
}
