#include "report/runs_page.hpp"

#include "report/html_parts.hpp"
#include "report/html_table.hpp"
#include "report/template.hpp"
#include "report/text.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace lab::report {

namespace {

constexpr double kWidth = 220, kHeight = 44, kEdge = 6;
constexpr std::size_t kMostPoints = 60;  // of a picture: the latest

bool measured(const store::TrendPoint& point) { return point.status == "measured"; }

std::vector<store::TrendPoint> drawn(const store::Trend& trend) {
  std::vector<store::TrendPoint> points;
  std::ranges::copy_if(trend.points, std::back_inserter(points), measured);
  if (points.size() > kMostPoints) {
    points.erase(points.begin(), points.end() - static_cast<std::ptrdiff_t>(kMostPoints));
  }
  return points;
}

// From the least to the greatest value drawn; a fifth of the greatest at least, so that noise does not look like a mountain.
struct Scale {
  double low = 0, high = 1;
  double y(double value) const { return kHeight - kEdge - (value - low) / (high - low) * (kHeight - 2 * kEdge); }
};

Scale scale_of(const std::vector<store::TrendPoint>& points) {
  double low = points.front().pages_per_s.low, high = points.front().pages_per_s.high;
  for (const auto& point : points) {
    low = std::min(low, point.pages_per_s.low);
    high = std::max(high, point.pages_per_s.high);
  }
  const double missing = std::max(high * 0.2, 1e-9) - (high - low);
  return missing <= 0 ? Scale{low, high} : Scale{low - missing / 2, high + missing / 2};
}

std::string trend_svg(const std::vector<store::TrendPoint>& points) {
  const Scale scale = scale_of(points);
  const double step = points.size() < 2 ? 0 : (kWidth - 2 * kEdge) / static_cast<double>(points.size() - 1);
  std::string line, intervals, dots;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Interval& rate = points[i].pages_per_s;
    const double x = points.size() < 2 ? kWidth / 2 : kEdge + step * static_cast<double>(i), y = scale.y(rate.median);
    line += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : "L", x, y);
    intervals += fmt::format("M{:.1f} {:.1f}V{:.1f}", x, scale.y(rate.low), scale.y(rate.high));
    dots +=
        fmt::format("<circle{} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.6\"/>", doubts(points[i].flags).empty() ? "" : " class=\"flagged\"", x, y);
  }
  return fmt::format(
      "<svg class=\"trend\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}, from {} to {} pages a second\">"
      "<path class=\"interval\" d=\"{}\"/><path class=\"line\" d=\"{}\"/>{}</svg>",
      kWidth, kHeight, count(points.size(), "run", "runs"), number(points.front().pages_per_s.median),
      number(points.back().pages_per_s.median), intervals, line, dots);
}

std::string cells_text(const store::RunSummary& run) {
  std::vector<std::string> parts{fmt::format("{} measured", run.measured)};
  for (const auto& [n, word] : {std::pair{run.skipped, "skipped"}, {run.failed, "failed"}, {run.flagged, "flagged"}}) {
    if (n > 0) {
      parts.push_back(fmt::format("{} {}", n, word));
    }
  }
  return join(parts, ", ");
}

std::string runs_html(const std::vector<ListedRun>& runs) {
  HtmlTable table{"All runs, the latest first",
                  "facts cards",
                  {{"Run"}, {"Begun"}, {"State"}, {"Profile"}, {"Trials", true}, {"Cells"}, {"Claims"}},
                  {}};
  for (const auto& [run, report] : runs) {
    const std::string name = "<code>" + escape_html(run.name) + "</code>";
    const bool claims = run.agrees + run.differs + run.cannot_tell > 0;
    table.rows.push_back(
        {td_html(report.empty() ? name : fmt::format("<a href=\"{}\">{}</a>", escape_html(url_path(report)), name)),
         td(instant_text(run.started)), td(run.state), td(run.profile), td(run.trials, std::to_string(run.trials)), td(cells_text(run)),
         td(claims ? fmt::format("{} agree, {} differ, {} cannot be told", run.agrees, run.differs, run.cannot_tell) : "–")});
  }
  return to_html(table);
}

Section trends_section(const std::string& lab, const std::string& playbook, const std::vector<const store::Trend*>& trends) {
  HtmlTable table{fmt::format("Cells of {} on {} over all runs", playbook, lab),
                  "changes cards",
                  {{"Cell"}, {"Pages/s over the runs"}, {"Runs", true}, {"Latest", true}, {"Interval", true}, {"Flags"}},
                  {}};
  for (const store::Trend* trend : trends) {
    const auto points = drawn(*trend);
    if (points.empty()) {
      continue;
    }
    const Interval& rate = points.back().pages_per_s;
    table.rows.push_back({td_html("<code>" + breakable(trend->cell) + "</code>"), td_html(trend_svg(points)),
                          td(static_cast<double>(points.size()), std::to_string(points.size())), td(rate.median, number(rate.median)),
                          td(rate.n > 1 ? range(rate.low, rate.high, number) : "–"), td(join(doubts(points.back().flags), ", "))});
  }
  const std::string id = fmt::format("trend-{}-{}", lab, playbook);
  return {
      id, fmt::format("{} on {}", playbook, lab),
      "<p>One dot a run, the oldest to the left, its interval as a line; hollow where the run flagged the cell. Each picture has its own "
      "scale. Whether two runs differ is for <code>lab compare</code> to say.</p>\n" +
          to_html(table)};
}

}  // namespace

std::string url_path(const std::string& path) {
  std::string out;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string runs_page(const std::vector<ListedRun>& runs, const std::vector<store::Trend>& trends) {
  std::vector<Section> sections{{"runs", "Runs", runs.empty() ? "<p>There are none yet.</p>\n" : runs_html(runs)}};
  for (auto from = trends.begin(); from != trends.end();) {
    const auto to = std::find_if(from, trends.end(),
                                 [&](const store::Trend& each) { return each.lab != from->lab || each.playbook != from->playbook; });
    std::vector<const store::Trend*> group;
    std::transform(from, to, std::back_inserter(group), [](const store::Trend& each) { return &each; });
    sections.push_back(trends_section(from->lab, from->playbook, group));
    from = to;
  }
  return plain_page("lab runs", count(runs.size(), "run", "runs"),
                    runs.empty() ? "" : "the latest begun " + instant_text(runs.front().run.started), sections);
}

}  // namespace lab::report
