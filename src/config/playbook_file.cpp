// playbooks/NAME.yaml to a Playbook.
#include "config/axes.hpp"
#include "config/claims.hpp"
#include "config/config.hpp"
#include "config/like.hpp"
#include "config/parts.hpp"
#include "config/playbook_draft.hpp"
#include "config/words.hpp"

#include <algorithm>

namespace lab::config {

namespace {

constexpr std::size_t kMostScenarios = 200;
constexpr std::size_t kMostClaims = 1000, kMostPairs = 1000;
constexpr std::int64_t kMostRepeats = 1000;
constexpr double kLeastRate = 1, kMostRate = 1'000'000;  // requests a second

constexpr Choice<AaPairs> kAaPairs[] = {{"each", AaPairs::each}, {"one", AaPairs::one}};
constexpr Choice<bool> kClients[] = {{"http", false}, {"https", true}};

std::optional<std::chrono::nanoseconds> up_to_a_day(Cursor at, std::chrono::nanoseconds least) {
  const auto value = duration(at, least);
  return !value || *value <= std::chrono::hours(24) ? value : at.wants("at most 24h");
}

constexpr Field<Profile> kProfile[] = {
    {"warmup", [](Cursor at, Profile& into) { set(into.warmup, up_to_a_day(at, std::chrono::nanoseconds(0))); }},
    {"measure", [](Cursor at, Profile& into) { set(into.measure, up_to_a_day(at, std::chrono::milliseconds(10))); }, true},
    {"repeats", [](Cursor at, Profile& into) { set(into.repeats, whole<int>(at, 1, kMostRepeats)); }},
    {"aa", [](Cursor at, Profile& into) { set(into.aa, choice(at, kAaPairs)); }},
    {"axes", [](Cursor at, Profile& into) { into.axes = read_axes(at, "a profile's `axes`"); }},
};

constexpr Field<ScenarioTls> kTls[] = {
    {"handshake", [](Cursor at, ScenarioTls& into) { set(into.handshake, choice(at, kHandshakes)); }},
    {"version", [](Cursor at, ScenarioTls& into) { set(into.version, choice(at, kTlsVersions)); }},
    {"cipher", [](Cursor at, ScenarioTls& into) { set(into.cipher, filled(at)); }},
};

constexpr Field<Scenario> kScenario[] = {
    {"id", [](Cursor at, Scenario& into) { set(into.id, name(at)); }, true},
    {"title", [](Cursor at, Scenario& into) { set(into.title, filled(at)); }},
    {"like", [](Cursor at, Scenario& into) { set(into.like, name(at)); }},
    {"client", [](Cursor at, Scenario& into) { set(into.https, choice(at, kClients)); }},
    {"junction", [](Cursor at, Scenario& into) { set(into.junction, junction_plan(at)); }},
    {"auth", [](Cursor at, Scenario& into) { set(into.login, choice(at, kLoginModes)); }},
    {"tls", [](Cursor at, Scenario& into) { read_map(at, "`tls`", kTls, into.tls); }},
    {"rate", [](Cursor at, Scenario& into) { into.rate = number(at, kLeastRate, kMostRate); }},
    {"axes", [](Cursor at, Scenario& into) { into.axes = read_axes(at, "`axes`"); }},
    {"keep", [](Cursor at, Scenario& into) { into.keep = one_or_more(at, filled); }},
    {"notes", [](Cursor at, Scenario& into) { set(into.notes, filled(at)); }},
};

constexpr Field<PairPlan> kPair[] = {
    {"a", [](Cursor at, PairPlan& into) { into.a = read_selector(at, "`a`"); }, true},
    {"b", [](Cursor at, PairPlan& into) { into.b = read_selector(at, "`b`"); }, true},
};

std::optional<PairPlan> pair(Cursor at) {
  PairPlan result;
  read_map(at, "a pair", kPair, result);
  return result;
}

void read_profiles(Cursor at, PlaybookDraft& into) {
  if (at.value.kind != Value::Kind::map || at.value.entries.empty()) {
    at.wants("a map like {quick: {warmup: 1s, measure: 5s, repeats: 6}}");
    return;
  }
  for (const Entry& entry : at.value.entries) {
    Value key;
    key.kind = Value::Kind::scalar;
    key.mark = entry.mark;
    key.text = entry.key;
    Profile profile;
    set(profile.name, name(Cursor{key, "name", at.errors}));
    read_map(Cursor{entry.value, entry.key, at.errors}, "profile " + shown(entry.key), kProfile, profile);
    into.profiles.push_back(std::move(profile));
  }
}

bool is_list(Cursor at, std::size_t most) {
  if (at.value.kind != Value::Kind::list) {
    at.wants("a list");
    return false;
  }
  if (at.value.items.size() > most) {
    at.refuse("`" + std::string(at.key) + "` has more than " + std::to_string(most) + " entries", "split the playbook");
    return false;
  }
  return true;
}

void read_scenario(Cursor at, bool likened, Scenario& into) {
  const std::string_view what = "a scenario";  // the same words in each that inherits: said once
  const auto meant = check_keys(at, what, keys_of(kScenario));
  const auto is_meant = [&](std::string_view key) { return std::find(meant->begin(), meant->end(), key) != meant->end(); };
  // Where its `like` leads nowhere, what it lacks is no error of its own.
  if (!meant || !likened || is_meant("like")) {
    return;
  }
  read_map(at, what, kScenario, into);
  const std::string named = into.id.empty() ? std::string(what) : "scenario " + shown(into.id);
  for (const std::string_view key : {"client", "junction", "axes"}) {
    if (at.value.entry(key) == nullptr && !is_meant(key)) {
      missing_key(at, named, key);
    }
  }
}

void read_scenarios(Cursor at, PlaybookDraft& into) {
  if (!is_list(at, kMostScenarios)) {
    return;
  }
  if (at.value.items.empty()) {
    at.refuse("`scenarios` is empty", "describe at least one");
  }
  Likened likened = follow_likes(at.value, at.errors);
  for (std::size_t i = 0; i < likened.scenarios.size(); ++i) {
    ScenarioDraft draft;
    const std::size_t before = at.errors.complaints();
    read_scenario(Cursor{likened.scenarios[i], "scenario", at.errors}, likened.sound[i], draft.scenario);
    draft.sound = likened.sound[i] && at.errors.complaints() == before;
    draft.value = std::move(likened.scenarios[i]);
    into.scenarios.push_back(std::move(draft));
  }
}

constexpr Field<PlaybookDraft> kPlaybook[] = {
    {"playbook", [](Cursor at, PlaybookDraft& into) { set(into.name, name(at)); }, true},
    {"profiles", read_profiles, true},
    {"scenarios", read_scenarios, true},
    {"pairs", [](Cursor at, PlaybookDraft& into) { into.pairs = is_list(at, kMostPairs) ? list(at, pair) : std::vector<PairPlan>(); }},
    {"claims", [](Cursor at, PlaybookDraft& into) { into.claims = is_list(at, kMostClaims) ? list(at, claim) : std::vector<Claim>(); }},
};

}  // namespace

Keys playbook_keys() {
  Keys keys = claim_keys();
  keys["playbook"] = keys_of(kPlaybook);
  keys["profile"] = keys_of(kProfile);
  keys["scenario"] = keys_of(kScenario);
  keys["pair"] = keys_of(kPair);
  keys["tls"] = keys_of(kTls);
  keys["junction"] = junction_plan_keys();
  keys["axes"] = axis_names();
  return keys;
}

std::optional<PlaybookDraft> read_playbook(std::string_view text, Diagnostics& errors) {
  auto root = parse_document(text, errors);
  if (!root) {
    return std::nullopt;
  }
  PlaybookDraft draft;
  read_map(Cursor{*root, "playbook", errors}, "a playbook", kPlaybook, draft);
  draft.root = std::move(*root);
  return draft;
}

Result<Playbook, Errors> parse_playbook(std::string_view text, const std::string& path) {
  Diagnostics errors(text, path);
  auto draft = read_playbook(text, errors);
  if (draft) {
    check_playbook(*draft, errors);
  }
  if (Errors found = errors.take(); !found.empty()) {
    return found;
  }
  Playbook playbook;
  playbook.name = std::move(draft->name);
  playbook.profiles = std::move(draft->profiles);
  for (ScenarioDraft& one : draft->scenarios) {
    playbook.scenarios.push_back(std::move(one.scenario));
  }
  playbook.pairs = std::move(draft->pairs);
  playbook.claims = std::move(draft->claims);
  playbook.source = text;
  playbook.path = path;
  return playbook;
}

}  // namespace lab::config
