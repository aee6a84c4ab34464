// What figures are made of: caption, legend, the place of a chart that the script draws, the numbers as a table.
#pragma once

#include "report/html_table.hpp"
#include "report/report.hpp"

#include <string>
#include <tuple>
#include <vector>

namespace lab::report {

using Legend = std::vector<std::tuple<std::string, std::string>>;  // CSS class of the swatch, and text

std::string legend_html(const Legend& entries);
std::string chart_html(const std::string& id, const std::string& style, const std::string& alternative);
// The caption is markup. With many cells the numbers of all figures together would be most of what a browser reads before it shows the
// page: then they are there as markup for pages without a script, and the page's script makes them a table when they are asked for.
std::string figure_html(const Run& run, const std::string& caption, const std::string& body, const HtmlTable& table);

}  // namespace lab::report
