#include "pairs.hpp"

#include "pair_setup.hpp"
#include "stats/selection.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace lab::run {

namespace {

constexpr std::array kSwitched{"log", "crypto", "cpus", "gateway"};

using Names = std::vector<std::string>;

void add_new(Names& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    names.push_back(name);
  }
}

// As results, which claims speak of.
std::vector<CellResult> as_results(const std::vector<Cell>& cells) {
  std::vector<CellResult> results;
  for (const Cell& cell : cells) {
    CellResult& result = results.emplace_back();
    result.id = cell.id;
    result.scenario = cell.scenario.id;
    result.axes = cell.axes;
  }
  return results;
}

bool is_of_pages(const Claim& claim) {
  return claim.metric == Claim::Metric::pages_per_s || claim.metric == Claim::Metric::pages_per_s_per_client;
}

class Pairing {
 public:
  Pairing(const std::vector<Cell>& cells, const Standing& standing) : cells_(cells), results_(as_results(cells)), standing_(standing) {}

  void within_scenarios() {
    Names scenarios;
    for (const Cell& cell : cells_) {
      add_new(scenarios, cell.scenario.id);
    }
    for (const std::string& scenario : scenarios) {
      for (const char* axis : kSwitched) {
        if (values_in(scenario, axis).size() > 1) {
          along(scenario, axis);
          break;
        }
      }
    }
  }

  void across(const std::vector<Claim>& claims) {
    for (const Claim& claim : claims) {
      if (claim.kind == Claim::Kind::ratio && is_of_pages(claim)) {
        for (const auto& chosen : stats::matches({claim.of, claim.to}, results_)) {
          const bool pages = stats::coordinate(*chosen[0], "page") != stats::coordinate(*chosen[1], "page");
          if (pages || chosen[0]->scenario != chosen[1]->scenario) {
            add(*chosen[1], *chosen[0]);
          }
        }
      } else if (claim.kind == Claim::Kind::order && is_of_pages(claim)) {
        across_order(claim);
      }
    }
  }

  void asked_for(const std::vector<PairPlan>& pairs) {
    for (const PairPlan& pair : pairs) {
      for (const auto& chosen : stats::matches({pair.a, pair.b}, results_)) {
        add(*chosen[0], *chosen[1]);
      }
    }
  }

  void against_themselves(AaPairs aa) {
    std::vector<Comparison> same;
    for (const bool quota : {false, true}) {
      const auto of_kind = std::find_if(found_.begin(), found_.end(), [quota](const Comparison& one) { return one.quota == quota; });
      if (of_kind != found_.end() && (same.empty() || aa == AaPairs::each)) {
        same.push_back({"aa", {of_kind->sides[0], of_kind->sides[0]}, quota});
      }
    }
    found_.insert(found_.end(), same.begin(), same.end());
  }

  std::vector<Comparison> with_singles() const {
    std::set<std::string> paired;
    for (const Comparison& one : found_) {
      paired.insert(one.sides.begin(), one.sides.end());
    }
    std::vector<Comparison> all;
    for (const Cell& cell : cells_) {
      if (!paired.contains(cell.id)) {
        all.push_back({"single", {cell.id}, false});
      }
    }
    all.insert(all.end(), found_.begin(), found_.end());
    return all;
  }

 private:
  Names values_in(const std::string& scenario, const std::string& axis) const {
    Names values;
    for (const Cell& cell : cells_) {
      if (const std::string value = cell.axis(axis); cell.scenario.id == scenario && !value.empty()) {
        add_new(values, value);
      }
    }
    return values;
  }

  // The first value against each other one, all other axes alike.
  void along(const std::string& scenario, const std::string& axis) {
    const Names values = values_in(scenario, axis);
    for (const Cell& a : cells_) {
      if (a.scenario.id != scenario || a.axis(axis) != values.front()) {
        continue;
      }
      for (std::size_t i = 1; i < values.size(); ++i) {
        auto axes = a.axes;
        std::find_if(axes.begin(), axes.end(), [&](const auto& one) { return one.first == axis; })->second = values[i];
        const auto b = std::find_if(cells_.begin(), cells_.end(),
                                    [&](const Cell& other) { return other.scenario.id == scenario && other.axes == axes; });
        if (b != cells_.end()) {
          add(a, *b);
        }
      }
    }
  }

  // Of an order's verdicts the first stands for all: its steps are taken from pairs there, elsewhere from separate trials.
  void across_order(const Claim& claim) {
    std::vector<Selector> selectors;
    for (const Quantity& quantity : claim.rising) {
      selectors.push_back(quantity.of);
      if (!quantity.to.empty()) {
        selectors.push_back(quantity.to);
      }
    }
    const auto ways = stats::matches(selectors, results_);
    if (ways.empty()) {
      return;
    }
    const auto& chosen = ways.front();
    std::size_t at = 0;
    const CellResult* before = nullptr;
    for (const Quantity& quantity : claim.rising) {
      const CellResult* const of = chosen[at++];
      const CellResult* const against = quantity.to.empty() ? before : chosen[at++];
      if (against != nullptr && against->scenario != of->scenario) {
        add(*against, *of);
      }
      before = quantity.to.empty() ? of : nullptr;
    }
  }

  void add(const CellResult& a, const CellResult& b) { add(*find_cell(cells_, a.id), *find_cell(cells_, b.id)); }

  void add(const Cell& a, const Cell& b) {
    const bool known = std::any_of(found_.begin(), found_.end(), [&](const Comparison& one) {
      return one.sides == Names{a.id, b.id} || one.sides == Names{b.id, a.id};
    });
    if (!known && a.id != b.id && why_no_pair(a, b, standing_).empty()) {
      found_.push_back({"pair", {a.id, b.id}, differ_in_cpus(a, b)});
    }
  }

  const std::vector<Cell>& cells_;
  const std::vector<CellResult> results_;
  const Standing& standing_;
  std::vector<Comparison> found_;
};

}  // namespace

std::vector<Comparison> comparisons_of(const std::vector<Cell>& cells, const Playbook& playbook, AaPairs aa, const Standing& standing) {
  Pairing pairing(cells, standing);
  pairing.within_scenarios();
  pairing.across(playbook.claims);
  pairing.asked_for(playbook.pairs);
  pairing.against_themselves(aa);
  return pairing.with_singles();
}

}  // namespace lab::run
