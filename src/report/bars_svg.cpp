#include "report/bars_svg.hpp"

#include "report/svg_parts.hpp"
#include "report/text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace lab::report {

namespace {

using svg::kAxis, svg::kLabels, svg::kRight, svg::kRow, svg::kWidth, svg::line, svg::text;

constexpr double kBar = 14, kHeading = 26;

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

std::string row_svg(const BarRow& row, double y, const Scale& scale) {
  std::string out = text(kLabels - 10, y + 4, "class=\"l\" text-anchor=\"end\"", (row.flagged ? "⚑ " : "") + row.label);
  double sum = 0;
  for (const auto& [name, length] : row.segments) {
    const double from = scale.x(std::min(sum, sum + length)), to = scale.x(std::max(sum, sum + length));
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"/>\n", from, y - kBar / 2, to - from,
                       kBar, svg::color(name));
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
  const double top = svg::legend_bottom(chart.legend);
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
  return svg::picture(chart.title, y + kAxis, svg::legend(chart.legend) + axis_svg(chart, scale, top, y) + rows);
}

}  // namespace lab::report
