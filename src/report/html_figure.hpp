// What figures are made of: caption, legend, the place of a chart that the script draws, the numbers as a table.
#pragma once

#include "report/html_table.hpp"

#include <string>
#include <tuple>
#include <vector>

namespace lab::report {

using Legend = std::vector<std::tuple<std::string, std::string>>;  // CSS class of the swatch, and text

std::string legend_html(const Legend& entries);
std::string chart_html(const std::string& id, const std::string& style, const std::string& alternative);
std::string figure_html(const std::string& caption, const std::string& body, const HtmlTable& table);  // the caption is markup

}  // namespace lab::report
