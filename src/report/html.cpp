#include "report/html.hpp"

#include "embedded_report.hpp"
#include "report/chart_data.hpp"
#include "report/html_parts.hpp"
#include "report/text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <boost/json.hpp>

namespace lab::report {

namespace {

std::string_view asset(std::string_view ending) {
  const auto files = embedded_report();
  const auto file = std::ranges::find_if(files, [&](const EmbeddedFile& each) { return each.name.ends_with(ending); });
  return file == files.end() ? std::string_view{} : file->text;
}

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
  return out + entry("environment", "Environment") + entry("method", "Method") + entry("cells", "Every cell") +
         entry("repeat", "Repeat it");
}

// Replaces each {{name}} of the template once; what is put in is not looked at again.
std::string filled(std::string_view page, const std::vector<std::pair<std::string_view, std::string>>& values) {
  std::string out;
  for (auto open = page.find("{{"); open != std::string_view::npos; open = page.find("{{")) {
    const auto close = page.find("}}", open);
    const auto name = page.substr(open + 2, close - open - 2);
    const auto value = std::ranges::find(values, name, [](const auto& each) { return each.first; });
    out += page.substr(0, open);
    out += value == values.end() ? "" : value->second;
    page.remove_prefix(close + 2);
  }
  return out.append(page);
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
                                         {"style", std::string(asset("style.css"))},
                                         {"data", escape_script(boost::json::serialize(chart_data(run)))},
                                         {"script", std::string(asset("charts.js"))}});
}

}  // namespace lab::report
