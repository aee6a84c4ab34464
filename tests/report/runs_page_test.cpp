#include "report/runs_page.hpp"

#include "golden.hpp"
#include "sample.hpp"

using namespace lab;
using namespace lab::report;
using namespace lab::report::test;

namespace {

store::RunSummary summary(const std::string& name) {
  store::RunSummary run{name, "local", "p", "quick", "2026-11-30T20:00:00Z", "finished", 12};
  run.measured = 3;
  run.failed = 1;
  run.agrees = 2;
  return run;
}

store::Trend trend(const std::string& cell, std::size_t runs) {
  store::Trend found{"local", "p", cell, {}};
  for (std::size_t i = 0; i < runs; ++i) {
    const double rate = 100 + static_cast<double>(i);
    found.points.push_back({"r", "2026-11-30T20:00:00Z", "quick", "measured", {rate, rate - 1, rate + 1, 6}, {}});
  }
  return found;
}

}  // namespace

TEST_CASE("the page of runs links the reports that there are, and draws each cell's trend") {
  auto flagged = trend("1/b", 3);
  flagged.points[1].flags = {"errors"};
  flagged.points[2].status = "failed";
  const std::string page = runs_page({{summary("one"), "one/report.html"}, {summary("two"), ""}}, {trend("1/a", 2), flagged});
  CHECK(has(page, "<a href=\"one/report.html\"><code>one</code></a>"));
  CHECK_FALSE(has(page, "two/report.html"));
  CHECK(has(page, "3 measured, 1 failed"));
  CHECK(has(page, "2 agree, 0 differ, 0 cannot be told"));
  CHECK(occurrences(page, "<svg class=\"trend\"") == 2);
  CHECK(has(page, "aria-label=\"2 runs, from 100 to 101 pages a second\""));
  CHECK(occurrences(page, "<circle") == 4);
  CHECK(occurrences(page, "<circle class=\"flagged\"") == 1);
  CHECK_FALSE(has(page, "<script"));
}

TEST_CASE("the page of no runs says so, a cell that was never measured has no picture, and a long history shows its end") {
  CHECK(has(runs_page({}, {}), "There are none yet."));
  auto failed = trend("1/a", 1);
  failed.points[0].status = "failed";
  CHECK_FALSE(has(runs_page({{summary("one"), ""}}, {failed}), "<svg class=\"trend\""));
  CHECK(occurrences(runs_page({{summary("one"), ""}}, {trend("1/a", 500)}), "<circle") == 60);
}

TEST_CASE("names of runs never become markup or a script's address") {
  const std::string hostile = "\"><img src=x onerror=alert(1)>";
  const std::string page = runs_page({{summary(hostile), "../" + hostile + "/report.html"}}, {trend(hostile, 1)});
  CHECK_FALSE(has(page, "<img"));
  CHECK(url_path("javascript:alert(1)/é") == "javascript%3Aalert%281%29/%C3%A9");
}
