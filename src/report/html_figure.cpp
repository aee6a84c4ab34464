#include "report/html_figure.hpp"

#include "report/text.hpp"

#include <fmt/format.h>

namespace lab::report {

namespace {

constexpr std::size_t kMany = 2'000;  // cells

}  // namespace

std::string legend_html(const Legend& entries) {
  std::string out = "<ul class=\"legend\" aria-hidden=\"true\">\n";
  for (const auto& [style, label] : entries) {
    out += fmt::format("<li><span class=\"swatch {}\"></span>{}</li>\n", style, escape_html(label));
  }
  return out + "</ul>\n";
}

std::string chart_html(const std::string& id, const std::string& style, const std::string& alternative) {
  return fmt::format("<div class=\"chart {}\" id=\"{}\" role=\"img\" aria-label=\"{}\"></div>\n", style, escape_html(id),
                     escape_html(alternative));
}

std::string figure_html(const Run& run, const std::string& caption, const std::string& body, const HtmlTable& table) {
  const bool many = run.results.cells.size() > kMany;
  return fmt::format(
      "<figure>\n<figcaption>{}</figcaption>\n{}<details class=\"numbers\"><summary>The numbers</summary>\n{}{}{}</details>\n</figure>\n",
      caption, body, many ? "<noscript>" : "", to_html(table), many ? "</noscript>" : "");
}

}  // namespace lab::report
