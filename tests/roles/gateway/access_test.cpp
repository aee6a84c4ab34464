#include "roles/gateway/access.hpp"

#include <catch2/catch.hpp>

using namespace lab::gateway;
using Who = lab::AccessRule::Who;

namespace {

const PrincipalPtr kAlice = make_principal({Login::Outcome::granted, "alice", {"staff"}, {}});
const PrincipalPtr kBob = make_principal({Login::Outcome::granted, "bob", {}, {}});

}  // namespace

TEST_CASE("without rules a directory makes everything want a login, else everybody is let in") {
  CHECK(AccessRules({}, false).judge("/x", Letters::exact, 'r', nullptr) == Verdict::allowed);
  CHECK(AccessRules({}, true).judge("/x", Letters::exact, 'r', nullptr) == Verdict::login_wanted);
  CHECK(AccessRules({}, true).judge("/x", Letters::exact, 'r', kBob.get()) == Verdict::allowed);
}

TEST_CASE("the nearest rule replaces what was inherited") {
  const AccessRules rules({{"/", Who::authenticated, {}, {}},
                           {"/open/", Who::everybody, {}, {}},
                           {"/open/staff", Who::listed, {}, {"staff"}},
                           {"/open/staff/bob", Who::listed, {"bob"}, {}},
                           {"/gone", Who::nobody, {}, {}}},
                          true);
  CHECK(rules.judge("/", Letters::exact, 'r', nullptr) == Verdict::login_wanted);
  CHECK(rules.judge("/open", Letters::exact, 'r', nullptr) == Verdict::allowed);
  CHECK(rules.judge("/opened", Letters::exact, 'r', nullptr) == Verdict::login_wanted);
  CHECK(rules.judge("/open/staff", Letters::exact, 'r', nullptr) == Verdict::login_wanted);
  CHECK(rules.judge("/open/staff", Letters::exact, 'r', kAlice.get()) == Verdict::allowed);
  CHECK(rules.judge("/open/staff/x", Letters::exact, 'r', kBob.get()) == Verdict::forbidden);
  CHECK(rules.judge("/open/staff/bob", Letters::exact, 'r', kBob.get()) == Verdict::allowed);
  CHECK(rules.judge("/open/staff/bob", Letters::exact, 'r', kAlice.get()) == Verdict::forbidden);
  CHECK(rules.judge("/gone", Letters::exact, 'r', kAlice.get()) == Verdict::forbidden);
  CHECK(rules.judge("/gone/x", Letters::exact, 'r', nullptr) == Verdict::forbidden);
  CHECK(rules.is_public("/open/x", Letters::exact));
  CHECK_FALSE(rules.is_public("/open/staff", Letters::exact));
}

TEST_CASE("a method needs its permission, from the nearest rule") {
  CHECK(permission_for("GET") == 'r');
  CHECK(permission_for("POST") == 'r');
  CHECK(permission_for("PUT") == 'm');
  CHECK(permission_for("PROPPATCH") == 'm');
  CHECK(permission_for("DELETE") == 'd');
  const AccessRules rules({{"/", Who::everybody, {}, {}, "Trmd"}, {"/read", Who::everybody, {}, {}, "Tr"}}, true);
  CHECK(rules.judge("/x", Letters::exact, 'm', nullptr) == Verdict::allowed);
  CHECK(rules.judge("/x", Letters::exact, 'd', nullptr) == Verdict::allowed);
  CHECK(rules.judge("/read/x", Letters::exact, 'r', nullptr) == Verdict::allowed);
  CHECK(rules.judge("/read/x", Letters::exact, 'm', nullptr) == Verdict::forbidden);
  CHECK(rules.judge("/read/x", Letters::exact, 'd', nullptr) == Verdict::forbidden);
  CHECK(AccessRules({}, false).judge("/x", Letters::exact, 'd', nullptr) == Verdict::forbidden);
}

TEST_CASE("a rule without T closes everything below it, whatever the rules there say") {
  const AccessRules rules({{"/", Who::everybody, {}, {}}, {"/shut", Who::everybody, {}, {}, "r"}, {"/shut/open", Who::everybody, {}, {}}},
                          false);
  CHECK(rules.judge("/shut", Letters::exact, 'r', nullptr) == Verdict::allowed);
  CHECK(rules.judge("/shut/x", Letters::exact, 'r', nullptr) == Verdict::forbidden);
  CHECK(rules.judge("/shut/open", Letters::exact, 'r', nullptr) == Verdict::forbidden);
  CHECK(rules.judge("/shutter", Letters::exact, 'r', nullptr) == Verdict::allowed);
}

TEST_CASE("rules do not look at case where the junction does not") {
  const AccessRules rules({{"/App/Private", Who::nobody, {}, {}}}, false);
  CHECK(rules.judge("/app/PRIVATE/x", Letters::any_case, 'r', nullptr) == Verdict::forbidden);
  CHECK(rules.judge("/app/PRIVATE/x", Letters::exact, 'r', nullptr) == Verdict::allowed);
}
