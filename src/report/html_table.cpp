#include "report/html_table.hpp"

#include "report/text.hpp"

#include <fmt/format.h>

namespace lab::report {

namespace {

// A table of this class becomes cards on narrow screens, where each cell says what it is.
constexpr std::string_view kCards = "cards";

std::string cell_html(const Td& cell, const Column& column, bool header, bool card) {
  const std::string value = cell.value ? fmt::format(" data-value=\"{}\"", exact(*cell.value)) : "";
  const std::string style = column.numeric ? " class=\"number\"" : "";
  if (header) {
    return fmt::format("<th scope=\"row\"{}{}>{}</th>", style, value, cell.html);
  }
  const std::string span = cell.span > 1 ? fmt::format(" colspan=\"{}\"", cell.span) : "";
  const std::string label = card ? fmt::format(" data-label=\"{}\"", escape_html(column.title)) : "";
  return fmt::format("<td{}{}{}{}>{}</td>", label, style, value, span, cell.html);
}

}  // namespace

Td td(const std::string& text) { return {escape_html(text), {}}; }
Td td(double value, const std::string& text) { return {escape_html(text), value}; }
Td td_html(std::string html) { return {std::move(html), {}}; }

std::string to_html(const HtmlTable& table) {
  std::string out = fmt::format(
      "<div class=\"table-scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\">\n<table class=\"{1}\">\n"
      "<caption>{0}</caption>\n<thead><tr>",
      escape_html(table.caption), table.style);
  for (const Column& column : table.columns) {
    out += fmt::format("<th scope=\"col\"{}>{}</th>", column.numeric ? " class=\"number\"" : "", escape_html(column.title));
  }
  out += "</tr></thead>\n<tbody>\n";
  const bool cards = table.style.ends_with(kCards);
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size() && i < table.columns.size(); ++i) {
      out += cell_html(row[i], table.columns[i], i == 0, cards);
    }
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>\n</div>\n";
}

std::string breakable(const std::string& id) {
  std::string out;
  for (const char c : escape_html(id)) {
    out += c;
    out += c == '/' ? "<wbr>" : "";
  }
  return out;
}

std::string flags_html(const std::vector<std::string>& flags) {
  std::string out;
  for (const std::string& flag : flags) {
    const bool doubt = flag != "indicative";
    out +=
        fmt::format(" <a class=\"{}\" href=\"#flags\">{}{}</a>", doubt ? "flag" : "indicative", doubt ? "⚑\u00a0" : "", escape_html(flag));
  }
  return out;
}

std::string list_html(const std::vector<std::string>& sentences, const std::string& style) {
  std::string out = fmt::format("<ul class=\"{}\">\n", style);
  for (const std::string& sentence : sentences) {
    out += "<li>" + escape_html(sentence) + "</li>\n";
  }
  return out + "</ul>\n";
}

}  // namespace lab::report
