#include "selection.hpp"

#include "median.hpp"

#include <algorithm>
#include <cstdlib>

namespace lab::stats {

namespace {

constexpr const char* kScenario = "scenario";

bool named(const std::vector<Selector>& selectors, const std::string& axis) {
  return std::any_of(selectors.begin(), selectors.end(), [&](const Selector& selector) { return selector.contains(axis); });
}

std::vector<std::string> axes_of(const CellResult& cell) {
  std::vector<std::string> axes{kScenario};
  for (const auto& [axis, value] : cell.axes) {
    axes.push_back(axis);
  }
  return axes;
}

// An axis that only one of them has does not part them.
bool agree(const std::vector<Selector>& selectors, const CellResult& a, const CellResult& b) {
  for (const std::string& axis : axes_of(a)) {
    const auto other = coordinate(b, axis);
    if (!named(selectors, axis) && other && other != coordinate(a, axis)) {
      return false;
    }
  }
  return true;
}

std::optional<double> metric_of(const Side& side, const CellResult& cell, Claim::Metric metric, const std::string& node) {
  switch (metric) {
    case Claim::Metric::pages_per_s: return side.pages_per_s;
    case Claim::Metric::pages_per_s_per_client: {
      const auto clients = coordinate(cell, "clients");
      const double number = clients ? std::strtod(clients->c_str(), nullptr) : 0.0;
      return number > 0 ? std::optional(side.pages_per_s / number) : std::nullopt;
    }
    case Claim::Metric::cpu:
    case Claim::Metric::machine_cpu: {
      const auto& shares = metric == Claim::Metric::cpu ? side.cpu : side.machines;
      const auto at = shares.find(node);
      return at == shares.end() ? std::nullopt : std::optional(at->second);
    }
  }
  return std::nullopt;
}

Blocks medians_of(std::map<int, std::vector<double>> by_block) {
  Blocks blocks;
  for (auto& [block, found] : by_block) {
    blocks[block] = median(std::move(found));
  }
  return blocks;
}

}  // namespace

std::optional<std::string> coordinate(const CellResult& cell, const std::string& axis) {
  if (axis == kScenario) {
    return cell.scenario;
  }
  for (const auto& [name, value] : cell.axes) {
    if (name == axis) {
      return value;
    }
  }
  return std::nullopt;
}

bool selects(const Selector& selector, const CellResult& cell) {
  return std::all_of(selector.begin(), selector.end(), [&](const auto& wanted) { return coordinate(cell, wanted.first) == wanted.second; });
}

std::vector<std::vector<const CellResult*>> matches(const std::vector<Selector>& selectors, const std::vector<CellResult>& cells) {
  std::vector<std::vector<const CellResult*>> found{{}};
  for (const Selector& selector : selectors) {
    std::vector<std::vector<const CellResult*>> longer;
    for (const auto& chosen : found) {
      for (const CellResult& cell : cells) {
        const bool fits =
            cell.status == "measured" && selects(selector, cell) &&
            std::all_of(chosen.begin(), chosen.end(), [&](const CellResult* other) { return agree(selectors, *other, cell); });
        if (fits) {
          longer.push_back(chosen);
          longer.back().push_back(&cell);
        }
      }
    }
    found = std::move(longer);
  }
  return found;
}

std::string open_axes(const std::vector<Selector>& selectors, const std::vector<const CellResult*>& cells) {
  std::string text;
  std::set<std::string> seen;
  for (const CellResult* cell : cells) {
    for (const std::string& axis : axes_of(*cell)) {
      if (!named(selectors, axis) && seen.insert(axis).second) {
        text += (text.empty() ? "" : "/") + axis + "=" + *coordinate(*cell, axis);
      }
    }
  }
  return text;
}

Blocks pair_ratios(const std::string& numerator, const std::string& denominator, const std::vector<Trial>& trials) {
  std::map<int, std::vector<double>> by_block;
  for (const Trial& trial : trials) {
    if (trial.kind != "pair" || trial.sides.size() != 2 || !trial.ratio || !trial.failed.empty()) {
      continue;
    }
    const std::string &a = trial.sides[0].cell, &b = trial.sides[1].cell;
    if (a == denominator && b == numerator) {
      by_block[trial.block].push_back(*trial.ratio);
    } else if (a == numerator && b == denominator) {
      by_block[trial.block].push_back(1 / *trial.ratio);
    }
  }
  return medians_of(std::move(by_block));
}

Blocks values_of(const CellResult& cell, const std::vector<Trial>& trials, Claim::Metric metric, const std::string& node) {
  std::map<int, std::vector<double>> by_block;
  for (const Trial& trial : trials) {
    for (const Side& side : trial.sides) {
      const auto value =
          trial.failed.empty() && trial.kind != "aa" && side.cell == cell.id ? metric_of(side, cell, metric, node) : std::nullopt;
      if (value) {
        by_block[trial.block].push_back(*value);
      }
    }
  }
  return medians_of(std::move(by_block));
}

Blocks quotient(const Blocks& numerator, const Blocks& denominator) {
  Blocks blocks;
  for (const auto& [block, value] : numerator) {
    const auto below = denominator.find(block);
    if (below != denominator.end() && below->second > 0) {
      blocks[block] = value / below->second;
    }
  }
  return blocks;
}

std::vector<double> values(const Blocks& blocks) {
  std::vector<double> all;
  for (const auto& [block, value] : blocks) {
    all.push_back(value);
  }
  return all;
}

}  // namespace lab::stats
