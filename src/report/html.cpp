#include "report/html.hpp"

#include "report/chart_data.hpp"
#include "report/html_parts.hpp"
#include "report/template.hpp"
#include "report/text.hpp"

#include <fmt/format.h>
#include <boost/json.hpp>

namespace lab::report {

namespace {

std::string entry(const std::string& id, const std::string& text) {
  return fmt::format("<li><a href=\"#{}\">{}</a></li>\n", escape_html(id), escape_html(text));
}

std::string contents_html(const Run& run, const std::vector<ScenarioView>& views) {
  std::string out = entry("summary", "Summary") + entry("claims", "Claims") + entry("flags", "Flags");
  for (const ScenarioView& view : views) {
    out += entry("scenario-" + view.id, "Scenario " + view.id);
  }
  if (!run.lab.nodes.empty()) {
    out += entry("topology", "Topology");
  }
  out += entry("environment", "Environment") + entry("method", "Method") + entry("cells", "Every cell");
  if (!run.results.pairs.empty()) {
    out += entry("pairs", "Every pair");
  }
  if (!run.shown.empty()) {
    out += entry("trials", "One trial");
  }
  return out + entry("repeat", "Repeat it");
}

}  // namespace

std::string render_html(const Run& run) {
  const auto views = scenarios(run);
  std::string body = summary_html(run) + claims_html(run) + flags_section_html(run);
  for (const ScenarioView& view : views) {
    body += scenario_html(run, view);
  }
  body += appendix_html(run);
  return filled(asset("template.html"), {{"title", escape_html(run_title(run))},
                                         {"when", escape_html(instant_text(run.record.started))},
                                         {"run", escape_html(run.record.name)},
                                         {"contents", contents_html(run, views)},
                                         {"body", std::move(body)},
                                         {"style", std::string(asset("palette.css")) + std::string(asset("style.css"))},
                                         {"data", escape_script(boost::json::serialize(chart_data(run)))},
                                         {"script", std::string(asset("charts.js"))}});
}

}  // namespace lab::report
