#include "providers/local/account.hpp"

#include <catch2/catch.hpp>

using namespace lab;
using namespace lab::providers::local;

TEST_CASE("the account that runs this is known") {
  const auto account = current_account(Clock::now() + std::chrono::seconds(5));
  REQUIRE(account);
  CHECK_FALSE(account->name.empty());
}

TEST_CASE("a user without a shell is told how to get one") {
  const auto good = check_login({"nobody", "/usr/sbin/nologin", "", false});
  REQUIRE(!good);
  CHECK(to_string(good.error()) ==
        "user nobody cannot log in: the shell is /usr/sbin/nologin\n"
        "  at provider local\n"
        "  run lab as a user with a shell, or set one: chsh -s /bin/sh nobody");
  CHECK(check_login({"me", "/bin/sh", "", false}));
}

TEST_CASE("a locked user is told, since sshd lets none in; one without a password is not locked") {
  CHECK(!check_login({"root", "/bin/sh", "!", true}));
  CHECK(!check_login({"nobody", "/bin/sh", "!*", false}));
  CHECK(check_login({"root", "/bin/sh", "*", true}));
  CHECK(check_login({"me", "/bin/sh", "", false}));
}
