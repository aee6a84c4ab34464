#include "config/claims.hpp"

#include "config/axes.hpp"

#include <algorithm>

namespace lab::config {

namespace {

using Metric = Claim::Metric;
using Kind = Claim::Kind;

// CPU metrics follow from `node` and `machine`.
constexpr Choice<Metric> kMetrics[] = {{"pages-per-s", Metric::pages_per_s}, {"pages-per-s-per-client", Metric::pages_per_s_per_client}};
constexpr std::string_view kMeasures[] = {"ratio", "share", "order", "below"};

constexpr Field<Claim> kRatio[] = {
    {"of", [](Cursor at, Claim& into) { into.of = read_selector(at, "`of`"); }, true},
    {"to", [](Cursor at, Claim& into) { into.to = read_selector(at, "`to`"); }, true},
};

void set_machine(Claim& into, std::optional<std::string> machine) {
  if (machine) {
    into.metric = Metric::machine_cpu;
    into.node = *machine;
  }
}

constexpr Field<Claim> kShare[] = {
    {"of", [](Cursor at, Claim& into) { into.of = read_selector(at, "`of`"); }, true},
    {"node", [](Cursor at, Claim& into) { set(into.node, name(at)); }},
    {"machine", [](Cursor at, Claim& into) { set_machine(into, name(at)); }},
};

constexpr Field<Claim> kBelow[] = {
    {"of", [](Cursor at, Claim& into) { into.of = read_selector(at, "`of`"); }, true},
    {"nodes", [](Cursor at, Claim& into) { into.nodes = one_or_more(at, name); }, true},
};

struct Compared {
  Quantity quantity;
  bool machine = false;
};

constexpr Field<Compared> kQuantity[] = {
    {"of", [](Cursor at, Compared& into) { into.quantity.of = read_selector(at, "`of`"); }, true},
    {"to", [](Cursor at, Compared& into) { into.quantity.to = read_selector(at, "`to`"); }},
    {"node", [](Cursor at, Compared& into) { set(into.quantity.node, name(at)); }},
    {"machine",
     [](Cursor at, Compared& into) {
       set(into.quantity.node, name(at));
       into.machine = true;
     }},
};

void read_share(Cursor at, Claim& into) {
  into.kind = Kind::share;
  into.metric = Metric::cpu;
  const auto meant = read_map(at, "`share`", kShare, into);
  const bool either = (at.value.entry("node") != nullptr) != (at.value.entry("machine") != nullptr);
  if (at.value.kind == Value::Kind::map && !either && meant.empty()) {
    at.refuse("a share is of one node's or one machine's CPU", "name either `node` or `machine`");
  }
}

void read_below(Cursor at, Claim& into) {
  into.kind = Kind::below;
  into.metric = Metric::cpu;
  read_map(at, "`below`", kBelow, into);
}

// A bare selector, or {of, to} or {of, node}.
std::optional<Compared> quantity(Cursor at) {
  Compared result;
  const auto keys = keys_of(kQuantity);
  const bool bare = std::none_of(at.value.entries.begin(), at.value.entries.end(),
                                 [&](const Entry& entry) { return std::find(keys.begin(), keys.end(), entry.key) != keys.end(); });
  if (bare) {
    result.quantity.of = read_selector(at, "a step of `order`");
  } else {
    read_map(at, "a step of `order`", kQuantity, result);
  }
  return result;
}

void read_order(Cursor at, Claim& into) {
  into.kind = Kind::order;
  const std::size_t before = at.errors.complaints();
  const auto steps = list(at, quantity);
  for (const Compared& step : steps) {
    into.rising.push_back(step.quantity);
  }
  if (at.errors.complaints() != before) {
    return;
  }
  if (steps.size() < 2) {
    at.refuse("an order has at least two steps", "list what is to rise, the least first");
    return;
  }
  const auto kind = [](const Compared& step) { return step.quantity.node.empty() ? 0 : step.machine ? 2 : 1; };
  if (std::any_of(steps.begin(), steps.end(), [&](const Compared& step) { return kind(step) != kind(steps.front()); })) {
    at.refuse("the steps of an order are of different metrics", "name a node in each step, a machine in each, or none");
  }
  if (kind(steps.front()) != 0) {
    into.metric = kind(steps.front()) == 1 ? Metric::cpu : Metric::machine_cpu;
  }
}

// `metric` stands before the measures: share, below and order of CPU set their own.
constexpr Field<Claim> kClaim[] = {
    {"id", [](Cursor at, Claim& into) { set(into.id, name(at)); }, true},
    {"says", [](Cursor at, Claim& into) { set(into.says, filled(at)); }, true},
    {"metric", [](Cursor at, Claim& into) { set(into.metric, choice(at, kMetrics)); }},
    {"ratio",
     [](Cursor at, Claim& into) {
       into.kind = Kind::ratio;
       read_map(at, "`ratio`", kRatio, into);
     }},
    {"share", read_share},
    {"order", read_order},
    {"below", read_below},
    {"published", [](Cursor at, Claim& into) { set(into.published, number(at, 0, 1e6)); }},
    {"limit", [](Cursor at, Claim& into) { set(into.limit, share(at)); }},
    {"tolerance", [](Cursor at, Claim& into) { set(into.tolerance, share(at)); }},
    {"needs-cpus", [](Cursor at, Claim& into) { set(into.needs_cpus, whole<int>(at, 1, 4096)); }},
    {"note", [](Cursor at, Claim& into) { set(into.note, filled(at)); }},
};

// Which keys go with the claim's measure.
void check_companions(Cursor at, const Claim& claim) {
  const std::string what = "claim " + shown(claim.id);
  const bool figure = claim.kind == Kind::ratio || claim.kind == Kind::share;
  const auto needs = [&](bool wanted, std::string_view key, std::string_view example) {
    const Entry* entry = at.value.entry(key);
    if (wanted && entry == nullptr) {
      at.refuse(what + " has no `" + std::string(key) + "`", "add `" + std::string(key) + ": " + std::string(example) + "`");
    }
    if (!wanted && entry != nullptr) {
      at.errors.add(entry->mark, "`" + std::string(key) + "` does not go with this kind of claim", "take it out", key.size());
    }
  };
  needs(figure, "published", "0.65");
  needs(claim.kind == Kind::below, "limit", "5%");
  for (const std::string_view key : {"tolerance", "metric"}) {
    const bool goes = key == "metric" ? claim.kind == Kind::ratio || claim.kind == Kind::order : figure;
    if (!goes) {
      needs(false, key, {});
    }
  }
  if (claim.kind == Kind::stated && claim.note.empty()) {
    at.refuse(what + " has no ratio, share, order or below, and no `note`", "add what it measures, or a `note` that says why it can't be");
  }
  if (claim.needs_cpus > 0 && claim.note.empty()) {
    at.refuse(what + " has `needs-cpus` and no `note`", "add a `note` that says why fewer do not do");
  }
}

void add_selectors(const Value& value, std::vector<const Value*>& into) {
  const Value* of = value.find("of");
  const Value* to = value.find("to");
  for (const Value* one : {of, to}) {
    if (one != nullptr) {
      into.push_back(one);
    }
  }
  if (of == nullptr && to == nullptr) {
    into.push_back(&value);
  }
}

}  // namespace

std::optional<Claim> claim(Cursor at) {
  Claim result;
  result.kind = Kind::stated;
  const std::size_t before = at.errors.complaints();
  read_map(at, "a claim", kClaim, result);
  const auto measures =
      std::count_if(std::begin(kMeasures), std::end(kMeasures), [&](std::string_view key) { return at.value.entry(key) != nullptr; });
  if (measures > 1) {
    at.refuse("claim " + shown(result.id) + " measures more than one thing", "keep one of ratio, share, order and below");
  } else if (at.errors.complaints() == before) {
    check_companions(at, result);
  }
  return result;
}

Keys claim_keys() {
  return {{"claim", keys_of(kClaim)}, {"ratio", keys_of(kRatio)},   {"share", keys_of(kShare)},
          {"below", keys_of(kBelow)}, {"step", keys_of(kQuantity)}, {"selector", selector_keys()}};
}

std::vector<const Value*> selectors_of(const Value& claim) {
  std::vector<const Value*> found;
  for (const std::string_view key : {"ratio", "share", "below"}) {
    if (const Value* measure = claim.find(key)) {
      add_selectors(*measure, found);
    }
  }
  if (const Value* order = claim.find("order")) {
    for (const Value& step : order->items) {
      add_selectors(step, found);
    }
  }
  return found;
}

}  // namespace lab::config
