#include "report/template.hpp"

#include "embedded_report.hpp"
#include "report/text.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace lab::report {

std::string_view asset(std::string_view ending) {
  const auto files = embedded_report();
  const auto file = std::ranges::find_if(files, [&](const EmbeddedFile& each) { return each.name.ends_with(ending); });
  return file == files.end() ? std::string_view{} : file->text;
}

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

std::string plain_page(const std::string& kind, const std::string& title, const std::string& meta, const std::vector<Section>& sections) {
  std::string contents, body;
  for (const Section& section : sections) {
    const std::string id = escape_html(section.id), heading = escape_html(section.title);
    contents += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", id, heading);
    body += fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", id, heading, section.html);
  }
  return filled(asset("plain.html"), {{"kind", escape_html(kind)},
                                      {"title", escape_html(title)},
                                      {"meta", escape_html(meta)},
                                      {"contents", std::move(contents)},
                                      {"body", std::move(body)},
                                      {"first", sections.empty() ? "" : escape_html(sections.front().id)},
                                      {"style", fmt::format("{}{}{}", asset("palette.css"), asset("style.css"), asset("plain.css"))}});
}

}  // namespace lab::report
