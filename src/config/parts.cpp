#include "config/parts.hpp"

#include "config/words.hpp"

#include <algorithm>

namespace lab::config {

namespace {

std::optional<std::string> permissions(Cursor at) {
  auto value = text(at);
  if (value && value->find_first_not_of("Trmd") != std::string::npos) {
    return at.wants("letters of Trmd: traverse, read, modify, delete");
  }
  return value;
}

constexpr Field<AccessRule> kAccessRule[] = {
    {"path", [](Cursor at, AccessRule& rule) { set(rule.path, url_path(at)); }, true},
    {"allow", [](Cursor at, AccessRule& rule) { set(rule.allow, choice(at, kWho)); }},
    {"users", [](Cursor at, AccessRule& rule) { rule.users = one_or_more(at, filled); }},
    {"groups", [](Cursor at, AccessRule& rule) { rule.groups = one_or_more(at, filled); }},
    {"permissions", [](Cursor at, AccessRule& rule) { set(rule.permissions, permissions(at)); }},
};

constexpr Field<Authentication> kAuthentication[] = {
    {"basic", [](Cursor at, Authentication& into) { set(into.basic, choice(at, kBasicAuthentications)); }},
    {"realm", [](Cursor at, Authentication& into) { set(into.realm, filled(at)); }},
    {"forms", [](Cursor at, Authentication& into) { set(into.forms, choice(at, kBasicAuthentications)); }},
};

std::optional<std::string> server(Cursor at) {
  const auto value = filled(at);
  if (value && value->find(':') != std::string::npos) {
    return endpoint(at) ? value : std::nullopt;
  }
  return name(at);
}

constexpr Field<JunctionPlan> kJunctionPlan[] = {
    {"point", [](Cursor at, JunctionPlan& into) { set(into.point, url_path(at)); }, true},
    {"type", [](Cursor at, JunctionPlan& into) { set(into.type, choice(at, kJunctionTypes)); }},
    {"servers", [](Cursor at, JunctionPlan& into) { into.servers = one_or_more(at, server); }},
    {"identity", [](Cursor at, JunctionPlan& into) { set(into.identity, identity(at)); }},
};

}  // namespace

std::optional<Identity> identity(Cursor at) {
  if (at.value.kind == Value::Kind::scalar && at.value.text == "all") {
    return Identity{true, true, true};
  }
  if (at.value.kind == Value::Kind::scalar && at.value.text == "none") {
    return Identity{};
  }
  if (at.value.kind != Value::Kind::scalar && at.value.kind != Value::Kind::list) {
    return at.wants("all, none, or a list of iv-user, iv-groups, iv-creds");
  }
  Identity result;
  const auto part = [](Cursor one) -> std::optional<bool Identity::*> {
    const auto chosen = choose(one, {"iv-user", "iv-groups", "iv-creds", "all", "none"});
    if (chosen && *chosen >= std::size(kIdentityParts)) {
      return one.refuse("`" + one.value.text + "` stands alone", "write `identity: " + one.value.text + "`, or list the headers");
    }
    return chosen ? std::optional(kIdentityParts[*chosen].value) : std::nullopt;
  };
  for (bool Identity::*member : one_or_more(at, part)) {
    result.*member = true;
  }
  return result;
}

std::optional<std::string> url_path(Cursor at) {
  auto value = filled(at);
  if (value && (value->front() != '/' || value->find_first_of(" ?#") != std::string::npos)) {
    return at.wants("a path like / or /app, without query");
  }
  const std::string whole = value && !value->ends_with('/') ? *value + "/" : value.value_or("");
  for (const char* const segment : {"//", "/./", "/../"}) {
    if (whole.find(segment) != std::string::npos) {
      return at.wants("a path without empty segments, `.` and `..`");
    }
  }
  return value;
}

std::optional<AccessRule> access_rule(Cursor at) {
  AccessRule rule;
  const std::size_t before = at.errors.complaints();
  read_map(at, "an access rule", kAccessRule, rule);
  if (at.errors.complaints() != before) {
    return std::nullopt;
  }
  const bool lists = !rule.users.empty() || !rule.groups.empty();
  if (at.value.entry("allow") == nullptr && lists) {
    rule.allow = AccessRule::Who::listed;
  }
  if (lists != (rule.allow == AccessRule::Who::listed)) {
    return at.refuse("an access rule lists users or groups just where it allows those `listed`",
                     "leave `allow` out beside `users` and `groups`");
  }
  return rule;
}

std::vector<std::string> access_rule_keys() { return keys_of(kAccessRule); }

void read_authentication(Cursor at, Authentication into) { read_map(at, "`authentication`", kAuthentication, into); }

std::vector<std::string> authentication_keys() { return keys_of(kAuthentication); }

std::optional<JunctionPlan> junction_plan(Cursor at) {
  JunctionPlan plan;
  const std::size_t before = at.errors.complaints();
  const auto meant = read_map(at, "a junction", kJunctionPlan, plan);
  if (at.errors.complaints() == before) {
    if (plan.type == JunctionType::local && !plan.servers.empty()) {
      return at.refuse("a local junction has no servers", "take `servers` out, or choose type tcp or ssl");
    }
    if (plan.type != JunctionType::local && plan.servers.empty()) {
      return at.refuse("junction " + shown(plan.point) + " has no servers", "name at least one node: `servers: [NODE]`");
    }
  }
  return plan;
}

std::vector<std::string> junction_plan_keys() { return keys_of(kJunctionPlan); }

}  // namespace lab::config
