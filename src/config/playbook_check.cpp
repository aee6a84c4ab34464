#include "config/axes.hpp"
#include "config/claims.hpp"
#include "config/playbook_draft.hpp"

#include <algorithm>

namespace lab::config {

namespace {

using Kind = Value::Kind;

class PlaybookChecker {
 public:
  PlaybookChecker(const PlaybookDraft& draft, Diagnostics& errors) : draft_(draft), errors_(errors) {
    for (const ScenarioDraft& one : draft.scenarios) {
      all_sound_ = all_sound_ && one.sound;
      ids_.push_back(one.scenario.id);
    }
  }

  void run() {
    check_unique(draft_.root.find("scenarios"), "scenario");
    check_unique(draft_.root.find("claims"), "claim");
    for (const ScenarioDraft& one : draft_.scenarios) {
      if (one.sound) {
        check_scenario(one);
      }
    }
    if (all_sound_ && !draft_.scenarios.empty()) {
      check_profiles();
      check_claims();
      check_pairs();
    }
  }

 private:
  void check_unique(const Value* list, const std::string& what) {
    std::map<std::string, Mark> first;
    for (const Value& item : items_of(list)) {
      const Value* id = item.find("id");
      if (id == nullptr || id->kind != Kind::scalar) {
        continue;
      }
      const auto [known, fresh] = first.try_emplace(id->text, id->mark);
      if (!fresh) {
        errors_.add_with(id->mark, "two " + what + "s with id " + shown(id->text), "give each an id of its own", id->width(), "the other",
                         known->second);
      }
    }
  }

  void check_scenario(const ScenarioDraft& one) {
    const Entry& axes = *one.value.entry("axes");
    for (const std::string axis : {"page", "clients"}) {
      if (values_of(one.scenario.axes, axis) == nullptr) {
        errors_.add(axes.mark, "scenario " + shown(one.scenario.id) + " has no axis `" + axis + "`", "add `" + axis + ": […]` to its axes",
                    axes.key.size());
      }
    }
    std::vector<std::string> names;
    for (const AxisValues& axis : one.scenario.axes) {
      names.push_back(axis.first);
    }
    for (const Value* kept : texts_of(one.value.find("keep"))) {
      if (!contains(names, kept->text)) {
        errors_.add(kept->mark, "`keep` names no axis of scenario " + shown(one.scenario.id) + ": " + shown(kept->text),
                    suggestion(kept->text, names), kept->width());
      }
    }
  }

  // Values of an axis in any scenario, or in the one named.
  std::vector<std::string> known_values(const std::string& axis, const std::string* scenario) const {
    std::vector<std::string> known;
    for (const ScenarioDraft& one : draft_.scenarios) {
      const auto* values = values_of(one.scenario.axes, axis);
      if (values == nullptr || (scenario != nullptr && one.scenario.id != *scenario)) {
        continue;
      }
      for (const std::string& value : *values) {
        if (!contains(known, value)) {
          known.push_back(value);
        }
      }
    }
    return known;
  }

  void check_profiles() {
    for (const Entry& profile : entries_of(draft_.root.find("profiles"))) {
      for (const Entry& axis : entries_of(profile.value.find("axes"))) {
        for (const Value* value : texts_of(&axis.value)) {
          check_value(axis, *value, nullptr, "any scenario");
        }
      }
    }
  }

  void check_value(const Entry& axis, const Value& value, const std::string* scenario, const std::string& where) {
    if (!contains(axis_names(), axis.key) || errors_.complained_at(value.mark)) {
      return;
    }
    const auto known = known_values(axis.key, scenario);
    if (known.empty()) {
      errors_.add(axis.mark, "no axis " + shown(axis.key) + " in " + where, "take it out, or add the axis there", axis.key.size());
    } else if (!contains(known, value.text)) {
      errors_.add(value.mark, "axis `" + axis.key + "` has no value " + shown(value.text) + " in " + where, "it has: " + join(known),
                  value.width());
    }
  }

  void check_claims() {
    for (const Value& claim : items_of(draft_.root.find("claims"))) {
      for (const Value* selector : selectors_of(claim)) {
        check_selector(*selector);
      }
    }
  }

  // Sides are loaded by the same clients, in turn.
  void check_pairs() {
    for (const Value& pair : items_of(draft_.root.find("pairs"))) {
      const Value *const a = pair.find("a"), *const b = pair.find("b");
      if (a == nullptr || b == nullptr) {
        continue;
      }
      check_selector(*a);
      check_selector(*b);
      for (const char* axis : {"clients", "busy"}) {
        const Value *const first = a->find(axis), *const second = b->find(axis);
        const bool differ = (first == nullptr) != (second == nullptr) || (first != nullptr && first->text != second->text);
        if (differ) {
          const Value& where = second != nullptr ? *second : *first;
          errors_.add(where.mark, "the sides of a pair differ in `" + std::string(axis) + "`, which cannot be switched within a trial",
                      "give both the same, or compare them by a claim, which takes separate trials", where.width());
        }
      }
    }
  }

  void check_selector(const Value& selector) {
    const Value* scenario = selector.find("scenario");
    if (scenario != nullptr && scenario->kind == Kind::scalar && !contains(ids_, scenario->text)) {
      errors_.add(scenario->mark, "unknown scenario " + shown(scenario->text), suggestion(scenario->text, ids_), scenario->width());
      return;
    }
    const std::string where = scenario == nullptr ? "any scenario" : "scenario " + shown(scenario->text);
    for (const Entry& axis : selector.entries) {
      if (axis.value.kind == Kind::scalar) {
        check_value(axis, axis.value, scenario == nullptr ? nullptr : &scenario->text, where);
      }
    }
  }

  const PlaybookDraft& draft_;
  Diagnostics& errors_;
  std::vector<std::string> ids_;
  bool all_sound_ = true;
};

}  // namespace

void check_playbook(const PlaybookDraft& draft, Diagnostics& errors) { PlaybookChecker(draft, errors).run(); }

}  // namespace lab::config
