#include "report/percentiles_svg.hpp"

#include "report/svg_parts.hpp"
#include "report/text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace lab::report {

namespace {

using svg::kAxis, svg::kLabels, svg::kRight, svg::kRow, svg::kWidth, svg::line, svg::text;

struct Decades {
  int first = 0, last = 1;  // powers of ten, in µs

  double x(double us) const {
    const double part = (std::log10(std::max(us, 1e-3)) - first) / (last - first);
    return kLabels + part * (kWidth - kLabels - kRight);
  }
};

Decades decades_of(const Run& run, const Cells& cells) {
  double low = 1e12, high = 1e-3;
  for (const CellResult* cell : cells) {
    for (const auto& us : run.times.at(cell->id).us) {
      if (us) {
        low = std::min(low, *us);
        high = std::max(high, *us);
      }
    }
  }
  const int first = static_cast<int>(std::floor(std::log10(std::max(std::min(low, high), 1e-3))));
  return {first, std::max(first + 1, static_cast<int>(std::ceil(std::log10(high))))};
}

// "1 µs", "100 ms", "10 s"
std::string decade_text(int power) {
  return power < 3   ? fmt::format("{:g} µs", std::pow(10, power))
         : power < 6 ? fmt::format("{:g} ms", std::pow(10, power - 3))
                     : fmt::format("{:g} s", std::pow(10, power - 6));
}

std::string axis_of(const Decades& scale, double top, double bottom) {
  std::string out;
  for (int power = scale.first; power <= scale.last; ++power) {
    const double x = scale.x(std::pow(10, power));
    out += line(x, top, x, bottom, "class=\"g\"") + text(x, bottom + 16, "class=\"t\" text-anchor=\"middle\"", decade_text(power));
  }
  return out + text((kLabels + kWidth - kRight) / 2, bottom + 34, "class=\"t\" text-anchor=\"middle\"", "time, logarithmic");
}

std::string row_of(const CellResult& cell, const Cells& cells, const CellTimes& times, double y, const Decades& scale) {
  const bool flagged = !doubts(cell.flags).empty();
  std::string out = text(kLabels - 10, y + 4, "class=\"l\" text-anchor=\"end\"", (flagged ? "⚑ " : "") + row_label(cell, cells));
  std::string marks;
  double from = kWidth, to = 0;
  for (std::size_t i = 0; i < times.us.size(); ++i) {
    if (times.us[i]) {
      const double x = scale.x(*times.us[i]);
      from = std::min(from, x);
      to = std::max(to, x);
      marks += svg::mark(fmt::format("p{}", i), x, y);
    }
  }
  out += line(from, y, to, y, "class=\"z\" opacity=\".6\"") + marks;
  return out + text(to + 10, y + 4, "class=\"v\"", times.us.back() ? duration_text(*times.us.back()) : "");
}

}  // namespace

std::string percentiles_svg(const std::string& title, const Run& run, const Cells& cells) {
  svg::Legend names;
  for (std::size_t i = 0; i < kPercentileNames.size(); ++i) {
    names.emplace_back(fmt::format("p{}", i), kPercentileNames[i]);
  }
  const Decades scale = decades_of(run, cells);
  const double top = svg::legend_bottom(names);
  double y = top;
  std::string rows;
  for (const CellResult* cell : cells) {
    rows += row_of(*cell, cells, run.times.at(cell->id), y + kRow / 2, scale);
    y += kRow;
  }
  return svg::picture(title, y + kAxis, svg::legend(names) + axis_of(scale, top, y) + rows);
}

}  // namespace lab::report
