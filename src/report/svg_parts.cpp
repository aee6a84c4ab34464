#include "report/svg_parts.hpp"

#include "report/template.hpp"
#include "report/text.hpp"

#include <fmt/format.h>
#include <cmath>

namespace lab::report::svg {

namespace {

constexpr double kLegendLine = 20;
constexpr std::size_t kLegendColumns = 3;

}  // namespace

std::string color(const std::string& name) {
  const std::string_view css = asset("palette.css");
  const std::string key = "--" + name + ": ";
  const auto at = css.find(key);
  return at == std::string_view::npos ? "#000000" : std::string(css.substr(at + key.size(), css.find(';', at) - at - key.size()));
}

std::string text(double x, double y, std::string_view style, std::string_view content) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, style, escape_html(content));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view style) {
  return fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" {}/>\n", x1, y1, x2, y2, style);
}

std::string mark(const std::string& name, double x, double y) {
  const std::string fill = color(name);
  if (name == "p0") {
    return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\" fill=\"{}\"/>\n", x, y, fill);
  }
  if (name == "p1") {
    return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"8\" height=\"8\" fill=\"{}\"/>\n", x - 4, y - 4, fill);
  }
  if (name == "p2") {
    return fmt::format("<path d=\"M{:.1f} {:.1f}l5.2 9.5h-10.4z\" fill=\"{}\"/>\n", x, y - 5, fill);
  }
  if (name == "p3") {
    return fmt::format("<path d=\"M{:.1f} {:.1f}l5.5 5.5l-5.5 5.5l-5.5 -5.5z\" fill=\"{}\"/>\n", x, y - 5.5, fill);
  }
  if (name == "p4") {
    return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"3\" height=\"14\" fill=\"{}\"/>\n", x - 1.5, y - 7, fill);
  }
  return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" rx=\"2\" fill=\"{}\"/>\n", x - 6, y - 6, fill);
}

std::string legend(const Legend& entries) {
  std::string out;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const double x = 16 + static_cast<double>(i % kLegendColumns) * 275, y = kTop + static_cast<double>(i / kLegendColumns) * kLegendLine;
    out += mark(entries[i].first, x + 6, y - 4) + text(x + 19, y, "class=\"l\"", entries[i].second);
  }
  return out;
}

double legend_bottom(const Legend& entries) { return kTop + std::ceil(static_cast<double>(entries.size()) / kLegendColumns) * kLegendLine; }

std::string picture(const std::string& title, double height, const std::string& content) {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\" "
             "aria-label=\"{2}\" font-family=\"-apple-system, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif\">\n<style>"
             ".l{{font-size:12px;fill:#1c2430}}.h{{font-size:12.5px;font-weight:600;fill:#1c2430}}.v{{font-size:12px;font-weight:600;fill:#"
             "1c2430}}"
             ".t{{font-size:11px;fill:#5a6370}}.g{{stroke:#e2dfd6}}.z{{stroke:#5a6370}}.w{{stroke:#1c2430;stroke-width:1.3}}"
             ".d{{fill:#1c2430;stroke:#fff;stroke-width:.8}}.m{{fill:#fff;stroke:#1c2430;stroke-width:1.6}}</style>\n"
             "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#fff\"/>\n"
             "<text x=\"16\" y=\"24\" font-size=\"15\" font-weight=\"600\" fill=\"#1c2430\">{2}</text>\n",
             kWidth, height, escape_html(title)) +
         content + "</svg>\n";
}

}  // namespace lab::report::svg
