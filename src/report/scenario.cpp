#include "report/scenario.hpp"

#include "report/text.hpp"
#include "stats/median.hpp"
#include "stats/selection.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace lab::report {

namespace {

bool differ_only_in(const CellResult& a, const CellResult& b, std::string_view name) {
  return a.axes.size() == b.axes.size() &&
         std::ranges::all_of(a.axes, [&](const auto& each) { return each.first == name || axis(b, each.first) == each.second; });
}

constexpr int kHues = 6, kShades = 3;

struct Color {
  int hue = 0, shade = 1;
  auto operator<=>(const Color&) const = default;
};

std::string series_label(const CellResult& cell, const Cells& all) {
  const std::string label = cell_label(cell, all, {"page", "clients"});
  return label.empty() ? axis_text("cpus", axis(cell, "cpus")) : label;
}

int place_of(const CellResult& cell, const Cells& cells, std::string_view name) {
  const auto values = axis_values(cells, name);
  return static_cast<int>(std::ranges::find(values, axis(cell, name)) - values.begin());
}

// Software and hardware crypto, and the log's three places, keep their colour in every scenario.
Color usual_color(const CellResult& cell, const Cells& cells) {
  constexpr int kPlain = 3;
  const std::string crypto = axis(cell, "crypto"), log = axis(cell, "log");
  int hue = crypto == "software" ? 0 : crypto == "hardware" ? 1 : crypto == "adapter" ? 2 : kPlain;
  if (log == "own-disk" || log == "null") {
    hue = log == "null" ? 5 : 4;
  }
  const int gateway = varies(cells, "gateway") ? place_of(cell, cells, "gateway") : 0;
  return {(hue + gateway) % kHues, varies(cells, "cpus") ? std::min(kShades - 1, place_of(cell, cells, "cpus")) : 1};
}

// By series' label. Where the usual colours would have two series look alike: a hue for each kind, a shade for each number of CPUs; where
// that does not do either, one after the other. Up to 18 series are told apart.
std::map<std::string, Color> colors_of(const Cells& cells) {
  std::map<std::string, Color> usual, by_kind, by_place;
  std::vector<std::string> kinds;
  for (const CellResult* cell : cells) {
    const std::string label = series_label(*cell, cells), kind = cell_label(*cell, cells, {"page", "clients", "cpus"});
    if (usual.contains(label)) {
      continue;
    }
    if (std::ranges::find(kinds, kind) == kinds.end()) {
      kinds.push_back(kind);
    }
    const int place = static_cast<int>(usual.size()) % (kHues * kShades);
    usual[label] = usual_color(*cell, cells);
    by_kind[label] = {static_cast<int>(std::ranges::find(kinds, kind) - kinds.begin()) % kHues, usual[label].shade};
    by_place[label] = {place % kHues, place / kHues};
  }
  for (const auto& colors : {usual, by_kind}) {
    std::set<Color> distinct;
    std::ranges::transform(colors, std::inserter(distinct, distinct.end()), [](const auto& each) { return each.second; });
    if (distinct.size() == colors.size()) {
      return colors;
    }
  }
  return by_place;
}

void add_flags(std::vector<std::string>& to, const std::vector<std::string>& from) {
  for (const std::string& flag : from) {
    if (std::ranges::find(to, flag) == to.end()) {
      to.push_back(flag);
    }
  }
}

Interval inverted(const Interval& ratio) { return {1 / ratio.median, 1 / ratio.high, 1 / ratio.low, ratio.n}; }

Interval by_blocks(const Run& run, const CellResult& a, const CellResult& b) {
  const auto rates = [&run](const CellResult& cell) {
    std::vector<Trial> own;
    for (const Trial* trial : trials_of(run, cell.id)) {
      own.push_back(*trial);
    }
    return stats::values_of(cell, own, Claim::Metric::pages_per_s, {});
  };
  return stats::median_interval(stats::values(stats::quotient(rates(b), rates(a))));
}

std::size_t place_in(const Results& results, std::map<std::string, double> CellResult::*values, const std::string& name) {
  std::set<std::string> names;
  const CellResult* before = nullptr;
  for (const CellResult& cell : results.cells) {
    const auto same_name = [](const auto& a, const auto& b) { return a.first == b.first; };
    if (before == nullptr || !std::ranges::equal(cell.*values, before->*values, same_name)) {  // most cells have the same names
      std::ranges::for_each(cell.*values, [&names](const auto& each) { names.insert(each.first); });
    }
    before = &cell;
  }
  return static_cast<std::size_t>(std::distance(names.begin(), names.find(name)));
}

}  // namespace

std::vector<ScenarioView> scenarios(const Run& run) {
  std::vector<ScenarioView> views;
  for (const CellResult& cell : run.results.cells) {
    auto view = std::ranges::find(views, cell.scenario, &ScenarioView::id);
    if (view == views.end()) {
      const auto settings = std::ranges::find(run.playbook.scenarios, cell.scenario, &Scenario::id);
      const bool known = settings != run.playbook.scenarios.end();
      views.push_back({cell.scenario, known ? settings->title : "", known ? &*settings : nullptr, {}});
      view = views.end() - 1;
    }
    view->cells.push_back(&cell);
  }
  return views;
}

const CellResult* find_cell(const Results& results, std::string_view id) {
  const auto found = std::ranges::find(results.cells, id, &CellResult::id);
  return found == results.cells.end() ? nullptr : &*found;
}

std::vector<const Trial*> trials_of(const Run& run, const std::string& cell) {
  std::vector<const Trial*> trials;
  if (run.places.empty()) {
    for (const Trial& trial : run.trials) {
      if (std::ranges::find(trial.sides, cell, &Side::cell) != trial.sides.end()) {
        trials.push_back(&trial);
      }
    }
  } else if (const auto known = run.places.find(cell); known != run.places.end()) {
    std::ranges::transform(known->second, std::back_inserter(trials), [&run](std::size_t place) { return &run.trials[place]; });
  }
  return trials;
}

std::string axis(const CellResult& cell, std::string_view name) {
  const auto found = std::ranges::find(cell.axes, name, [](const auto& each) -> std::string_view { return each.first; });
  return found == cell.axes.end() ? "" : found->second;
}

std::vector<std::string> axis_values(const Cells& cells, std::string_view name) {
  std::vector<std::string> values;
  for (const CellResult* cell : cells) {
    if (const std::string value = axis(*cell, name); !value.empty() && std::ranges::find(values, value) == values.end()) {
      values.push_back(value);
    }
  }
  return values;
}

bool varies(const Cells& cells, std::string_view name) { return axis_values(cells, name).size() > 1; }

Cells measured(const Cells& cells) {
  Cells those;
  std::ranges::copy_if(cells, std::back_inserter(those), [](const CellResult* cell) { return cell->status == "measured"; });
  return those;
}

Cells timed(const Run& run, const ScenarioView& scenario) {
  Cells those = measured(scenario.cells);
  std::erase_if(those, [&run](const CellResult* cell) { return !run.times.contains(cell->id); });
  return those;
}

std::string axis_text(std::string_view name, const std::string& value) {
  if (name == "page") {
    const auto unit = value.find_first_not_of("0123456789.");
    return unit == std::string::npos ? value + " B" : value.substr(0, unit) + " " + value.substr(unit);
  }
  if (name == "cpus") {
    return value + (value == "1" ? " CPU" : " CPUs");
  }
  if (name == "clients") {
    return value + (value == "1" ? " client" : " clients");
  }
  if (name == "crypto") {
    return value == "adapter" ? "crypto adapter" : value + " crypto";
  }
  if (name == "busy") {
    return value + (value == "1" ? " busy guest" : " busy guests");
  }
  if (name == "log") {
    return value == "null"       ? "log to /dev/null"
           : value == "own-disk" ? "log on its own disk"
           : value == "file"     ? "log to files"
                                 : "log to " + value;
  }
  return std::string(name) + " " + value;
}

std::string cell_label(const CellResult& cell, const Cells& cells, const std::vector<std::string_view>& leave_out) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : cell.axes) {
    if (varies(cells, name) && std::ranges::find(leave_out, name) == leave_out.end()) {
      parts.push_back(axis_text(name, value));
    }
  }
  return join(parts, ", ");
}

std::string row_label(const CellResult& cell, const Cells& cells) {
  const std::string label = cell_label(cell, cells);
  return label.empty() ? cell.id : label;
}

std::vector<Panel> throughput_panels(const ScenarioView& scenario) {
  std::vector<Panel> panels;
  const auto clients = axis_values(scenario.cells, "clients");
  const auto colors = colors_of(scenario.cells);
  for (const CellResult* cell : measured(scenario.cells)) {
    const std::string title = axis_text("page", axis(*cell, "page"));
    auto panel = std::ranges::find(panels, title, &Panel::title);
    if (panel == panels.end()) {
      panels.push_back({title, clients, {}});
      panel = panels.end() - 1;
    }
    const std::string label = series_label(*cell, scenario.cells);
    auto series = std::ranges::find(panel->series, label, &Series::label);
    if (series == panel->series.end()) {
      const Color color = colors.at(label);
      panel->series.push_back({label, color.hue, color.shade, Cells(clients.size(), nullptr)});
      series = panel->series.end() - 1;
    }
    const auto place = std::ranges::find(clients, axis(*cell, "clients")) - clients.begin();
    if (static_cast<std::size_t>(place) < clients.size()) {
      series->points[static_cast<std::size_t>(place)] = cell;
    }
  }
  return panels;
}

double host_cpus(const CellResult& cell, const std::string& node) {
  const auto found = cell.cpu_us_per_page.find(node);
  return found == cell.cpu_us_per_page.end() ? 0 : found->second * cell.pages_per_s.median / 1e6;
}

NodeUse node_use(const Cells& cells) {
  constexpr double kNearZero = 0.01;
  std::map<std::string, double> most;
  for (const CellResult* cell : cells) {
    for (const auto& [node, us] : cell->cpu_us_per_page) {
      double& value = most[node];
      value = std::max(value, host_cpus(*cell, node));
    }
  }
  NodeUse use;
  for (const auto& [node, value] : most) {
    (value < kNearZero ? use.near_zero : use.shown).push_back(node);
  }
  return use;
}

std::size_t node_color(const Results& results, const std::string& node) {
  return place_in(results, &CellResult::cpu_us_per_page, node) % 8;
}
std::size_t machine_color(const Results& results, const std::string& machine) {
  return place_in(results, &CellResult::machines, machine) % 3;
}

bool Effect::certain() const {
  if (ratio.n < 2 || ratio.low <= 0 || (ratio.low <= 1 && ratio.high >= 1)) {
    return false;
  }
  const double spread = ratio.n < stats::kEnoughForInterval ? std::log(ratio.high / ratio.low) : 0;
  return std::abs(std::log(ratio.median)) > std::max(noise_floor, spread);
}

Effect effect(const Run& run, const CellResult& a, const CellResult& b) {
  Effect found{&a, &b, {}, 0, false, {}};
  add_flags(found.flags, a.flags);
  add_flags(found.flags, b.flags);
  for (const PairResult& pair : run.results.pairs) {
    const bool forward = pair.a == a.id && pair.b == b.id;
    if ((forward || (pair.a == b.id && pair.b == a.id)) && pair.ratio.n > 0 && pair.ratio.low > 0) {
      found.ratio = forward ? pair.ratio : inverted(pair.ratio);
      found.noise_floor = pair.noise_floor;
      found.paired = pair.kind == "pair";
      add_flags(found.flags, pair.flags);
      return found;
    }
  }
  found.ratio = by_blocks(run, a, b);
  return found;
}

std::vector<Effect> effects_between(const Run& run, const ScenarioView& scenario, std::string_view name, const std::string& from,
                                    const std::string& to) {
  const Cells cells = measured(scenario.cells);
  std::vector<Effect> effects;
  for (const CellResult* a : cells) {
    const auto b =
        std::ranges::find_if(cells, [&](const CellResult* other) { return axis(*other, name) == to && differ_only_in(*a, *other, name); });
    if (axis(*a, name) == from && b != cells.end()) {
      effects.push_back(effect(run, *a, **b));
    }
  }
  std::erase_if(effects, [](const Effect& each) { return each.ratio.n == 0; });
  return effects;
}

std::vector<Effect> effects_across(const Run& run, std::string_view of, std::string_view against) {
  const auto measured_of = [&run](std::string_view scenario) {
    Cells cells;
    for (const CellResult& cell : run.results.cells) {
      if (cell.scenario == scenario && cell.status == "measured") {
        cells.push_back(&cell);
      }
    }
    return cells;
  };
  const Cells first = measured_of(against);
  std::vector<Effect> effects;
  for (const CellResult* b : measured_of(of)) {
    for (const CellResult* a : first) {
      if (std::ranges::all_of(a->axes, [&](const auto& each) { return axis(*b, each.first) == each.second; })) {
        effects.push_back(effect(run, *a, *b));
      }
    }
  }
  std::erase_if(effects, [](const Effect& each) { return each.ratio.n == 0; });
  return effects;
}

std::vector<Effect> certain(std::vector<Effect> effects) {
  std::erase_if(effects, [](const Effect& each) { return !each.certain(); });
  return effects;
}

std::vector<std::string> doubts_of(const std::vector<Effect>& effects) {
  std::set<std::string> flags;
  for (const Effect& each : effects) {
    const auto doubtful = doubts(each.flags);
    flags.insert(doubtful.begin(), doubtful.end());
  }
  return {flags.begin(), flags.end()};
}

}  // namespace lab::report
