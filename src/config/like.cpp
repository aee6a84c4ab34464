#include "config/like.hpp"

#include <algorithm>

namespace lab::config {

namespace {

void erase(Value& map, std::string_view key) {
  std::erase_if(map.entries, [&](const Entry& entry) { return entry.key == key; });
}

const Value* text_of(const Value& scenario, std::string_view key) {
  const Value* value = scenario.find(key);
  return value != nullptr && value->kind == Value::Kind::scalar ? value : nullptr;
}

void drop_inherited_servers(Value& merged, const Value& own) {
  const Value* own_junction = own.find("junction");
  const bool own_servers = own_junction != nullptr && own_junction->find("servers") != nullptr;
  for (Entry& entry : merged.entries) {
    const Value* type = entry.key == "junction" ? text_of(entry.value, "type") : nullptr;
    if (type != nullptr && type->text == "local" && !own_servers) {
      erase(entry.value, "servers");
    }
  }
}

class Follower {
 public:
  Follower(const std::vector<Value>& scenarios, Diagnostics& errors)
      : scenarios_(scenarios), errors_(errors), state_(scenarios.size(), State::waiting) {
    result_.scenarios = scenarios;
    result_.sound.assign(scenarios.size(), true);
  }

  Likened run() {
    for (std::size_t i = 0; i < scenarios_.size(); ++i) {
      follow(i);
    }
    return std::move(result_);
  }

 private:
  enum class State { waiting, open, done };

  // False: it is being followed already, so this is a circle.
  bool follow(std::size_t index) {
    if (state_[index] != State::waiting) {
      return state_[index] == State::done;
    }
    state_[index] = State::open;
    const Value& own = scenarios_[index];
    if (const Value* like = text_of(own, "like")) {
      result_.sound[index] = inherit(index, own, *like);
    }
    state_[index] = State::done;
    return true;
  }

  bool inherit(std::size_t index, const Value& own, const Value& like) {
    const auto base = find(like.text);
    if (!base) {
      if (all_have_ids()) {
        errors_.add(like.mark, "unknown scenario " + shown(like.text), suggestion(like.text, ids()), like.width());
      }
      return false;
    }
    if (!follow(*base)) {
      errors_.add(like.mark, "scenario is like itself, by way of " + shown(like.text), "let one of them stand alone", like.width());
      return false;
    }
    Value inherited = result_.scenarios[*base];
    erase(inherited, "id");
    Value merged = merge(inherited, own);
    drop_inherited_servers(merged, own);
    result_.scenarios[index] = std::move(merged);
    return result_.sound[*base];
  }

  std::optional<std::size_t> find(const std::string& wanted) const {
    for (std::size_t i = 0; i < scenarios_.size(); ++i) {
      const Value* id = text_of(scenarios_[i], "id");
      if (id != nullptr && id->text == wanted) {
        return i;
      }
    }
    return std::nullopt;
  }

  std::vector<std::string> ids() const {
    std::vector<std::string> all;
    for (const Value& scenario : scenarios_) {
      if (const Value* id = text_of(scenario, "id")) {
        all.push_back(id->text);
      }
    }
    return all;
  }

  bool all_have_ids() const { return ids().size() == scenarios_.size(); }

  const std::vector<Value>& scenarios_;
  Diagnostics& errors_;
  std::vector<State> state_;
  Likened result_;
};

}  // namespace

Value merge(const Value& base, const Value& own) {
  if (base.kind != Value::Kind::map || own.kind != Value::Kind::map) {
    return own;
  }
  Value merged = base;
  merged.mark = own.mark;
  for (const Entry& entry : own.entries) {
    const auto inherited =
        std::find_if(merged.entries.begin(), merged.entries.end(), [&](const Entry& candidate) { return candidate.key == entry.key; });
    if (inherited == merged.entries.end()) {
      merged.entries.push_back(entry);
    } else {
      *inherited = Entry{entry.key, entry.mark, merge(inherited->value, entry.value)};
    }
  }
  return merged;
}

Likened follow_likes(const Value& scenarios, Diagnostics& errors) { return Follower(scenarios.items, errors).run(); }

}  // namespace lab::config
