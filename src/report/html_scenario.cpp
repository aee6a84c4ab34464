#include "report/chart_data.hpp"
#include "report/host.hpp"
#include "report/html_figure.hpp"
#include "report/html_parts.hpp"
#include "report/observations.hpp"
#include "report/text.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace lab::report {

namespace {

std::string login_text(LoginMode login) {
  switch (login) {
    case LoginMode::none: return "Nobody logs in.";
    case LoginMode::once: return "Each client logs in once with basic authentication and keeps its session.";
    case LoginMode::every: return "Every request logs in anew, as another user.";
  }
  return {};
}

std::string handshake_text(HandshakeMode mode) {
  switch (mode) {
    case HandshakeMode::once: return "one handshake a client";
    case HandshakeMode::resume: return "a resumed handshake with every request";
    case HandshakeMode::full: return "a full handshake with every request";
  }
  return {};
}

std::string junction_text(const JunctionPlan& junction) {
  switch (junction.type) {
    case JunctionType::tcp: return "TCP junction " + junction.point + " to " + listing(junction.servers);
    case JunctionType::ssl: return "SSL junction " + junction.point + " to " + listing(junction.servers);
    default: return "local page of the gateway";
  }
}

std::string tls_text(const ScenarioView& scenario) {
  for (const CellResult* cell : scenario.cells) {
    if (!cell->tls_version.empty()) {
      const std::string protocol = cell->tls_version.starts_with("TLS") ? "" : "TLS ";
      return fmt::format("{}{}, {}, {}", protocol, cell->tls_version, cell->tls_cipher,
                         scenario.settings != nullptr ? handshake_text(scenario.settings->tls.handshake) : "as negotiated");
    }
  }
  return "none";
}

std::string axis_title(const std::string& name) {
  return name == "cpus"      ? "Gateway CPUs"
         : name == "page"    ? "Pages"
         : name == "gateway" ? "Gateway kind"
         : name == "busy"    ? "Busy guests"
                             : name;
}

std::string configuration_html(const ScenarioView& scenario) {
  Facts facts;
  if (const Scenario* settings = scenario.settings; settings != nullptr) {
    facts.emplace_back("Client side", settings->https ? "HTTPS" : "HTTP");
    facts.emplace_back("TLS", tls_text(scenario));
    facts.emplace_back("Behind the gateway", junction_text(settings->junction));
    facts.emplace_back("Login", login_text(settings->login));
  }
  for (const auto& [name, value] : scenario.cells.front()->axes) {
    std::vector<std::string> values = axis_values(scenario.cells, name);
    std::ranges::transform(values, values.begin(), [&, key = name](const std::string& each) { return axis_text(key, each); });
    facts.emplace_back(axis_title(name), join(values, " · "));
  }
  std::string out = "<dl class=\"facts\">\n";
  for (const auto& [name, value] : facts) {
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escape_html(name), escape_html(value));
  }
  return out + "</dl>\n";
}

// What a whisker is: an interval wants six repeats.
std::string whiskers(const Cells& cells) {
  const bool few = std::ranges::any_of(cells, [](const CellResult* cell) { return cell->pages_per_s.n < kEnoughRepeats; });
  return few ? "the range of few repeats (indicative)" : "95% intervals";
}

Td rate_cell(const CellResult& cell) {
  return {escape_html(number(cell.pages_per_s.median)) + flags_html(cell.flags), cell.pages_per_s.median};
}

std::string interval_cell(const Interval& value) { return value.n > 1 ? range(value.low, value.high, number) : "–"; }

std::string panel_alternative(const Panel& panel) {
  std::vector<std::string> parts;
  for (const Series& series : panel.series) {
    for (const CellResult* cell : series.points) {
      if (cell != nullptr) {
        parts.push_back(
            fmt::format("{}, {}: {}", series.label, axis_text("clients", axis(*cell, "clients")), number(cell->pages_per_s.median)));
      }
    }
  }
  return fmt::format("Bar chart of pages a second at {}. {}.", panel.title, join(parts, "; "));
}

std::string throughput_html(const Run& run, const ScenarioView& scenario) {
  const auto panels = throughput_panels(scenario);
  Legend legend;
  std::string charts = "<div class=\"panels\">\n";
  HtmlTable table{"Throughput of scenario " + scenario.id,
                  "throughput",
                  {{"Cell"}, {"Pages/s", true}, {"Interval", true}, {"n", true}, {"Per client", true}, {"Limited by"}},
                  {}};
  for (std::size_t i = 0; i < panels.size(); ++i) {
    for (const Series& series : panels[i].series) {
      Legend::value_type entry(fmt::format("h{}-{}", series.hue, series.shade), series.label);
      if (std::ranges::find(legend, entry) == legend.end()) {
        legend.push_back(std::move(entry));
      }
      for (const CellResult* cell : series.points) {
        if (cell != nullptr) {
          const double clients = std::max(1.0, std::atof(axis(*cell, "clients").c_str()));
          const double each = cell->pages_per_s.median / clients;
          table.rows.push_back({td(row_label(*cell, scenario.cells)), rate_cell(*cell), td(interval_cell(cell->pages_per_s)),
                                td(cell->pages_per_s.n, std::to_string(cell->pages_per_s.n)), td(each, number(each)),
                                td(cell->limited_by)});
        }
      }
    }
    charts += fmt::format("<div class=\"panel\">{}{}</div>\n", panels.size() > 1 ? "<h4>" + escape_html(panels[i].title) + "</h4>\n" : "",
                          chart_html(throughput_id(scenario, i), "throughput", panel_alternative(panels[i])));
  }
  charts += "</div>\n";
  return figure_html(run,
                     "<b>Throughput</b> in pages a second, by clients. Bars are medians, whiskers " + whiskers(measured(scenario.cells)) +
                         ", every dot is one trial; hollow dots are flagged.",
                     legend_html(legend) + charts, table);
}

std::string cpu_alternative(const Cells& cells, const NodeUse& use) {
  std::vector<std::string> parts;
  for (const CellResult* cell : cells) {
    std::vector<std::string> nodes;
    for (const std::string& node : use.shown) {
      nodes.push_back(fmt::format("{} {:.2f}", node, host_cpus(*cell, node)));
    }
    parts.push_back(row_label(*cell, cells) + ": " + join(nodes, ", "));
  }
  return "Stacked bars of host CPUs in use by node. " + join(parts, "; ") + ".";
}

std::string cpu_html(const Run& run, const ScenarioView& scenario) {
  const Cells cells = measured(scenario.cells);
  const NodeUse use = node_use(cells);
  Legend legend;
  HtmlTable table{"CPU use in scenario " + scenario.id + ", share of each node's allotment and of each machine", "cpu", {{"Cell"}}, {}};
  for (const std::string& node : use.shown) {
    legend.emplace_back("n" + std::to_string(node_color(run.results, node)), node);
  }
  std::vector<std::string> nodes, machines;
  for (const CellResult* cell : cells) {
    for (const auto& each : cell->cpu) {
      if (std::ranges::find(nodes, each.first) == nodes.end()) {
        nodes.push_back(each.first);
      }
    }
    for (const auto& each : cell->machines) {
      if (std::ranges::find(machines, each.first) == machines.end()) {
        machines.push_back(each.first);
      }
    }
  }
  for (const std::string& node : nodes) {
    table.columns.push_back({node, true});
  }
  for (const std::string& machine : machines) {
    table.columns.push_back({"machine " + machine, true});
    legend.emplace_back("m" + std::to_string(machine_color(run.results, machine)), machine + ", the whole machine");
  }
  for (const CellResult* cell : cells) {
    std::vector<Td> row{td_html(escape_html(row_label(*cell, cells)) + flags_html(cell->flags))};
    const auto add = [&row](const std::map<std::string, double>& shares, const std::string& name) {
      const auto share = shares.find(name);
      row.push_back(share == shares.end() ? td("–") : td(share->second, percent(share->second)));
    };
    std::ranges::for_each(nodes, [&](const std::string& node) { add(cell->cpu, node); });
    std::ranges::for_each(machines, [&](const std::string& machine) { add(cell->machines, machine); });
    table.rows.push_back(std::move(row));
  }
  std::string caption = "<b>CPU</b> in use, in host CPUs, stacked by node; the line is the use of the whole machine.";
  if (!use.near_zero.empty()) {
    caption += escape_html(" Left out, near zero: " + listing(use.near_zero) + ".");
  }
  return figure_html(run, caption, legend_html(legend) + chart_html(cpu_id(scenario), "cpu", cpu_alternative(cells, use)), table);
}

std::string gain_html(const Run& run, const ScenarioView& scenario) {
  const Gain gain = crypto_gain(run, scenario);
  if (gain.lines.empty()) {
    return "";
  }
  Legend legend;
  std::vector<std::string> parts;
  HtmlTable table{"Gain from hardware crypto in scenario " + scenario.id,
                  "gain",
                  {{"Page"}, {"Cells"}, {"Gain", true}, {"Hardware ÷ software", true}, {"Published", true}},
                  {}};
  for (const Gain::Line& line : gain.lines) {
    legend.emplace_back("h1-" + std::to_string(line.shade), line.label.empty() ? "hardware ÷ software" : line.label);
    for (std::size_t i = 0; i < gain.pages.size(); ++i) {
      if (const auto& point = line.points[i]) {
        table.rows.push_back({td(gain.pages[i]), td(line.label),
                              Td{escape_html(change(point->ratio.median)) + flags_html(point->flags), point->ratio.median - 1},
                              td(point->ratio.median, with_interval(point->ratio)),
                              td(gain.published[i] ? change(*gain.published[i]) : "–")});
        parts.push_back(fmt::format("{}{}{}: {}", gain.pages[i], line.label.empty() ? "" : ", ", line.label, change(point->ratio.median)));
      }
    }
  }
  const bool published = std::ranges::any_of(gain.published, [](const auto& each) { return each.has_value(); });
  if (published) {
    legend.emplace_back("published", repeats_study(run) ? "published in 2007" : "published");
  }
  return figure_html(
      run,
      "<b>Gain from hardware crypto</b> by page size, in pages a second per client. Whiskers are " + whiskers(measured(scenario.cells)) +
          ".",
      legend_html(legend) +
          chart_html(gain_id(scenario), "gain", "Bar chart of the gain from hardware crypto by page size. " + join(parts, "; ") + "."),
      table);
}

}  // namespace

std::string scenario_setting(const ScenarioView& scenario) {
  const Scenario* settings = scenario.settings;
  if (settings == nullptr) {
    return "This run keeps no playbook, so its settings are not known.";
  }
  std::string text = fmt::format("Clients fetch {} over {} through the gateway",
                                 listing([&] {
                                   std::vector<std::string> pages = axis_values(scenario.cells, "page");
                                   std::ranges::transform(pages, pages.begin(), [](const auto& page) { return axis_text("page", page); });
                                   return pages;
                                 }()) +
                                     " pages",
                                 settings->https ? "HTTPS" : "HTTP");
  text += settings->junction.type == JunctionType::local ? ", which serves them itself. "
                                                         : ", which fetches them over a " + junction_text(settings->junction) + ". ";
  text += login_text(settings->login);
  return settings->notes.empty() ? text : text + " " + settings->notes;
}

std::string scenario_html(const Run& run, const ScenarioView& scenario) {
  const std::string id = "scenario-" + scenario.id;
  std::string out =
      fmt::format("<section id=\"{}\" class=\"scenario\">\n<p class=\"eyebrow\">Scenario {}</p>\n<h2>{}</h2>\n", escape_html(id),
                  escape_html(scenario.id), escape_html(scenario.title.empty() ? "Scenario " + scenario.id : scenario.title));
  out += "<h3>What is measured</h3>\n<p>" + escape_html(scenario_setting(scenario)) + "</p>\n";
  out += "<h3>Configuration</h3>\n" + configuration_html(scenario);
  if (!measured(scenario.cells).empty()) {
    out += throughput_html(run, scenario) + cpu_html(run, scenario) + gain_html(run, scenario) + percentiles_html(run, scenario);
  }
  out += "<h3>Observations</h3>\n" + list_html(observations(run, scenario), "plain");
  out += "<div class=\"box conclusion\">\n<h3>Conclusion</h3>\n<p>" + escape_html(conclusion(run, scenario)) + "</p>\n</div>\n";
  return out + "</section>\n";
}

}  // namespace lab::report
