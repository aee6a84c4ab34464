#include "roles/gateway/access.hpp"

#include <catch2/catch.hpp>

using namespace lab::gateway;
using Who = lab::AccessRule::Who;

namespace {

const PrincipalPtr kAlice = make_principal({Login::Outcome::granted, "alice", {"staff"}, {}});
const PrincipalPtr kBob = make_principal({Login::Outcome::granted, "bob", {}, {}});

}  // namespace

TEST_CASE("without rules a directory makes everything want a login, else everybody is let in") {
  CHECK(AccessRules({}, false).judge("/x", nullptr) == Verdict::allowed);
  CHECK(AccessRules({}, true).judge("/x", nullptr) == Verdict::login_wanted);
  CHECK(AccessRules({}, true).judge("/x", kBob.get()) == Verdict::allowed);
}

TEST_CASE("the nearest rule replaces what was inherited") {
  const AccessRules rules({{"/", Who::authenticated, {}, {}},
                           {"/open/", Who::everybody, {}, {}},
                           {"/open/staff", Who::listed, {}, {"staff"}},
                           {"/open/staff/bob", Who::listed, {"bob"}, {}},
                           {"/gone", Who::nobody, {}, {}}},
                          true);
  CHECK(rules.judge("/", nullptr) == Verdict::login_wanted);
  CHECK(rules.judge("/open", nullptr) == Verdict::allowed);
  CHECK(rules.judge("/opened", nullptr) == Verdict::login_wanted);
  CHECK(rules.judge("/open/staff", nullptr) == Verdict::login_wanted);
  CHECK(rules.judge("/open/staff", kAlice.get()) == Verdict::allowed);
  CHECK(rules.judge("/open/staff/x", kBob.get()) == Verdict::forbidden);
  CHECK(rules.judge("/open/staff/bob", kBob.get()) == Verdict::allowed);
  CHECK(rules.judge("/open/staff/bob", kAlice.get()) == Verdict::forbidden);
  CHECK(rules.judge("/gone", kAlice.get()) == Verdict::forbidden);
  CHECK(rules.judge("/gone/x", nullptr) == Verdict::forbidden);
  CHECK(rules.is_public("/open/x"));
  CHECK_FALSE(rules.is_public("/open/staff"));
}
