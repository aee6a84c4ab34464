#include "report/chart_data.hpp"

#include "report/host.hpp"
#include "report/series.hpp"
#include "report/text.hpp"

#include <algorithm>
#include <boost/json.hpp>

namespace lab::report {

namespace json = boost::json;

namespace {

json::array texts(const std::vector<std::string>& values) { return json::array(values.begin(), values.end()); }

// Every measured side of the cell outside A/A trials.
json::array dots_of(const Run& run, const CellResult& cell) {
  json::array dots;
  for (const Trial* trial : trials_of(run, cell.id)) {
    for (const Side& side : trial->sides) {
      if (side.cell == cell.id && trial->kind != "aa" && trial->failed.empty()) {
        dots.push_back(json::object{{"trial", trial->trial}, {"value", side.pages_per_s}, {"flags", texts(doubts(trial->flags))}});
      }
    }
  }
  return dots;
}

json::value point(const Run& run, const CellResult* cell) {
  if (cell == nullptr) {
    return nullptr;
  }
  return json::object{
      {"cell", cell->id},         {"median", cell->pages_per_s.median},  {"low", cell->pages_per_s.low}, {"high", cell->pages_per_s.high},
      {"n", cell->pages_per_s.n}, {"flags", texts(doubts(cell->flags))}, {"trials", dots_of(run, *cell)}};
}

void add_throughput(const Run& run, const ScenarioView& scenario, json::array& charts) {
  const auto panels = throughput_panels(scenario);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    json::array series;
    for (const Series& each : panels[i].series) {
      json::array points;
      for (const CellResult* cell : each.points) {
        points.push_back(point(run, cell));
      }
      series.push_back(json::object{{"label", each.label}, {"hue", each.hue}, {"shade", each.shade}, {"points", std::move(points)}});
    }
    charts.push_back(json::object{{"id", throughput_id(scenario, i)},
                                  {"title", panels[i].title},
                                  {"clients", texts(panels[i].clients)},
                                  {"series", std::move(series)}});
  }
}

// A machine's place on the axis of host CPUs is known for the lab's own host only; others are drawn as shares.
json::array machine_lines(const Run& run, const Cells& cells) {
  std::vector<std::string> names;
  for (const CellResult* cell : cells) {
    for (const auto& each : cell->machines) {
      if (std::ranges::find(names, each.first) == names.end()) {
        names.push_back(each.first);
      }
    }
  }
  json::array lines;
  for (const std::string& name : names) {
    json::array shares;
    for (const CellResult* cell : cells) {
      const auto share = cell->machines.find(name);
      shares.push_back(share == cell->machines.end() ? json::value(nullptr) : json::value(share->second));
    }
    lines.push_back(json::object{{"name", name}, {"color", machine_color(run.results, name)}, {"shares", std::move(shares)}});
  }
  return lines;
}

json::object row(const CellResult& cell, const Cells& cells) {
  return {{"label", row_label(cell, cells)}, {"flags", texts(doubts(cell.flags))}};
}

void add_cpu(const Run& run, const ScenarioView& scenario, json::array& charts) {
  const Cells cells = measured(scenario.cells);
  if (cells.empty()) {
    return;
  }
  json::array rows, nodes;
  for (const CellResult* cell : cells) {
    rows.push_back(row(*cell, cells));
  }
  for (const std::string& node : node_use(cells).shown) {
    json::array values;
    for (const CellResult* cell : cells) {
      values.push_back(host_cpus(*cell, node));
    }
    nodes.push_back(json::object{{"name", node}, {"color", node_color(run.results, node)}, {"cpus", std::move(values)}});
  }
  charts.push_back(json::object{{"id", cpu_id(scenario)},
                                {"rows", std::move(rows)},
                                {"nodes", std::move(nodes)},
                                {"machines", machine_lines(run, cells)},
                                {"cores", environment_number(run, "cores")}});
}

void add_gain(const Run& run, const ScenarioView& scenario, json::array& charts) {
  const Gain gain = crypto_gain(run, scenario);
  if (gain.lines.empty()) {
    return;
  }
  json::array lines, published;
  for (const Gain::Line& line : gain.lines) {
    json::array points;
    for (const auto& effect : line.points) {
      points.push_back(!effect ? json::value(nullptr)
                               : json::value(json::object{{"median", effect->ratio.median},
                                                          {"low", effect->ratio.low},
                                                          {"high", effect->ratio.high},
                                                          {"n", effect->ratio.n},
                                                          {"flags", texts(doubts(effect->flags))}}));
    }
    lines.push_back(json::object{{"label", line.label}, {"shade", line.shade}, {"points", std::move(points)}});
  }
  for (const auto& ratio : gain.published) {
    published.push_back(ratio ? json::value(*ratio) : json::value(nullptr));
  }
  charts.push_back(json::object{
      {"id", gain_id(scenario)}, {"pages", texts(gain.pages)}, {"lines", std::move(lines)}, {"published", std::move(published)}});
}

void add_percentiles(const Run& run, const ScenarioView& scenario, json::array& charts) {
  const Cells cells = timed(run, scenario);
  if (cells.empty()) {
    return;
  }
  json::array rows;
  for (const CellResult* cell : cells) {
    const CellTimes& times = run.times.at(cell->id);
    json::object one = row(*cell, cells);
    json::array us;
    for (const auto& each : times.us) {
      us.push_back(each ? json::value(*each) : json::value(nullptr));
    }
    one["us"] = std::move(us);
    one["count"] = times.count;
    rows.push_back(std::move(one));
  }
  charts.push_back(json::object{{"id", percentiles_id(scenario)}, {"rows", std::move(rows)}});
}

std::string value_of(const Selector& selector, const std::string& key) {
  const auto found = selector.find(key);
  return found == selector.end() ? "" : found->second;
}

std::optional<double> published_gain(const Playbook& playbook, const std::string& scenario, const std::string& page) {
  for (const Claim& claim : playbook.claims) {
    if (claim.kind == Claim::Kind::ratio && claim.published && value_of(claim.of, "scenario") == scenario &&
        value_of(claim.to, "scenario") == scenario && value_of(claim.of, "page") == page && value_of(claim.of, "crypto") == "hardware" &&
        value_of(claim.to, "crypto") == "software") {
      return claim.published;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string throughput_id(const ScenarioView& scenario, std::size_t panel) {
  return "throughput-" + scenario.id + "-" + std::to_string(panel);
}
std::string cpu_id(const ScenarioView& scenario) { return "cpu-" + scenario.id; }
std::string gain_id(const ScenarioView& scenario) { return "gain-" + scenario.id; }
std::string percentiles_id(const ScenarioView& scenario) { return "percentiles-" + scenario.id; }

Gain crypto_gain(const Run& run, const ScenarioView& scenario) {
  Gain gain;
  const Cells cells = measured(scenario.cells);
  const auto cpus = axis_values(cells, "cpus");
  std::vector<std::string> pages;
  for (const Effect& effect : effects_between(run, scenario, "crypto", "software", "hardware")) {
    const std::string page = axis(*effect.a, "page");
    auto column = std::ranges::find(pages, page);
    if (column == pages.end()) {
      pages.push_back(page);
      gain.pages.push_back(axis_text("page", page));
      gain.published.push_back(published_gain(run.playbook, scenario.id, page));
      column = pages.end() - 1;
    }
    const std::string label = cell_label(*effect.a, cells, {"page", "crypto"});
    auto line = std::ranges::find(gain.lines, label, &Gain::Line::label);
    if (line == gain.lines.end()) {
      const auto place = std::ranges::find(cpus, axis(*effect.a, "cpus")) - cpus.begin();
      gain.lines.push_back({label, cpus.size() > 1 ? std::min(2, static_cast<int>(place)) : 1, {}});
      line = gain.lines.end() - 1;
    }
    line->points.resize(std::max(line->points.size(), pages.size()));
    line->points[static_cast<std::size_t>(column - pages.begin())] = effect;
  }
  for (Gain::Line& line : gain.lines) {
    line.points.resize(pages.size());
  }
  return gain;
}

json::object chart_data(const Run& run) {
  json::array throughput, cpu, gain, percentiles;
  for (const ScenarioView& scenario : scenarios(run)) {
    add_throughput(run, scenario, throughput);
    add_cpu(run, scenario, cpu);
    add_gain(run, scenario, gain);
    add_percentiles(run, scenario, percentiles);
  }
  return {{"throughput", std::move(throughput)},
          {"cpu", std::move(cpu)},
          {"gain", std::move(gain)},
          {"percentiles", std::move(percentiles)},
          {"trials", series_data(run)}};
}

}  // namespace lab::report
