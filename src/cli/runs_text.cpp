#include "runs_text.hpp"

#include "run_text.hpp"
#include "store/read.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <boost/json.hpp>
#include <cmath>

namespace lab::cli {

namespace {

constexpr int kBar = 20;  // columns

boost::json::object to_json(const store::RunSummary& run) {
  return {{"name", run.name},
          {"lab", run.lab},
          {"playbook", run.playbook},
          {"profile", run.profile},
          {"started", run.started},
          {"state", run.state},
          {"trials", run.trials},
          {"cells", {{"measured", run.measured}, {"skipped", run.skipped}, {"failed", run.failed}, {"flagged", run.flagged}}},
          {"claims", {{"agrees", run.agrees}, {"differs", run.differs}, {"cannot-tell", run.cannot_tell}}}};
}

boost::json::object to_json(const store::TrendPoint& point) {
  const Interval& rate = point.pages_per_s;
  return {{"run", point.run},
          {"started", point.started},
          {"profile", point.profile},
          {"status", point.status},
          {"pages_per_s", {{"median", rate.median}, {"low", rate.low}, {"high", rate.high}, {"n", rate.n}}},
          {"flags", store::to_array(point.flags)}};
}

// Eighths of a column.
std::string bar(double share) {
  static constexpr const char* kParts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * kBar * 8));
  std::string text;
  for (int i = 0; i < eighths / 8; ++i) {
    text += "█";
  }
  return text + kParts[eighths % 8];
}

std::string point_line(const store::TrendPoint& point, double most) {
  const std::string when = point.started.substr(0, 10) + " " + (point.started.size() > 16 ? point.started.substr(11, 5) : "");
  std::string line = fmt::format("  {:<16} ", when);
  if (point.status == "measured") {
    const Interval& rate = point.pages_per_s;
    const std::string interval = rate.n > 1 ? rate_text(rate.low) + "–" + rate_text(rate.high) : "–";
    line += fmt::format("{:>9} {:>17} {:>3}  {:<{}}  {}", rate_text(rate.median), interval, rate.n, bar(most > 0 ? rate.median / most : 0),
                        kBar, fmt::join(point.flags, ", "));
    line.erase(line.find_last_not_of(' ') + 1);
  } else {
    line += point.status;
  }
  return line + "\n    " + point.run + (point.profile.empty() ? "" : ", " + point.profile) + "\n";
}

}  // namespace

std::string runs_text(const std::vector<store::RunSummary>& runs) {
  std::size_t width = 4;
  for (const store::RunSummary& run : runs) {
    width = std::max(width, run.name.size());
  }
  std::string text = fmt::format("{:<{}}  {:<10} {:>6}  {:>8} {:>7} {:>6} {:>7}  {:>6} {:>7} {:>11}\n", "run", width, "state", "trials",
                                 "measured", "skipped", "failed", "flagged", "agrees", "differs", "cannot-tell");
  for (const store::RunSummary& run : runs) {
    text += fmt::format("{:<{}}  {:<10} {:>6}  {:>8} {:>7} {:>6} {:>7}  {:>6} {:>7} {:>11}\n", run.name, width, run.state, run.trials,
                        run.measured, run.skipped, run.failed, run.flagged, run.agrees, run.differs, run.cannot_tell);
  }
  return text;
}

boost::json::object runs_json(const std::vector<store::RunSummary>& runs) {
  boost::json::array all;
  for (const store::RunSummary& run : runs) {
    all.push_back(to_json(run));
  }
  return {{"runs", std::move(all)}};
}

std::string trends_text(const std::vector<store::Trend>& trends) {
  std::string text;
  for (const store::Trend& trend : trends) {
    double most = 0;
    for (const store::TrendPoint& point : trend.points) {
      most = std::max(most, point.pages_per_s.median);
    }
    text += fmt::format("{}{}   {} on {}\n", text.empty() ? "" : "\n", trend.cell, trend.playbook, trend.lab);
    text += fmt::format("  {:<16} {:>9} {:>17} {:>3}\n", "begun", "pages/s", "interval", "n");
    for (const store::TrendPoint& point : trend.points) {
      text += point_line(point, most);
    }
  }
  return text;
}

boost::json::object trends_json(const std::vector<store::Trend>& trends) {
  boost::json::array all;
  for (const store::Trend& trend : trends) {
    boost::json::array points;
    for (const store::TrendPoint& point : trend.points) {
      points.push_back(to_json(point));
    }
    all.push_back(boost::json::object{{"cell", trend.cell}, {"lab", trend.lab}, {"playbook", trend.playbook}, {"runs", std::move(points)}});
  }
  return {{"cells", std::move(all)}};
}

}  // namespace lab::cli
