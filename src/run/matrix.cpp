#include "matrix.hpp"

#include <algorithm>

namespace lab::run {

namespace {

bool has(const std::vector<std::string>& list, const std::string& item) { return std::find(list.begin(), list.end(), item) != list.end(); }

std::vector<std::string> narrowed(const Scenario& scenario, const AxisValues& axis, const Profile& profile) {
  if (has(scenario.keep, axis.first)) {
    return axis.second;
  }
  const auto narrow =
      std::find_if(profile.axes.begin(), profile.axes.end(), [&](const AxisValues& one) { return one.first == axis.first; });
  if (narrow == profile.axes.end()) {
    return axis.second;
  }
  std::vector<std::string> left;
  std::copy_if(axis.second.begin(), axis.second.end(), std::back_inserter(left),
               [&](const std::string& value) { return has(narrow->second, value); });
  return left.empty() ? axis.second : left;
}

std::vector<Cell> cells_of(const Scenario& scenario, const Profile& profile) {
  std::vector<Cell> cells{{scenario.id, scenario, {}}};
  for (const AxisValues& axis : scenario.axes) {
    std::vector<Cell> longer;
    for (const Cell& cell : cells) {
      for (const std::string& value : narrowed(scenario, axis, profile)) {
        longer.push_back(cell);
        longer.back().id += "/" + axis.first + "=" + value;
        longer.back().axes.emplace_back(axis.first, value);
      }
    }
    cells = std::move(longer);
  }
  return cells;
}

bool wanted(const std::vector<std::string>& only, const std::string& id) {
  return only.empty() || std::any_of(only.begin(), only.end(), [&](const std::string& pattern) { return matches_glob(pattern, id); });
}

}  // namespace

std::string Cell::axis(std::string_view name) const {
  const auto at = std::find_if(axes.begin(), axes.end(), [&](const auto& axis) { return axis.first == name; });
  return at == axes.end() ? std::string() : at->second;
}

Result<std::vector<Cell>> cells_of(const Playbook& playbook, const Profile& profile, const std::vector<std::string>& only) {
  std::vector<Cell> cells;
  for (const Scenario& scenario : playbook.scenarios) {
    for (Cell& cell : cells_of(scenario, profile)) {
      if (wanted(only, cell.id)) {
        cells.push_back(std::move(cell));
      }
    }
  }
  if (cells.empty()) {
    return Error{"no cell of playbook " + playbook.name + " matches",
                 only.empty() ? std::string() : "--only '" + only.front() + "'",
                 "`lab run --list` prints the ids of all cells",
                 {},
                 Failure::usage};
  }
  return cells;
}

const Cell* find_cell(const std::vector<Cell>& cells, std::string_view id) {
  const auto at = std::find_if(cells.begin(), cells.end(), [&](const Cell& cell) { return cell.id == id; });
  return at == cells.end() ? nullptr : &*at;
}

bool matches_glob(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // the last `*` seen, and the text that it has swallowed so far
  std::size_t swallowed = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      swallowed = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++swallowed;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace lab::run
