#include "config/axes.hpp"
#include "config/claims.hpp"
#include "config/config.hpp"
#include "config/playbook_draft.hpp"

#include <algorithm>

namespace lab::config {

namespace {

using Kind = Value::Kind;

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = nearest(word, known);
  return near.empty() ? "known: " + join(known) : "did you mean `" + near + "`?";
}

template <class Use>
void for_each_text(const Value* value, Use use) {
  if (value != nullptr && value->kind == Kind::scalar) {
    use(*value);
  }
  for (const Value& item : value == nullptr ? std::vector<Value>() : value->items) {
    if (item.kind == Kind::scalar) {
      use(item);
    }
  }
}

bool contains(const std::vector<std::string>& all, const std::string& one) { return std::find(all.begin(), all.end(), one) != all.end(); }

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
    }
  }

 private:
  void check_unique(const Value* list, const std::string& what) {
    std::map<std::string, Mark> first;
    for (const Value& item : list == nullptr ? std::vector<Value>() : list->items) {
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
    for_each_text(one.value.find("keep"), [&](const Value& kept) {
      if (!contains(names, kept.text)) {
        errors_.add(kept.mark, "`keep` names no axis of scenario " + shown(one.scenario.id) + ": " + shown(kept.text),
                    suggestion(kept.text, names), kept.width());
      }
    });
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
    const Value* profiles = draft_.root.find("profiles");
    for (const Entry& profile : profiles == nullptr ? std::vector<Entry>() : profiles->entries) {
      const Value* axes = profile.value.find("axes");
      for (const Entry& axis : axes == nullptr ? std::vector<Entry>() : axes->entries) {
        for_each_text(&axis.value, [&](const Value& value) { check_value(axis, value, nullptr, "any scenario"); });
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
    const Value* claims = draft_.root.find("claims");
    for (const Value& claim : claims == nullptr ? std::vector<Value>() : claims->items) {
      for (const Value* selector : selectors_of(claim)) {
        check_selector(*selector);
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

class LabMatcher {
 public:
  LabMatcher(const PlaybookDraft& draft, const Lab& lab, Diagnostics& errors) : draft_(draft), lab_(lab), errors_(errors) {}

  void run() {
    for (const Node& node : lab_.nodes) {
      nodes_.push_back(node.name);
      if (node.has(Role::gateway)) {
        gateways_.push_back(node.name);
      }
    }
    need_role(Role::gateway);
    need_role(Role::load);
    for (const ScenarioDraft& one : draft_.scenarios) {
      match_scenario(one);
    }
    const Value* claims = draft_.root.find("claims");
    for (const Value& claim : claims == nullptr ? std::vector<Value>() : claims->items) {
      match_claim(claim);
    }
  }

 private:
  void need_role(Role role) {
    const bool there = std::any_of(lab_.nodes.begin(), lab_.nodes.end(), [&](const Node& node) { return node.has(role); });
    if (!there) {
      errors_.add(draft_.root.mark, "lab " + shown(lab_.name) + " has no node with role " + to_string(role), "add one to the lab");
    }
  }

  void match_scenario(const ScenarioDraft& one) {
    const Value* junction = one.value.find("junction");
    for_each_text(junction == nullptr ? nullptr : junction->find("servers"), [&](const Value& server) {
      const Node* node = lab_.find(server.text);
      if (server.text.find(':') != std::string::npos) {
        return;
      }
      if (node == nullptr) {
        unknown("node", server, nodes_);
      } else if (!node->has(Role::pages) && !node->has(Role::external)) {
        errors_.add(server.mark, "node " + shown(server.text) + " of lab " + shown(lab_.name) + " serves no pages",
                    "name a node with role pages", server.width());
      }
    });
    const Value* axes = one.value.find("axes");
    for_each_text(axes == nullptr ? nullptr : axes->find("gateway"), [&](const Value& gateway) {
      if (!contains(gateways_, gateway.text)) {
        unknown("gateway", gateway, gateways_);
      }
    });
    const bool has_directory =
        std::any_of(lab_.nodes.begin(), lab_.nodes.end(), [](const Node& node) { return node.has(Role::directory); });
    const Value* login = one.value.find("auth");
    if (one.scenario.login != LoginMode::none && login != nullptr && !has_directory) {
      errors_.add(login->mark, "lab " + shown(lab_.name) + " has no directory to log in to", "add a node with role directory",
                  login->width());
    }
  }

  void match_claim(const Value& claim) {
    std::vector<const Value*> measures;
    for (const std::string_view key : {"share", "order"}) {
      if (const Value* measure = claim.find(key)) {
        measures.push_back(measure);
        for (const Value& step : measure->items) {
          measures.push_back(&step);
        }
      }
    }
    for (const Value* measure : measures) {
      for_each_text(measure->find("node"), [&](const Value& node) {
        if (!contains(nodes_, node.text)) {
          unknown("node", node, nodes_);
        }
      });
      for_each_text(measure->find("machine"), [&](const Value& machine) { match_machine(machine); });
    }
    match_below(claim.find("below"));
  }

  // Nodes that the lab lacks are left out, as long as one is there.
  void match_below(const Value* below) {
    const Value* named = below == nullptr ? nullptr : below->find("nodes");
    bool any = named == nullptr;
    for_each_text(named, [&](const Value& node) { any = any || contains(nodes_, node.text); });
    if (!any) {
      errors_.add(named->mark, "lab " + shown(lab_.name) + " has none of these nodes", "known: " + join(nodes_), named->width());
    }
  }

  void match_machine(const Value& machine) {
    std::vector<std::string> machines{"host"};
    for (const Node& node : lab_.nodes) {
      if (!node.machine.empty() && !contains(machines, node.machine)) {
        machines.push_back(node.machine);
      }
    }
    if (!contains(machines, machine.text)) {
      unknown("machine", machine, machines);
    }
  }

  void unknown(const std::string& what, const Value& value, const std::vector<std::string>& known) {
    errors_.add(value.mark, "lab " + shown(lab_.name) + " has no " + what + " " + shown(value.text), suggestion(value.text, known),
                value.width());
  }

  const PlaybookDraft& draft_;
  const Lab& lab_;
  Diagnostics& errors_;
  std::vector<std::string> nodes_, gateways_;
};

}  // namespace

void check_playbook(const PlaybookDraft& draft, Diagnostics& errors) { PlaybookChecker(draft, errors).run(); }

Errors check_against(const Playbook& playbook, const Lab& lab) {
  Diagnostics errors(playbook.source, playbook.path);
  if (const auto draft = read_playbook(playbook.source, errors)) {
    LabMatcher(*draft, lab, errors).run();
  }
  return errors.take();
}

}  // namespace lab::config
