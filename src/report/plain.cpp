#include "report/plain.hpp"

#include "lab/playbook.hpp"
#include "report/chart_files.hpp"
#include "report/claim_text.hpp"
#include "report/firewalls.hpp"
#include "report/host.hpp"
#include "report/html_parts.hpp"
#include "report/key_findings.hpp"
#include "report/observations.hpp"
#include "report/scenario.hpp"
#include "report/text.hpp"
#include "report/times_text.hpp"
#include "store/json.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <boost/json.hpp>
#include <set>

namespace lab::report {

namespace {

using Row = std::vector<std::string>;

std::string markdown_row(const Row& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) {
    out += " " + escape_markdown(cell) + " |";
  }
  return out + "\n";
}

std::string markdown_table(const Row& head, const std::vector<Row>& rows) {
  std::string out = markdown_row(head) + "|";
  for (std::size_t i = 0; i < head.size(); ++i) {
    out += "---|";
  }
  out += "\n";
  for (const Row& row : rows) {
    out += markdown_row(row);
  }
  return out + "\n";
}

std::string markdown_list(const std::vector<std::string>& sentences) {
  std::string out;
  for (const std::string& sentence : sentences) {
    out += "- " + escape_markdown(sentence) + "\n";
  }
  return out + "\n";
}

std::string claims_markdown(const Run& run) {
  std::vector<Row> rows;
  for (const ClaimResult& claim : run.results.claims) {
    rows.push_back({claim_name(claim), claim.says, published_text(claim), measured_text(claim), verdict_text(claim), claim.reason});
  }
  return rows.empty() ? "" : "## Published claims\n\n" + markdown_table({"claim", "says", "published", "measured", "verdict", "why"}, rows);
}

std::string flags_markdown(const Run& run) {
  std::map<std::string, std::vector<std::string>> cells;
  for (const CellResult& cell : run.results.cells) {
    for (const std::string& flag : cell.flags) {
      cells[flag].push_back(cell.id);
    }
  }
  std::vector<Row> rows;
  for (const auto& [flag, those] : cells) {
    rows.push_back({flag, flag_meaning(flag), flagged_cells(run, those)});
  }
  return "## Flags\n\n" + (rows.empty() ? std::string("None.\n\n") : markdown_table({"flag", "meaning", "cells"}, rows));
}

std::string pictures_markdown(const Run& run, const ScenarioView& scenario, const std::string& charts) {
  std::string out;
  for (const ChartFile& file : charts.empty() ? std::vector<ChartFile>{} : chart_files(run, scenario)) {
    out += fmt::format("![{}]({}/{})\n\n", escape_markdown(file.title), charts, file.name);
  }
  return out;
}

std::string percentiles_markdown(const Run& run, const ScenarioView& scenario) {
  const Cells cells = timed(run, scenario);
  if (cells.empty()) {
    return "";
  }
  Row head{"cell"};
  std::ranges::copy(kPercentileNames, std::back_inserter(head));
  head.emplace_back("exchanges");
  std::vector<Row> rows;
  for (const CellResult* cell : cells) {
    const CellTimes& times = run.times.at(cell->id);
    Row row{cell->id};
    std::ranges::transform(times.us, std::back_inserter(row), [](const auto& us) { return us ? duration_text(*us) : "–"; });
    row.push_back(count_text(times.count));
    rows.push_back(std::move(row));
  }
  return fmt::format("{}, percentiles over all trials of a cell. {}\n\n", times_title(run, cells),
                     escape_markdown(times_meaning(run, cells))) +
         markdown_table(head, rows);
}

std::string scenario_markdown(const Run& run, const ScenarioView& scenario, const std::string& charts) {
  std::string out = fmt::format("## Scenario {}{}\n\n", escape_markdown(scenario.id),
                                scenario.title.empty() ? "" : ": " + escape_markdown(scenario.title));
  out += escape_markdown(scenario_setting(scenario)) + "\n\n" + pictures_markdown(run, scenario, charts);
  std::vector<Row> rows;
  for (const CellResult* cell : measured(scenario.cells)) {
    const Interval& rate = cell->pages_per_s;
    const auto busy = cell->cpu.find(cell->limited_by);
    rows.push_back({cell->id, number(rate.median), rate.n > 1 ? range(rate.low, rate.high, number) : "–", std::to_string(rate.n),
                    cell->limited_by + (busy == cell->cpu.end() ? "" : " " + percent(busy->second)), join(cell->flags, ", ")});
  }
  if (!rows.empty()) {
    out += markdown_table({"cell", "pages/s", "interval", "n", "limited by", "flags"}, rows);
  }
  return out + percentiles_markdown(run, scenario) + markdown_list(observations(run, scenario)) + "**Conclusion.** " +
         escape_markdown(conclusion(run, scenario)) + "\n\n";
}

std::string facts_markdown(const Facts& facts, const char* first, const char* second) {
  std::vector<Row> rows;
  for (const auto& [name, value] : facts) {
    rows.push_back({name, value});
  }
  return rows.empty() ? "" : markdown_table({first, second}, rows);
}

std::vector<std::string> names_of(const Results& results, std::map<std::string, double> CellResult::*values) {
  std::set<std::string> names;
  for (const CellResult& cell : results.cells) {
    for (const auto& each : cell.*values) {
      names.insert(each.first);
    }
  }
  return {names.begin(), names.end()};
}

std::string csv_row(const Row& cells) {
  std::vector<std::string> escaped;
  std::ranges::transform(cells, std::back_inserter(escaped), [](const std::string& cell) { return escape_csv(cell); });
  return join(escaped, ",") + "\r\n";
}

std::string figure(const std::map<std::string, double>& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? "" : exact(found->second);
}

boost::json::array percentiles_json(const Run& run) {
  boost::json::array all;
  for (const CellResult& cell : run.results.cells) {
    const auto times = run.times.find(cell.id);
    if (times == run.times.end()) {
      continue;
    }
    boost::json::object us;
    for (std::size_t i = 0; i < kPercentileNames.size(); ++i) {
      const auto& value = times->second.us.at(i);
      us[kPercentileNames.at(i)] = value ? boost::json::value(*value) : boost::json::value(nullptr);
    }
    all.push_back(boost::json::object{{"cell", cell.id},
                                      {"times", times->second.latency ? "latency" : "service"},
                                      {"exchanges", times->second.count},
                                      {"trials", times->second.trials},
                                      {"us", std::move(us)}});
  }
  return all;
}

}  // namespace

std::string render_markdown(const Run& run, const std::string& charts) {
  std::string out = "# " + escape_markdown(run_title(run)) + "\n\n" + escape_markdown(run_lead(run)) + "\n\n";
  if (const auto findings = key_findings(run); !findings.empty()) {
    out += "## Key findings\n\n" + markdown_list(findings);
  }
  if (const auto limits = limitations(run); !limits.empty()) {
    out += "## What this run cannot decide\n\n" + markdown_list(limits);
  }
  out += claims_markdown(run) + flags_markdown(run);
  for (const ScenarioView& scenario : scenarios(run)) {
    out += scenario_markdown(run, scenario, charts);
  }
  out += "## Environment\n\n" + facts_markdown(host_facts(run), "what", "here") +
         (repeats_study(run) ? facts_markdown(substitutions(run), "in the study", "here")
                             : facts_markdown(substitutions(run), "scenario", "note"));
  if (const Facts passed = firewall_facts(run); !passed.empty()) {
    out += "## Firewalls\n\n" + facts_markdown(passed, "what", "during this run");
  }
  out += "## Method\n\n";
  for (const std::string& paragraph : method(run)) {
    out += escape_markdown(paragraph) + "\n\n";
  }
  return out + "## How to repeat this run\n\n```\n" + command_text(run) + "\n```\n\nSeed " + std::to_string(run.record.seed) + ".\n";
}

std::string render_csv(const Run& run) {
  Row head{"cell", "scenario"};
  head.insert(head.end(), std::begin(kAxes), std::end(kAxes));
  for (const char* name : {"status", "reason", "trials", "pages_per_s", "low", "high", "n", "service_us_p50", "service_us_p99",
                           "latency_us_p50", "latency_us_p99", "errors", "tls_version", "tls_cipher", "limited_by", "flags"}) {
    head.emplace_back(name);
  }
  const auto nodes = names_of(run.results, &CellResult::cpu), costs = names_of(run.results, &CellResult::cpu_us_per_page),
             machines = names_of(run.results, &CellResult::machines);
  std::ranges::for_each(nodes, [&](const std::string& name) { head.push_back("cpu " + name); });
  std::ranges::for_each(costs, [&](const std::string& name) { head.push_back("cpu_us_per_page " + name); });
  std::ranges::for_each(machines, [&](const std::string& name) { head.push_back("machine " + name); });
  std::string out = csv_row(head);
  for (const CellResult& cell : run.results.cells) {
    Row row{cell.id, cell.scenario};
    for (const char* name : kAxes) {
      row.push_back(axis(cell, name));
    }
    const bool seen = cell.status == "measured";
    const Interval& rate = cell.pages_per_s;
    const auto value = [seen](double each) { return seen ? exact(each) : ""; };
    row.insert(row.end(),
               {cell.status, cell.reason, std::to_string(cell.trials), value(rate.median), value(rate.low), value(rate.high),
                std::to_string(rate.n), value(cell.service_us_p50), value(cell.service_us_p99),
                cell.latency_us ? exact(cell.latency_us->p50.median) : "", cell.latency_us ? exact(cell.latency_us->p99.median) : "",
                std::to_string(cell.errors), cell.tls_version, cell.tls_cipher, cell.limited_by, join(cell.flags, " ")});
    std::ranges::for_each(nodes, [&](const std::string& name) { row.push_back(figure(cell.cpu, name)); });
    std::ranges::for_each(costs, [&](const std::string& name) { row.push_back(figure(cell.cpu_us_per_page, name)); });
    std::ranges::for_each(machines, [&](const std::string& name) { row.push_back(figure(cell.machines, name)); });
    out += csv_row(row);
  }
  return out;
}

std::string render_json(const Run& run) {
  boost::json::object all = store::to_json(run.results);
  const auto texts = [](const std::vector<std::string>& sentences) { return boost::json::array(sentences.begin(), sentences.end()); };
  boost::json::array sections;
  for (const ScenarioView& scenario : scenarios(run)) {
    sections.push_back(boost::json::object{{"id", scenario.id},
                                           {"title", scenario.title},
                                           {"observations", texts(observations(run, scenario))},
                                           {"conclusion", conclusion(run, scenario)}});
  }
  all["report"] = boost::json::object{{"run", run.record.name},
                                      {"title", run_title(run)},
                                      {"findings", texts(key_findings(run))},
                                      {"limitations", texts(limitations(run))},
                                      {"scenarios", std::move(sections)},
                                      {"percentiles", percentiles_json(run)}};
  return boost::json::serialize(all) + "\n";
}

}  // namespace lab::report
