#include "report/chart_files.hpp"

#include "report/bars_svg.hpp"
#include "report/chart_data.hpp"
#include "report/percentiles_svg.hpp"
#include "report/text.hpp"
#include "report/times_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>

namespace lab::report {

namespace {

// A scenario's id is part of a file's name, whoever wrote the run's files.
std::string file_name(const char* what, const ScenarioView& scenario) {
  std::string id = scenario.id;
  std::ranges::replace_if(
      id, [](unsigned char c) { return std::isalnum(c) == 0 && c != '-'; }, '_');
  return fmt::format("{}-{}.svg", what, id);
}

std::vector<double> rates_of(const Run& run, const CellResult& cell) {
  std::vector<double> rates;
  for (const Trial* trial : trials_of(run, cell.id)) {
    for (const Side& side : trial->sides) {
      if (side.cell == cell.id && trial->kind != "aa" && trial->failed.empty()) {
        rates.push_back(side.pages_per_s);
      }
    }
  }
  return rates;
}

std::optional<std::pair<double, double>> whisker(const Interval& value) {
  return value.n > 1 ? std::optional(std::pair(value.low, value.high)) : std::nullopt;
}

ChartFile throughput_file(const Run& run, const ScenarioView& scenario) {
  BarChart chart{"Scenario " + scenario.id + ": throughput", "pages a second; whiskers are intervals, dots trials", {}, {}};
  for (const Panel& panel : throughput_panels(scenario)) {
    for (const Series& series : panel.series) {
      const std::pair entry(fmt::format("h{}-{}", series.hue, series.shade), series.label);
      if (std::ranges::find(chart.legend, entry) == chart.legend.end()) {
        chart.legend.push_back(entry);
      }
    }
    for (std::size_t i = 0; i < panel.clients.size(); ++i) {
      std::string heading = join({panel.title, panel.clients[i] + " clients"}, ", ");
      for (const Series& series : panel.series) {
        if (const CellResult* cell = series.points[i]; cell != nullptr) {
          chart.rows.push_back({std::exchange(heading, {}),
                                series.label,
                                {{fmt::format("h{}-{}", series.hue, series.shade), cell->pages_per_s.median}},
                                whisker(cell->pages_per_s),
                                rates_of(run, *cell),
                                std::nullopt,
                                number(cell->pages_per_s.median),
                                !doubts(cell->flags).empty()});
        }
      }
    }
  }
  return {file_name("throughput", scenario), chart.title, bars_svg(chart)};
}

ChartFile cpu_file(const Run& run, const ScenarioView& scenario) {
  const Cells cells = measured(scenario.cells);
  const NodeUse use = node_use(cells);
  BarChart chart{"Scenario " + scenario.id + ": CPU by node", "host CPUs in use", {}, {}};
  const auto color = [&](const std::string& node) { return "n" + std::to_string(node_color(run.results, node)); };
  for (const std::string& node : use.shown) {
    chart.legend.emplace_back(color(node), node);
  }
  for (const CellResult* cell : cells) {
    BarRow row{{}, row_label(*cell, cells), {}, std::nullopt, {}, std::nullopt, {}, !doubts(cell->flags).empty()};
    double sum = 0;
    for (const std::string& node : use.shown) {
      row.segments.emplace_back(color(node), host_cpus(*cell, node));
      sum += row.segments.back().second;
    }
    row.value = fmt::format("{:.2f}", sum);
    chart.rows.push_back(std::move(row));
  }
  return {file_name("cpu", scenario), chart.title, bars_svg(chart)};
}

std::string lowered(std::string title) {
  title.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(title.front())));
  return title;
}

double percent_of(double ratio) { return (ratio - 1) * 100; }

ChartFile gain_file(const ScenarioView& scenario, const Gain& gain) {
  BarChart chart{"Scenario " + scenario.id + ": gain from hardware crypto", "percent more pages a second; diamonds were published", {}, {}};
  for (std::size_t page = 0; page < gain.pages.size(); ++page) {
    std::string heading = gain.pages[page];
    for (const Gain::Line& each : gain.lines) {
      if (const auto& point = each.points[page]) {
        const Interval& ratio = point->ratio;
        BarRow row{std::exchange(heading, {}),
                   each.label.empty() ? "hardware ÷ software" : each.label,
                   {{"h1-" + std::to_string(each.shade), percent_of(ratio.median)}},
                   std::nullopt,
                   {},
                   std::nullopt,
                   change(ratio.median),
                   !doubts(point->flags).empty()};
        if (ratio.n > 1) {
          row.whisker = std::pair(percent_of(ratio.low), percent_of(ratio.high));
        }
        if (gain.published[page]) {
          row.mark = percent_of(*gain.published[page]);
        }
        chart.rows.push_back(std::move(row));
      }
    }
  }
  return {file_name("gain", scenario), chart.title, bars_svg(chart)};
}

}  // namespace

std::vector<ChartFile> chart_files(const Run& run, const ScenarioView& scenario) {
  if (measured(scenario.cells).empty()) {
    return {};
  }
  std::vector<ChartFile> files{throughput_file(run, scenario), cpu_file(run, scenario)};
  if (const Gain gain = crypto_gain(run, scenario); !gain.lines.empty()) {
    files.push_back(gain_file(scenario, gain));
  }
  if (const Cells cells = timed(run, scenario); !cells.empty()) {
    const std::string title = fmt::format("Scenario {}: {} by cell", scenario.id, lowered(times_title(run, cells)));
    files.push_back({file_name("percentiles", scenario), title, percentiles_svg(title, run, cells)});
  }
  return files;
}

}  // namespace lab::report
