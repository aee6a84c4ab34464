#include "roles/directory/password.hpp"

#include <catch2/catch.hpp>

using namespace lab::directory;

namespace {

bool accepts(const std::string& stored, const std::string& given) {
  PasswordChecker checker;
  return checker.matches(stored, given);
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

TEST_CASE("passwords of SHA-2 and crypt schemes are checked") {
  const std::pair<const char*, const char*> kStored[] = {
      {"{SHA256}D9lmqWlsZ9NCJByONV9rvtX9Y+f5z0IwedpmwGdHViA=", "256-secret"},
      {"{SSHA256}yZsZVCDcc39K4hgLh6azWBvAIbmYeV2D5ORZe72QTZhzYWx0U0FMVA==", "256-secret"},
      {"{SHA512}aRCVFe7ZyfC+qRBrFXXvk9zRmVuytOzH9pYE9N0/dsHq67eD9vs/PAX22mN1PS7QHDkwEWVcyvaKwA3rhJ7r7Q==", "512-secret"},
      {"{SSHA512}Ptw2XsecycyYKtTFOrCyrapGeyiveBx9uurIenNPU+0FSsLwjSLD8tZ0uFadCi95B2JNVg0/OyrQLkmSbM8T1HNhbHRTQUxU", "512-secret"},
      {"{CRYPT}$6$saltsalt$x47njgcaCejXz9qoaPwzQZnP2.9v7iEGceB26JfQhgm.XAwiGduSla2L8XFJbvsfB2X4SR7CDnzzuPjiFQGWa.", "crypt-secret"}};
  for (const auto& [stored, given] : kStored) {
    INFO(stored);
    CHECK(is_usable_password(stored));
    CHECK(accepts(stored, given));
    CHECK_FALSE(accepts(stored, std::string(given) + "2"));
    CHECK_FALSE(accepts(stored, ""));
    CHECK_FALSE(accepts(stored, stored));
  }
}

TEST_CASE("schemes that nobody can check and damaged digests are found") {
  CHECK(is_usable_password("clear"));
  CHECK_FALSE(is_usable_password("{MD5}X03MO1qnZdYdgyfeuILPmQ=="));
  CHECK_FALSE(is_usable_password("{SSHA}5en6G6MezRroT3XKqkdPOmY/BfQ="));
  CHECK_FALSE(is_usable_password("{SHA}!!!"));
  CHECK_FALSE(is_usable_password("{CRYPT}"));
}
