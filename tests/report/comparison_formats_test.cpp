// Whole comparisons of two runs in memory. Golden files: LAB_RENEW_GOLDEN=1 renews them.
#include "report/comparison_formats.hpp"

#include "golden.hpp"
#include "json_schema.hpp"
#include "two_runs.hpp"

#include <boost/json.hpp>

using namespace lab;
using namespace lab::report;
using namespace lab::report::test;

namespace {

struct Compared {
  Comparison comparison;
  Thresholds thresholds;
};

Compared compared(const TwoRuns& runs = two_runs()) {
  Compared found{compare(runs.a, runs.b), {}};
  for (const char* text : {"throughput<-5%", "p99>50%"}) {
    found.thresholds.push_back(judge(found.comparison, *parse_threshold(text)));
  }
  return found;
}

}  // namespace

TEST_CASE("a comparison as text is the golden one, and fits a terminal of 80 columns but for names and sentences") {
  const Compared found = compared();
  const std::string text = comparison_text(found.comparison, found.thresholds);
  check_golden("comparison.txt", text);
  CHECK(has(text, "\n3 cells: 0 faster, 1 slower, 1 no difference beyond the noise, 1 cannot tell\n"));
}

TEST_CASE("a comparison as Markdown is the golden one, its details folded") {
  const Compared found = compared();
  const std::string text = comparison_markdown(found.comparison, found.thresholds);
  check_golden("comparison.md", text);
  CHECK(occurrences(text, "<details>") == occurrences(text, "</details>"));
}

TEST_CASE("a comparison as JSON has every key, and what cannot be compared is null") {
  TwoRuns runs = two_runs();
  for (Trial& trial : runs.a.trials) {
    for (Side& side : trial.sides) {
      side.service_us_p99 = 0;
    }
  }
  const Compared found = compared(runs);
  const auto all = boost::json::parse(comparison_json(found.comparison, found.thresholds)).as_object();
  CHECK(all.at("schema") == 1);
  CHECK(all.at("a").at("name") == "before");
  CHECK(all.at("summary").at("slower") == 1);
  CHECK(all.at("differences").at(0).at("what") == "kernel");
  CHECK(all.at("thresholds").at(0).at("missed").at(0) == "1/page=5.8KB/cpus=1/clients=8");
  const auto& cell = all.at("cells").at(0).as_object();
  CHECK(cell.at("p99").is_null());
  CHECK(cell.at("axes").at("cpus") == "1");
  const auto& change = cell.at("throughput").as_object();
  for (const char* key : {"a", "b", "passes", "ratio", "coverage", "p", "corrected_p", "least_p", "noise_floor", "verdict", "reason"}) {
    INFO(key);
    CHECK(change.contains(key));
  }
  CHECK(change.at("verdict") == "slower");
  CHECK(change.at("ratio").at("value").as_double() == Approx(0.7));
  CHECK(all.at("cells").at(1).at("throughput").at("verdict") == "no-difference");
  CHECK(all.at("pairs").at(0).at("ratio").at("verdict") == "larger");
  CHECK(all.at("not_compared").as_array().size() == 1);
}

TEST_CASE("a comparison as JSON is as its schema says, whose every key must be there") {
  lab::test::JsonSchema schema("compare");
  const std::vector<std::string> none;
  const Compared found = compared();
  const auto whole = boost::json::parse(comparison_json(found.comparison, found.thresholds)).as_object();
  CHECK(schema.violations(whole) == none);
  for (const char* part : {"cells", "pairs", "not_compared", "thresholds", "differences"}) {
    INFO(part);
    REQUIRE_FALSE(whole.at(part).as_array().empty());
    for (const auto& [key, value] : whole.at(part).at(0).as_object()) {
      boost::json::object less = whole;
      less.at(part).at(0).as_object().erase(key);
      CHECK(schema.violations(less) == std::vector{"/" + std::string(part) + "/0: " + std::string(key) + " is missing"});
    }
  }
  boost::json::object changed = whole;
  changed.at("cells").at(0).at("cpu") = nullptr;
  CHECK(schema.violations(changed) == none);
  changed.at("cells").at(0).at("throughput") = nullptr;
  CHECK(schema.violations(changed).size() == 1);
  changed.at("cells").at(0).at("cpu") = 1;
  CHECK(schema.violations(changed).size() == 2);
}

TEST_CASE("the page has both runs side by side, a bar and an interval for every cell, and no script") {
  const Compared found = compared();
  const std::string page = comparison_html(found.comparison, found.thresholds);
  for (const char* id : {"summary", "differences", "throughput", "cpu", "p99", "pairs", "not-compared", "method"}) {
    INFO(id);
    CHECK(occurrences(page, std::string("<section id=\"") + id + "\"") == 1);
  }
  CHECK(occurrences(page, "<svg class=\"bars\"") == 9);
  CHECK(occurrences(page, "<svg class=\"forest\"") == 10);
  CHECK(occurrences(page, "role=\"img\" aria-label=\"") == 19);
  CHECK_FALSE(has(page, "<script"));
  CHECK_FALSE(has(page, "src=\"http"));
  CHECK_FALSE(has(page, "href=\"http"));
  CHECK_FALSE(has(page, "{{"));
}

TEST_CASE("one cell that changed a lot does not squeeze the others: it is an arrow at the axis' end") {
  Run a = named_run("a", 0.02), b = named_run("b", 0.02);
  for (int i = 0; i < 10; ++i) {
    const Axes axes{{"page", std::to_string(i)}};
    add_measured(a, "1", axes, around(1000));
    add_measured(b, "1", axes, around(i == 0 ? 100 : 1000));
  }
  const std::string page = comparison_html(compare(a, b), {});
  CHECK(occurrences(page, "<path class=\"point worse\"") == 3);
  CHECK(occurrences(page, "<circle class=\"point same\"") == 27);
  CHECK(has(page, "on one logarithmic axis, −9.6% to +11%"));
}

TEST_CASE("names from runs never become markup, in the page or in Markdown") {
  const std::string hostile = "<img src=x onerror=alert(1)>|{{style}}";
  TwoRuns runs = two_runs();
  for (Run* run : {&runs.a, &runs.b}) {
    run->record.name = run->record.profile = hostile;
    run->results.environment["version"] = hostile;
    run->results.cells[0].flags = {hostile};
    run->results.cells[3].reason = hostile;
  }
  runs.b.results.environment["kernel"] = hostile;
  const Compared found = compared(runs);
  CHECK_FALSE(has(comparison_html(found.comparison, found.thresholds), "<img"));
  CHECK_FALSE(has(comparison_markdown(found.comparison, found.thresholds), "<img"));
}
