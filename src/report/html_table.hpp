// Tables and small pieces of markup. What is named `html` is markup already; every other text is escaped here.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lab::report {

struct Td {
  std::string html;
  std::optional<double> value;  // the exact number behind the text, kept in data-value
  int span = 1;                 // columns
};

Td td(const std::string& text);                // escaped
Td td(double value, const std::string& text);  // a number and how it is shown
Td td_html(std::string html);

struct Column {
  std::string title;
  bool numeric = false;
};

struct HtmlTable {
  std::string caption;  // read out; hidden where the heading above says the same
  std::string style;    // CSS classes; with "cards" as the last, rows are cards on narrow screens
  std::vector<Column> columns;
  std::vector<std::vector<Td>> rows;  // the first cell of each row is its header
};

std::string to_html(const HtmlTable& table);

std::string breakable(const std::string& id);  // a cell's or claim's id, escaped, which may be broken after each axis
std::string flags_html(const std::vector<std::string>& flags);  // "" for none
std::string list_html(const std::vector<std::string>& sentences, const std::string& style);

}  // namespace lab::report
