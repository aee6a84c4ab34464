#include "report/firewalls.hpp"
#include "report/host.hpp"
#include "report/html_parts.hpp"
#include "report/html_table.hpp"
#include "report/text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace lab::report {

namespace {

std::string facts_html(const Facts& facts, const std::string& first, const std::string& second, const std::string& caption) {
  HtmlTable table{caption, "facts", {{first}, {second}}, {}};
  for (const auto& [name, value] : facts) {
    table.rows.push_back({td(name), td(value)});
  }
  return to_html(table);
}

// "webseal 99%, was 12%, others under 1%": figures of the nodes that are not nearly idle.
std::string of_busy_nodes(const CellResult& cell, const std::map<std::string, double>& values, std::string (*as)(double),
                          const char* others) {
  std::vector<std::string> parts;
  bool idle = false;
  for (const auto& [node, value] : values) {
    const auto share = cell.cpu.find(node);
    if (share == cell.cpu.end() || share->second >= 0.01) {
      parts.push_back(node + " " + as(value));
    } else {
      idle = true;
    }
  }
  if (idle && *others != '\0') {
    parts.emplace_back(others);
  }
  return join(parts, ", ");
}

std::vector<Td> cell_row(const CellResult& cell, int columns) {
  const Td name = td_html("<code>" + escape_html(cell.id) + "</code>" + flags_html(cell.flags));
  if (cell.status != "measured") {
    Td reason = td(cell.status + ": " + cell.reason);
    reason.span = columns - 1;
    return {name, reason};
  }
  const Interval& rate = cell.pages_per_s;
  return {name,
          td(cell.status),
          td(cell.trials, std::to_string(cell.trials)),
          td(rate.median, number(rate.median)),
          td(rate.n > 1 ? range(rate.low, rate.high, number) : "–"),
          td(cell.limited_by),
          td(cell.service_us_p50, number(cell.service_us_p50)),
          td(cell.service_us_p99, number(cell.service_us_p99)),
          td(static_cast<double>(cell.errors), std::to_string(cell.errors)),
          td(of_busy_nodes(cell, cell.cpu, percent, "others under 1%")),
          td(of_busy_nodes(cell, cell.cpu_us_per_page, number, ""))};
}

std::string cells_html(const Run& run) {
  HtmlTable table{"Every cell of this run",
                  "cells",
                  {{"Cell"},
                   {"Status"},
                   {"Trials", true},
                   {"Pages/s", true},
                   {"Interval", true},
                   {"Limited by"},
                   {"Service p50, µs", true},
                   {"p99, µs", true},
                   {"Errors", true},
                   {"CPU, share of allotment"},
                   {"CPU a page, µs"}},
                  {}};
  for (const CellResult& cell : run.results.cells) {
    table.rows.push_back(cell_row(cell, static_cast<int>(table.columns.size())));
  }
  return "<section id=\"cells\">\n<h2>Every cell</h2>\n<p>Service times are a closed loop's: from the sending of a request to the end of "
         "its "
         "answer. They are no claim on latency.</p>\n" +
         to_html(table) + "</section>\n";
}

std::string pairs_html(const Run& run) {
  if (run.results.pairs.empty()) {
    return {};
  }
  HtmlTable table{"Every pair of this run",
                  "pairs",
                  {{"First"}, {"Second"}, {"Trials", true}, {"Second ÷ first", true}, {"Interval", true}, {"Noise floor", true}},
                  {}};
  for (const PairResult& pair : run.results.pairs) {
    const Interval& ratio = pair.ratio;
    table.rows.push_back({td_html("<code>" + breakable(pair.a) + "</code>" + flags_html(pair.flags)),
                          pair.kind == "aa" ? td("itself (A/A)") : td_html("<code>" + breakable(pair.b) + "</code>"),
                          td(ratio.n, std::to_string(ratio.n)), td(ratio.median, fmt::format("{:.3f}", ratio.median)),
                          td(ratio.n > 1 ? fmt::format("{:.3f} to {:.3f}", ratio.low, ratio.high) : "–"),
                          td(pair.noise_floor, pair.noise_floor > 0 ? percent(std::expm1(pair.noise_floor)) : "not known")});
  }
  return "<section id=\"pairs\">\n<h2>Every pair</h2>\n<p>Two cells loaded in turn within one trial, in slices: pages a second of the "
         "second "
         "divided by those of the first, the median over the trials.</p>\n" +
         to_html(table) + "</section>\n";
}

std::string repeat_html(const Run& run) {
  std::string out = "<section id=\"repeat\">\n<h2>How to repeat this run</h2>\n";
  const std::string command = command_text(run);
  out += "<pre tabindex=\"0\"><code>lab up " + escape_html(run.record.lab) + "\n" + escape_html(command) + "\nlab report\nlab down " +
         escape_html(run.record.lab) + "</code></pre>\n";
  if (command.find("--seed") == std::string::npos) {
    out += fmt::format("<p>The order of the trials came from seed {}: add <code>--seed {}</code> to draw the same.</p>\n", run.record.seed,
                       run.record.seed);
  }
  return out + fmt::format(
                   "<p>The directory <code>{}</code> holds the lab and the playbook as they were run (<code>run.json</code>), every trial "
                   "(<code>trials.jsonl</code>) and these results (<code>results.json</code>).</p>\n</section>\n",
                   escape_html(run.record.name));
}

}  // namespace

std::string command_text(const Run& run) {
  std::vector<std::string> words;
  for (std::string word : run.record.command) {
    if (words.empty()) {
      word = "lab";  // whatever path it was started by
    }
    const bool plain =
        word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,%@+") == std::string::npos;
    if (!plain || word.empty()) {
      std::string quoted = "'";
      for (const char c : word) {
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
      }
      word = quoted + "'";
    }
    words.push_back(std::move(word));
  }
  return join(words, " ");
}

std::string appendix_html(const Run& run) {
  std::string out;
  if (const std::string picture = topology_svg(run); !picture.empty()) {
    out +=
        "<section id=\"topology\">\n<h2>Topology</h2>\n<div class=\"table-scroll\" tabindex=\"0\" role=\"region\" "
        "aria-label=\"Topology\">\n" +
        picture + "</div>\n</section>\n";
  }
  out += "<section id=\"environment\">\n<h2>Environment</h2>\n" + facts_html(host_facts(run), "What", "Here", "The host of this run");
  if (const Facts passed = firewall_facts(run); !passed.empty()) {
    out += "<h3>Firewalls</h3>\n" + facts_html(passed, "What", "During this run", "What the firewalls let through and dropped");
  }
  if (const Facts stands = substitutions(run); !stands.empty()) {
    out += repeats_study(run) ? "<h3>What stands for the study’s parts</h3>\n" + facts_html(stands, "In the study", "Here", "Substitutions")
                              : "<h3>Notes on the scenarios</h3>\n" + facts_html(stands, "Scenario", "Note", "Notes");
  }
  out += "</section>\n<section id=\"method\">\n<h2>Method</h2>\n";
  for (const std::string& paragraph : method(run)) {
    out += "<p>" + escape_html(paragraph) + "</p>\n";
  }
  return out + "</section>\n" + cells_html(run) + pairs_html(run) + trials_html(run) + repeat_html(run);
}

}  // namespace lab::report
