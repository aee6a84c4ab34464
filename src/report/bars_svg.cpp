#include "report/bars_svg.hpp"

#include "embedded_report.hpp"
#include "report/text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace lab::report {

namespace {

constexpr double kWidth = 860, kLabels = 250, kRight = 90, kRow = 24, kBar = 14, kHeading = 26, kTop = 46, kLegendLine = 20, kAxis = 44;
constexpr std::size_t kLegendColumns = 3;

// "#84cbc3" of "h1-0", as the palette has it for light pages; black for a name that it has not.
std::string color(const std::string& name) {
  const auto files = embedded_report();
  const auto file = std::ranges::find_if(files, [](const EmbeddedFile& each) { return each.name.ends_with("palette.css"); });
  const std::string_view css = file == files.end() ? std::string_view() : file->text;
  const std::string key = "--" + name + ": ";
  const auto at = css.find(key);
  return at == std::string_view::npos ? "#000000" : std::string(css.substr(at + key.size(), css.find(';', at) - at - key.size()));
}

struct Scale {
  double low = 0, high = 1, step = 1;  // of the axis, and of its ticks

  double x(double value) const { return kLabels + (value - low) / (high - low) * (kWidth - kLabels - kRight); }
};

// Whole steps of 1, 2 or 5 around zero and every value.
Scale scale_of(const std::vector<BarRow>& rows) {
  double low = 0, high = 0;
  const auto reach = [&](double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  };
  for (const BarRow& row : rows) {
    double sum = 0;
    for (const auto& segment : row.segments) {
      reach(sum += segment.second);
    }
    if (row.whisker) {
      reach(row.whisker->first);
      reach(row.whisker->second);
    }
    std::ranges::for_each(row.dots, reach);
    if (row.mark) {
      reach(*row.mark);
    }
  }
  const double rough = std::max(high - low, 1e-9) / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    step = factor * power >= rough ? factor * power : step;
  }
  return {std::floor(low / step) * step, std::max(std::ceil(high / step) * step, step), step};
}

std::string tick_text(double value, double step) {
  const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 6);
  return std::abs(value) >= 1000 && decimals == 0 ? number(value) : fmt::format("{:.{}f}", value + 0.0, decimals);
}

std::string text(double x, double y, std::string_view style, std::string_view content) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, style, escape_html(content));
}

std::string line(double x1, double y1, double x2, double y2, std::string_view style) {
  return fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" {}/>\n", x1, y1, x2, y2, style);
}

std::string legend_svg(const BarChart& chart) {
  std::string out;
  for (std::size_t i = 0; i < chart.legend.size(); ++i) {
    const std::size_t row = i / kLegendColumns;
    const double x = 16 + static_cast<double>(i % kLegendColumns) * 275, y = kTop + static_cast<double>(row) * kLegendLine;
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" rx=\"2\" fill=\"{}\"/>\n", x, y - 10,
                       color(chart.legend[i].first));
    out += text(x + 19, y, "class=\"l\"", chart.legend[i].second);
  }
  return out;
}

std::string row_svg(const BarRow& row, double y, const Scale& scale) {
  std::string out = text(kLabels - 10, y + 4, "class=\"l\" text-anchor=\"end\"", (row.flagged ? "⚑ " : "") + row.label);
  double sum = 0;
  for (const auto& [name, length] : row.segments) {
    const double from = scale.x(std::min(sum, sum + length)), to = scale.x(std::max(sum, sum + length));
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"/>\n", from, y - kBar / 2, to - from,
                       kBar, color(name));
    sum += length;
  }
  double end = scale.x(std::max(sum, 0.0));
  if (row.whisker) {
    const double low = scale.x(row.whisker->first), high = scale.x(row.whisker->second);
    out +=
        line(low, y, high, y, "class=\"w\"") + line(low, y - 4, low, y + 4, "class=\"w\"") + line(high, y - 4, high, y + 4, "class=\"w\"");
    end = std::max(end, high);
  }
  for (const double dot : row.dots) {
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.2\" class=\"d\"/>\n", scale.x(dot), y);
    end = std::max(end, scale.x(dot));
  }
  if (row.mark) {
    const double x = scale.x(*row.mark);
    out += fmt::format("<path d=\"M{0:.1f} {1:.1f}l6 6l-6 6l-6 -6z\" class=\"m\"/>\n", x, y - 6);
    end = std::max(end, x + 6);
  }
  return out + text(end + 8, y + 4, "class=\"v\"", row.value);
}

std::string axis_svg(const BarChart& chart, const Scale& scale, double top, double bottom) {
  std::string out;
  const auto steps = static_cast<int>(std::lround((scale.high - scale.low) / scale.step));
  for (int i = 0; i <= steps; ++i) {
    const double value = scale.low + i * scale.step;
    const double x = scale.x(value);
    out += line(x, top, x, bottom, std::abs(value) < scale.step / 2 ? "class=\"z\"" : "class=\"g\"");
    out += text(x, bottom + 16, "class=\"t\" text-anchor=\"middle\"", tick_text(std::abs(value) < scale.step / 2 ? 0 : value, scale.step));
  }
  return out + text((kLabels + kWidth - kRight) / 2, bottom + 34, "class=\"t\" text-anchor=\"middle\"", chart.unit);
}

}  // namespace

std::string bars_svg(const BarChart& chart) {
  const Scale scale = scale_of(chart.rows);
  const double lines = std::ceil(static_cast<double>(chart.legend.size()) / kLegendColumns);
  const double top = kTop + lines * kLegendLine;
  std::string rows;
  double y = top;
  for (const BarRow& row : chart.rows) {
    if (!row.heading.empty()) {
      y += kHeading;
      rows += text(16, y - 6, "class=\"h\"", row.heading);
    }
    rows += row_svg(row, y + kRow / 2, scale);
    y += kRow;
  }
  const std::string title = escape_html(chart.title);
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\" "
             "aria-label=\"{2}\" font-family=\"-apple-system, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif\">\n<style>"
             ".l{{font-size:12px;fill:#1c2430}}.h{{font-size:12.5px;font-weight:600;fill:#1c2430}}.v{{font-size:12px;font-weight:600;fill:#"
             "1c2430}}"
             ".t{{font-size:11px;fill:#5a6370}}.g{{stroke:#e2dfd6}}.z{{stroke:#5a6370}}.w{{stroke:#1c2430;stroke-width:1.3}}"
             ".d{{fill:#1c2430;stroke:#fff;stroke-width:.8}}.m{{fill:#fff;stroke:#1c2430;stroke-width:1.6}}</style>\n"
             "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#fff\"/>\n"
             "<text x=\"16\" y=\"24\" font-size=\"15\" font-weight=\"600\" fill=\"#1c2430\">{2}</text>\n",
             kWidth, y + kAxis, title) +
         legend_svg(chart) + axis_svg(chart, scale, top, y) + rows + "</svg>\n";
}

}  // namespace lab::report
