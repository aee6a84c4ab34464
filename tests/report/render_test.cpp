// Whole reports of the fixture's made-up run (make_fixture.mjs). Golden files: LAB_RENEW_GOLDEN=1 renews them.
#include "report/report.hpp"

#include "golden.hpp"
#include "json_schema.hpp"
#include "sample.hpp"
#include "temporary_folder.hpp"

#include <boost/json.hpp>
#include <fstream>

using namespace lab;
using namespace lab::report;
using namespace lab::report::test;

namespace {

const std::filesystem::path kHere = std::filesystem::path(LAB_SOURCE_DIR) / "tests/report";

Run fixture() {
  auto run = read_run(kHere / "fixture");
  REQUIRE(run.has_value());
  return std::move(*run);
}

}  // namespace

TEST_CASE("the Markdown report is the golden one") { check_golden("report.md", render(fixture(), Format::markdown)); }

TEST_CASE("the Markdown report has its charts as files beside it") {
  const TemporaryFolder folder;
  const auto written = write_report(kHere / "fixture", Format::markdown, folder.path() / "our run.md");
  REQUIRE(written.has_value());
  const std::string page = text_of(*written);
  CHECK(has(page, "![Scenario 1-log: throughput](our%20run-charts/throughput-1-log.svg)"));
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder.path() / "our run-charts")) {
    CAPTURE(file.path());
    ++files;
    CHECK(has(page, "(our%20run-charts/" + file.path().filename().string() + ")"));
    CHECK(text_of(file.path()).starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  }
  CHECK(files == occurrences(page, "!["));
  check_golden("throughput-2.svg", text_of(folder.path() / "our run-charts/throughput-2.svg"));
  check_golden("cpu-2.svg", text_of(folder.path() / "our run-charts/cpu-2.svg"));
  check_golden("gain-2.svg", text_of(folder.path() / "our run-charts/gain-2.svg"));
  check_golden("percentiles-2.svg", text_of(folder.path() / "our run-charts/percentiles-2.svg"));
}

TEST_CASE("the CSV report is the golden one, a row a cell") {
  const Run run = fixture();
  const std::string csv = render(run, Format::csv);
  check_golden("report.csv", csv);
  CHECK(occurrences(csv, "\r\n") == run.results.cells.size() + 1);
}

TEST_CASE("the JSON report is results.json with the report's sentences") {
  const auto all = boost::json::parse(render(fixture(), Format::json)).as_object();
  CHECK(lab::test::JsonSchema("results").violations(all) == std::vector<std::string>{});
  CHECK(all.at("schema") == 1);
  CHECK(all.at("cells").as_array().size() == 40);
  CHECK(all.at("report").at("scenarios").as_array().size() == 6);
  CHECK(all.at("report").at("findings").as_array().size() == 6);
  const auto& percentiles = all.at("report").at("percentiles").as_array();
  CHECK(percentiles.size() == 20);
  CHECK(percentiles.at(0).at("cell") == "1/page=5.8KB/cpus=1/clients=8");
  CHECK(percentiles.at(0).at("trials") == 2);
  CHECK(percentiles.at(0).at("times") == "service");
}

TEST_CASE("the page has a section a scenario, every cell, and asks nothing of the network") {
  const Run run = fixture();
  const std::string page = render(run, Format::html);
  for (const char* id : {"summary", "claims", "flags", "scenario-1", "scenario-1-log", "scenario-5", "topology", "environment", "method",
                         "cells", "repeat"}) {
    INFO(id);
    CHECK(occurrences(page, std::string("<section id=\"") + id + "\"") == 1);
  }
  const std::string cells = page.substr(page.find("<section id=\"cells\""));
  for (const CellResult& cell : run.results.cells) {
    INFO(cell.id);
    CHECK(has(cells, "<code>" + cell.id + "</code>"));
  }
  CHECK_FALSE(has(page, "src=\"http"));
  CHECK_FALSE(has(page, "href=\"http"));
  CHECK_FALSE(has(page, "@import"));
  CHECK(page.size() < 1024 * 1024);
}

TEST_CASE("every chart on the page has a text alternative and a table") {
  std::string page = render(fixture(), Format::html);
  page.resize(page.find("<script"));
  const auto charts = occurrences(page, "<div class=\"chart ");
  CHECK(charts == 22);
  CHECK(occurrences(page, "\" role=\"img\" aria-label=\"Bar chart") + occurrences(page, "\" role=\"img\" aria-label=\"Stacked bars") +
            occurrences(page, "\" role=\"img\" aria-label=\"Service times by cell") ==
        charts);
  CHECK(occurrences(page, "<figure>") == occurrences(page, "<details class=\"numbers\">"));
}

TEST_CASE("cells say what they are in tables that become cards, and only there: 10,000 rows are heavy enough") {
  const std::string page = render(fixture(), Format::html);
  const auto claims = page.substr(page.find("<table class=\"claims cards\">"));
  CHECK(has(claims.substr(0, claims.find("</table>")), "<td data-label=\"Verdict\""));
  CHECK_FALSE(has(page.substr(page.find("<section id=\"cells\"")), "data-label"));
}

TEST_CASE("service times are called a closed loop's, and those of a quota are said to mirror its period") {
  Run run = fixture();
  const auto caption = [&run] {
    const std::string page = render(run, Format::html);
    const std::string from = page.substr(page.find("<b>Service times</b> by cell"));
    return from.substr(0, from.find("</figcaption>"));
  };
  CHECK(has(caption(), "no claim on latency"));
  CHECK(has(caption(), "CPUs are limited by quota here: the long ones mirror its period of 10 ms."));
  run.results.environment["cpu_method"] = "none";
  CHECK(has(caption(), "no claim on latency"));
  CHECK_FALSE(has(caption(), "quota"));
}

TEST_CASE("latency is not called a service time") {
  Run run = fixture();
  for (auto& [cell, times] : run.times) {
    times.latency = cell.starts_with("1/");
  }
  const std::string page = render(run, Format::html);
  const std::string scenario = page.substr(page.find("<b>Latency</b> by cell"));
  const std::string caption = scenario.substr(0, scenario.find("</figcaption>"));
  CHECK(has(caption, "from the instant at which a request was due"));
  CHECK_FALSE(has(caption, "no claim on latency"));
}

TEST_CASE("a trial over time is offered, its data bounded, and without a script the page says where it is") {
  Run run = fixture();
  const std::string page = render(run, Format::html);
  CHECK(occurrences(page, "<section id=\"trials\"") == 1);
  CHECK(has(page, "<noscript><p class=\"box\">This figure needs JavaScript."));
  run.shown.clear();
  CHECK_FALSE(has(render(run, Format::html), "<section id=\"trials\""));
}

TEST_CASE("a trial that the run has not cannot be asked for") {
  const auto run = read_run(kHere / "fixture", {7, 5000});
  REQUIRE_FALSE(run.has_value());
  CHECK(run.error().what == "this run has no trial 5000");
  CHECK(run.error().remedy == "it has 222 trials, numbered from 1");
  CHECK(run.error().failure == Failure::usage);
}

TEST_CASE("with many cells the figures' numbers are markup that the script unfolds, and a table where there is no script") {
  Run run = fixture();
  CHECK_FALSE(has(render(run, Format::html), "<noscript><div class=\"table-scroll\""));
  for (int i = 0; i < 2'000; ++i) {
    CellResult cell = run.results.cells.front();
    cell.scenario = "many-" + std::to_string(i / 50);
    cell.axes = {{"page", "5.8KB"}, {"clients", std::to_string(i)}};
    run.results.cells.push_back(std::move(cell));
  }
  const std::string page = render(run, Format::html);
  CHECK(occurrences(page, "<summary>The numbers</summary>\n<noscript><div class=\"table-scroll\"") == occurrences(page, "<figure>\n"));
  CHECK(occurrences(page, "</table>\n</div>\n</noscript></details>") == occurrences(page, "<figure>\n"));
}

TEST_CASE("names and reasons from files never become markup or script") {
  Run run = fixture();
  const std::string hostile = "</script><img src=x onerror=alert(1)>{{script}}\"'&";
  run.record.playbook = run.record.lab = run.record.name = hostile;
  run.record.command = {"lab", hostile};
  run.results.environment["cpu_model"] = hostile;
  run.results.cells.front().flags.push_back(hostile);
  run.results.cells.front().cpu_us_per_page[hostile] = 100;
  run.results.cells.back().reason = hostile;
  run.results.claims.front().reason = run.results.claims.front().says = hostile;
  run.playbook.scenarios.front().title = run.playbook.scenarios.front().notes = hostile;
  run.lab.nodes.front().name = hostile;
  run.trials.front().notes = {hostile};
  const std::string page = render(run, Format::html);
  CHECK_FALSE(has(page, "<img src=x"));
  CHECK(occurrences(page, "</script>") == 2);
  CHECK(has(page, "&lt;img src=x onerror=alert(1)&gt;{{script}}"));
}

TEST_CASE("a report replaces the one before it, beside the run or where it was asked for") {
  const TemporaryFolder folder;
  for (const char* file : {"run.json", "results.json", "trials.jsonl"}) {
    std::filesystem::copy(kHere / "fixture" / file, folder.path() / file);
  }
  std::ofstream(folder.path() / "report.html") << "an old one";
  const auto written = write_report(folder.path());
  REQUIRE(written.has_value());
  CHECK(*written == folder.path() / "report.html");
  CHECK(has(text_of(*written), "<!doctype html>"));
  CHECK(*write_report(folder.path(), Format::csv, folder.path() / "numbers.csv") == folder.path() / "numbers.csv");
  CHECK(has(text_of(folder.path() / "numbers.csv"), "pages_per_s"));
}

TEST_CASE("a run that did not get to its end has no report, and the error says how to finish it") {
  const TemporaryFolder folder;
  for (const char* file : {"run.json", "trials.jsonl"}) {
    std::filesystem::copy(kHere / "fixture" / file, folder.path() / file);
  }
  const auto written = write_report(folder.path());
  REQUIRE_FALSE(written.has_value());
  CHECK(written.error().what == "this run has no results yet: it did not get to its end");
  CHECK(written.error().remedy == "finish it: lab run --resume " + folder.path().filename().string());
}
