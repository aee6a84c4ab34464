#include "report/observations.hpp"

#include "report/chart_data.hpp"
#include "report/effect_text.hpp"
#include "report/text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <set>

namespace lab::report {

namespace {

std::string rate(const CellResult& cell) {
  const Interval& value = cell.pages_per_s;
  std::string text = number(value.median) + " pages/s";
  if (value.n > 1) {
    text += fmt::format(" ({})", range(value.low, value.high, number));
  }
  return text;
}

void about_throughput(const ScenarioView& scenario, std::vector<std::string>& out) {
  for (const std::string& page : axis_values(measured(scenario.cells), "page")) {
    Cells cells = measured(scenario.cells);
    std::erase_if(cells, [&](const CellResult* cell) { return axis(*cell, "page") != page; });
    const auto slower = [](const CellResult* a, const CellResult* b) { return a->pages_per_s.median < b->pages_per_s.median; };
    const auto [least, most] = std::ranges::minmax_element(cells, slower);
    std::set<std::string> flags((*least)->flags.begin(), (*least)->flags.end());
    flags.insert((*most)->flags.begin(), (*most)->flags.end());
    const std::string flagged = flag_note({flags.begin(), flags.end()});
    const std::string prefix = varies(scenario.cells, "page") ? "At " + axis_text("page", page) + " throughput" : "Throughput";
    if (cells.size() == 1) {
      out.push_back(fmt::format("{} is {}.{}", prefix, rate(**least), flagged.empty() ? "" : " " + flagged));
      continue;
    }
    out.push_back(fmt::format("{} runs from {} with {} to {} with {}.{}", prefix, rate(**least), cell_label(**least, cells, {"page"}),
                              rate(**most), cell_label(**most, cells, {"page"}), flagged.empty() ? "" : " " + flagged));
  }
}

void about_axis(const Run& run, const ScenarioView& scenario, std::string_view name, std::vector<std::string>& out) {
  const Cells cells = measured(scenario.cells);
  const auto values = axis_values(cells, name);
  const bool by_page = name == "crypto" && varies(cells, "page");
  for (std::size_t i = 1; i < values.size(); ++i) {
    const auto effects = effects_between(run, scenario, name, values[i - 1], values[i]);
    for (const std::string& page : by_page ? axis_values(cells, "page") : std::vector<std::string>{""}) {
      std::vector<Effect> those;
      std::ranges::copy_if(effects, std::back_inserter(those),
                           [&](const Effect& each) { return page.empty() || axis(*each.a, "page") == page; });
      if (!those.empty()) {
        const std::string change = subject(name, values[i - 1], values[i]);
        out.push_back(effect_sentence(page.empty() ? change : change + " at " + axis_text("page", page), those, name));
      }
    }
  }
}

std::string in_order(const std::vector<std::string>& pages, const char* sign) {
  std::vector<std::string> parts;
  std::ranges::transform(pages, std::back_inserter(parts), [](const std::string& page) { return axis_text("page", page); });
  return join(parts, std::string(" ") + sign + " ");
}

// Larger pages against smaller ones: how many of the settings have every step down for sure.
void about_page_order(const Run& run, const ScenarioView& scenario, std::vector<std::string>& out) {
  const auto pages = axis_values(measured(scenario.cells), "page");
  std::map<std::string, bool> falls;  // by setting
  std::vector<std::string> steps;
  std::vector<Effect> all;
  for (std::size_t i = 1; i < pages.size(); ++i) {
    const auto effects = effects_between(run, scenario, "page", pages[i - 1], pages[i]);
    for (const Effect& each : effects) {
      bool& so_far = falls.try_emplace(cell_label(*each.b, scenario.cells, {"page"}), true).first->second;
      so_far = so_far && each.certain() && each.ratio.median < 1;
    }
    if (!effects.empty()) {
      steps.push_back(fmt::format("from {} to {} {}", axis_text("page", pages[i - 1]), axis_text("page", pages[i]),
                                  effects.size() == 1 ? with_interval(effects.front().ratio) : in_short(effects)));
    }
    all.insert(all.end(), effects.begin(), effects.end());
  }
  if (steps.empty()) {
    return;
  }
  const auto sure = static_cast<std::size_t>(std::ranges::count_if(falls, [](const auto& each) { return each.second; }));
  const std::string order = sure == 0 ? "That throughput falls as pages grow cannot be told from noise"
                                      : fmt::format("Throughput falls as pages grow, {}, in {}", in_order(pages, ">"),
                                                    sure == falls.size() && sure == 1 ? "the one setting"
                                                    : sure == falls.size()            ? fmt::format("each of {} settings", sure)
                                                                           : fmt::format("{} of {} settings", sure, falls.size()));
  out.push_back(fmt::format("{}: {}.{}", order, join(steps, "; "), caution(all)));
}

// Whether b's gain is larger than a's for sure: neither intervals nor noise floors meet.
bool larger(const Effect& a, const Effect& b) {
  return b.ratio.low > a.ratio.high && std::log(b.ratio.median / a.ratio.median) > std::max(a.noise_floor, b.noise_floor) &&
         a.ratio.n > 1 && b.ratio.n > 1;
}

void about_gain_order(const Run& run, const ScenarioView& scenario, std::vector<std::string>& out) {
  const Gain gain = crypto_gain(run, scenario);
  std::vector<std::string> told;
  std::vector<Effect> all;
  std::size_t grows = 0;
  for (const Gain::Line& line : gain.lines) {
    std::vector<Effect> points;
    for (const auto& point : line.points) {
      if (point) {
        points.push_back(*point);
      }
    }
    if (points.size() < 2) {
      continue;
    }
    bool so_far = true;
    std::vector<std::string> figures;
    for (std::size_t i = 0; i < points.size(); ++i) {
      so_far = so_far && (i == 0 || larger(points[i - 1], points[i]));
      const Interval& ratio = points[i].ratio;
      figures.push_back(
          fmt::format("{}{}", change(ratio.median), ratio.n > 1 ? fmt::format(" ({} to {})", change(ratio.low), change(ratio.high)) : ""));
    }
    grows += so_far;
    told.push_back(join(figures, ", ") + (line.label.empty() ? "" : " with " + line.label));
    all.insert(all.end(), points.begin(), points.end());
  }
  if (told.empty()) {
    return;
  }
  const std::string order = grows == told.size()
                                ? fmt::format("The gain from hardware crypto grows with the page, {}", join(gain.pages, " < "))
                            : grows == 0 ? std::string("That the gain from hardware crypto grows with the page cannot be told from noise")
                                         : fmt::format("The gain from hardware crypto grows with the page, {}, in {} of {} settings",
                                                       join(gain.pages, " < "), grows, told.size());
  out.push_back(fmt::format("{}: {}.{}", order, join(told, "; "), caution(all)));
}

// "webseal limits 3 of 4 cells; it uses 98% to 99% of the CPU allotted to it."
void about_limits(const ScenarioView& scenario, std::vector<std::string>& out) {
  const Cells cells = measured(scenario.cells);
  std::map<std::string, Cells> limited;
  for (const CellResult* cell : cells) {
    limited[cell->limited_by].push_back(cell);
  }
  for (const auto& [node, those] : limited) {
    if (node.empty()) {
      out.push_back(fmt::format("In {} of {} cells no node is named as the limit.", those.size(), cells.size()));
      continue;
    }
    std::vector<double> shares;
    for (const CellResult* cell : those) {
      const auto share = cell->cpu.find(node);
      shares.push_back(share == cell->cpu.end() ? 0 : share->second);
    }
    const auto [low, high] = std::ranges::minmax_element(shares);
    out.push_back(fmt::format("{} limits {} of {} cells; it uses {} of the CPU allotted to it.", node, those.size(), cells.size(),
                              range(*low, *high, percent)));
  }
}

void about_idle_nodes(const ScenarioView& scenario, std::vector<std::string>& out) {
  if (const NodeUse use = node_use(measured(scenario.cells)); !use.near_zero.empty()) {
    out.push_back(fmt::format("Near zero, under 1% of a host CPU in every cell: {}.", listing(use.near_zero)));
  }
}

std::string milliseconds(double us) { return number(us / 1e3); }

std::string in_milliseconds(const Interval& us) {
  const std::string spread = us.n > 1 ? fmt::format(" ({}, n = {})", range(us.low, us.high, milliseconds), us.n) : "";
  return milliseconds(us.median) + " ms" + spread;
}

// Of an open loop: the cell whose p99 is least, and the one whose is greatest.
void about_latency(const ScenarioView& scenario, std::vector<std::string>& out) {
  Cells cells = measured(scenario.cells);
  std::erase_if(cells, [](const CellResult* cell) { return !cell->latency_us; });
  if (cells.empty() || scenario.settings == nullptr || !scenario.settings->rate) {
    return;
  }
  std::ranges::sort(cells, {}, [](const CellResult* cell) { return cell->latency_us->p99.median; });
  std::vector<std::string> parts;
  for (const CellResult* cell : cells.size() == 1 ? Cells{cells.front()} : Cells{cells.front(), cells.back()}) {
    const std::string label = cells.size() == 1 ? "" : " with " + cell_label(*cell, cells);
    parts.push_back(fmt::format("p99 {}, p50 {}{}", in_milliseconds(cell->latency_us->p99), in_milliseconds(cell->latency_us->p50), label));
  }
  out.push_back(fmt::format("At {} requests/s, latency from the instant at which a request was due: {}.", number(*scenario.settings->rate),
                            join(parts, "; ")));
}

void about_missing(const ScenarioView& scenario, std::vector<std::string>& out) {
  std::map<std::pair<std::string, std::string>, std::size_t> reasons;
  for (const CellResult* cell : scenario.cells) {
    if (cell->status != "measured") {
      ++reasons[{cell->status, cell->reason}];
    }
  }
  for (const auto& [why, n] : reasons) {
    out.push_back(fmt::format("{} {}: {}.", count(n, "cell", "cells"), why.first, why.second));
  }
}

// Against the playbook's first scenario and the one that it is like: what TLS, identity headers or the junction cost.
void about_other_scenarios(const Run& run, const ScenarioView& scenario, std::vector<std::string>& out) {
  const auto views = scenarios(run);
  for (const ScenarioView& before : views) {
    if (before.id == scenario.id) {
      return;
    }
    if (before.id != views.front().id && (scenario.settings == nullptr || scenario.settings->like != before.id)) {
      continue;
    }
    const auto effects = effects_across(run, scenario.id, before.id);
    if (effects.empty()) {
      continue;
    }
    for (const std::string& crypto : axis_values(scenario.cells, "crypto")) {
      std::vector<Effect> those;
      std::ranges::copy_if(effects, std::back_inserter(those), [&](const Effect& each) { return axis(*each.b, "crypto") == crypto; });
      if (!those.empty()) {
        out.push_back(effect_sentence(fmt::format("Against scenario {}, with {}", before.id, axis_text("crypto", crypto)), those, ""));
      }
    }
  }
}

}  // namespace

std::vector<std::string> observations(const Run& run, const ScenarioView& scenario) {
  std::vector<std::string> out;
  if (!measured(scenario.cells).empty()) {
    about_throughput(scenario, out);
    about_latency(scenario, out);
    about_page_order(run, scenario, out);
    for (const char* name : {"cpus", "clients", "log", "crypto", "gateway", "busy"}) {
      about_axis(run, scenario, name, out);
    }
    about_gain_order(run, scenario, out);
    about_other_scenarios(run, scenario, out);
    about_limits(scenario, out);
    about_idle_nodes(scenario, out);
    std::ranges::move(anomalies(run, scenario), std::back_inserter(out));
  }
  about_missing(scenario, out);
  return out;
}

}  // namespace lab::report
