#include "report/chart_data.hpp"
#include "report/html_figure.hpp"
#include "report/html_parts.hpp"
#include "report/text.hpp"
#include "report/times_text.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace lab::report {

namespace {

std::string alternative(const Run& run, const Cells& cells) {
  std::vector<std::string> parts;
  for (const CellResult* cell : cells) {
    const CellTimes& times = run.times.at(cell->id);
    std::vector<std::string> figures;
    for (std::size_t i = 0; i < times.us.size(); ++i) {
      if (times.us[i]) {
        figures.push_back(fmt::format("{} {}", kPercentileNames[i], duration_text(*times.us[i])));
      }
    }
    parts.push_back(row_label(*cell, cells) + ": " + join(figures, ", "));
  }
  return fmt::format("{} by cell, on a logarithmic axis. {}.", times_title(run, cells), join(parts, "; "));
}

HtmlTable table_of(const Run& run, const ScenarioView& scenario, const Cells& cells) {
  HtmlTable table{times_title(run, cells) + " of scenario " + scenario.id + ", in µs", "percentiles", {{"Cell"}}, {}};
  const bool both = has_times(run, cells, true) && has_times(run, cells, false);
  if (both) {
    table.columns.push_back({"From"});
  }
  for (const char* name : kPercentileNames) {
    table.columns.push_back({std::string(name) + ", µs", true});
  }
  table.columns.push_back({"Exchanges", true});
  table.columns.push_back({"Trials", true});
  for (const CellResult* cell : cells) {
    const CellTimes& times = run.times.at(cell->id);
    std::vector<Td> row{td_html(escape_html(row_label(*cell, cells)) + flags_html(cell->flags))};
    if (both) {
      row.push_back(td(times.latency ? "due instant" : "sending"));
    }
    for (const auto& us : times.us) {
      row.push_back(us ? td(*us, number(*us)) : td("–"));
    }
    row.push_back(td(static_cast<double>(times.count), count_text(times.count)));
    row.push_back(td(times.trials, std::to_string(times.trials)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::string percentiles_html(const Run& run, const ScenarioView& scenario) {
  const Cells cells = timed(run, scenario);
  if (cells.empty()) {
    return "";
  }
  Legend legend;
  for (std::size_t i = 0; i < kPercentileNames.size(); ++i) {
    legend.emplace_back(fmt::format("p{}", i), kPercentileNames[i]);
  }
  const std::string caption = fmt::format(
      "<b>{}</b> by cell, on a logarithmic axis: percentiles of one histogram over all trials of a cell; one is left out where fewer than "
      "ten exchanges lie beyond it.{}",
      times_title(run, cells), escape_html(" " + times_meaning(run, cells)));
  return figure_html(run, caption, legend_html(legend) + chart_html(percentiles_id(scenario), "percentiles", alternative(run, cells)),
                     table_of(run, scenario, cells));
}

}  // namespace lab::report
