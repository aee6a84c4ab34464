#include "sorter.hpp"

#include <algorithm>

namespace lab::directory {

namespace {

constexpr std::size_t kMaxSorted = 100'000;

}  // namespace

ldap::Outcome Sorter::prepare(const Schema& schema, const std::vector<ldap::SortKey>& keys) {
  for (const ldap::SortKey& key : keys) {
    auto type = schema.describe(key.attribute);
    if (type == nullptr) {
      return {ldap::ResultCode::no_such_attribute, {}, "no such attribute to sort by: " + key.attribute};
    }
    Matching matching = type->ordering;
    if (!key.matching_rule.empty()) {
      const MatchingRule* rule = find_rule(key.matching_rule);
      matching = rule == nullptr ? Matching::none : rule->matching;
    }
    if (matching == Matching::none) {
      return {ldap::ResultCode::inappropriate_matching, {}, "no ordering rule to sort by " + key.attribute};
    }
    keys_.push_back({std::move(type), matching, key.reverse});
  }
  return {};
}

// Of several values the one that comes first.
std::optional<std::string> Sorter::value_of(const Key& key, const EntryView& view) const {
  std::optional<std::string> chosen;
  const auto consider = [&](std::string_view value) {
    std::string normal = view.tree.schema().normalize(key.matching, value);
    const bool better = !chosen || (key.reverse ? is_less(key.matching, *chosen, normal) : is_less(key.matching, normal, *chosen));
    if (better) {
      chosen = std::move(normal);
    }
    return false;
  };
  any_attribute(view.entry, [&](const AttributeType& type, std::string_view partial) {
    return type.is_kind_of(*key.type) && any_value(partial, consider);
  });
  if (!chosen && key.type->operational) {
    const std::string implied = view.tree.implied_value(*key.type, view.id);
    return implied.empty() ? std::nullopt : std::optional(implied);
  }
  return chosen;
}

bool Sorter::add(const EntryView& view) {
  if (items_.size() == kMaxSorted) {
    return false;
  }
  Item& item = items_.emplace_back(Item{view.id, {}});
  for (const Key& key : keys_) {
    item.values.push_back(value_of(key, view));
  }
  return true;
}

bool Sorter::is_before(const Item& a, const Item& b) const {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const auto& x = keys_[i].reverse ? b.values[i] : a.values[i];
    const auto& y = keys_[i].reverse ? a.values[i] : b.values[i];
    if (!x || !y) {
      if (x.has_value() != y.has_value()) {
        return x.has_value();  // what is missing counts as the largest
      }
      continue;
    }
    if (*x != *y) {
      return is_less(keys_[i].matching, *x, *y);
    }
  }
  return false;
}

std::vector<EntryId> Sorter::sorted() {
  std::stable_sort(items_.begin(), items_.end(), [this](const Item& a, const Item& b) { return is_before(a, b); });
  std::vector<EntryId> ids;
  ids.reserve(items_.size());
  for (const Item& item : items_) {
    ids.push_back(item.id);
  }
  items_ = {};
  return ids;
}

}  // namespace lab::directory
