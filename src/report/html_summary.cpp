#include "report/host.hpp"
#include "report/html_parts.hpp"
#include "report/html_table.hpp"
#include "report/key_findings.hpp"
#include "report/observations.hpp"
#include "report/text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <ctime>

namespace lab::report {

namespace {

struct Tally {
  std::size_t measured = 0, skipped = 0, failed = 0, flagged = 0;
};

Tally tally(const Results& results) {
  Tally counts;
  for (const CellResult& cell : results.cells) {
    counts.measured += cell.status == "measured";
    counts.skipped += cell.status == "skipped";
    counts.failed += cell.status == "failed";
    counts.flagged += !doubts(cell.flags).empty();
  }
  return counts;
}

std::size_t verdicts(const Results& results, std::string_view verdict) {
  return static_cast<std::size_t>(std::ranges::count(results.claims, verdict, &ClaimResult::verdict));
}

std::string tile(std::size_t figure, const std::string& label, const std::string& style) {
  return fmt::format("<li class=\"tile {}\"><b>{}</b> <span>{}</span></li>\n", style, figure, escape_html(label));
}

std::string tiles_html(const Run& run) {
  const Tally cells = tally(run.results);
  std::string out = "<ul class=\"tiles\">\n";
  out += tile(cells.measured, "cells measured", "");
  out += tile(run.trials.size(), "trials", "");
  if (cells.skipped > 0) {
    out += tile(cells.skipped, "cells skipped", "");
  }
  if (cells.failed > 0) {
    out += tile(cells.failed, "cells failed", "differs");
  }
  if (!run.results.claims.empty()) {
    out += tile(verdicts(run.results, "agrees"), "claims agree", "agrees");
    out += tile(verdicts(run.results, "differs"), "claims differ", "differs");
    out += tile(verdicts(run.results, "cannot-tell"), "can’t be told", "cannot-tell");
  }
  out += tile(cells.flagged, "cells flagged", cells.flagged > 0 ? "warns" : "");
  return out + "</ul>\n";
}

}  // namespace

std::string instant_text(const std::string& instant) {
  constexpr std::array<const char*, 12> kMonths{"January", "February", "March",     "April",   "May",      "June",
                                                "July",    "August",   "September", "October", "November", "December"};
  std::tm time{};
  if (strptime(instant.c_str(), "%Y-%m-%dT%H:%M:%S", &time) == nullptr) {
    return instant;
  }
  return fmt::format("{} {} {}, {:02}:{:02} UTC", time.tm_mday, kMonths.at(static_cast<std::size_t>(time.tm_mon)), time.tm_year + 1900,
                     time.tm_hour, time.tm_min);
}

std::string run_title(const Run& run) {
  return run.record.profile.empty() ? run.record.playbook : fmt::format("{}, {} profile", run.record.playbook, run.record.profile);
}

std::string run_lead(const Run& run) {
  const Tally cells = tally(run.results);
  const std::string host = environment_text(run, "hostname"), cpu = environment_text(run, "cpu_model"),
                    cores = environment_text(run, "cores");
  std::string text = fmt::format("The playbook {} ran against the lab {} on {}", run.record.playbook, run.record.lab,
                                 host.empty() ? std::string("one host") : host);
  if (!cpu.empty()) {
    text += fmt::format(" ({}{})", cpu, cores.empty() ? "" : ", " + cores + " cores");
  }
  text += fmt::format(", beginning {}: {} of {} measured in {}.", instant_text(run.record.started), cells.measured,
                      count(run.results.cells.size(), "cell", "cells"), count(run.trials.size(), "trial", "trials"));
  return text;
}

std::string summary_html(const Run& run) {
  std::string out = "<section id=\"summary\">\n<h2>Summary</h2>\n";
  out += fmt::format("<p class=\"lead\">{}</p>\n", escape_html(run_lead(run)));
  out += tiles_html(run);
  if (const auto findings = key_findings(run); !findings.empty()) {
    out += "<h3>Key findings</h3>\n" + list_html(findings, "findings");
  }
  if (const auto limits = limitations(run); !limits.empty()) {
    out += "<aside class=\"box limits\" aria-labelledby=\"limits-title\">\n<h3 id=\"limits-title\">What this run cannot decide</h3>\n" +
           list_html(limits, "plain") + "</aside>\n";
  }
  return out + "</section>\n";
}

std::string flag_meaning(const std::string& flag) {
  constexpr std::array<std::pair<const char*, const char*>, 12> kMeanings{{
      {"unreconciled", "the counts of driver, gateway log and page server do not add up"},
      {"driver-bound", "the load driver, not the gateway, was the limit"},
      {"backend-bound", "the page server, not the gateway, was the limit"},
      {"noisy-host", "something else used the host's CPU during the trial"},
      {"unsaturated", "the gateway was not what limited the rate"},
      {"rate-missed", "of the requests that were due, over 1% found no free client"},
      {"throttled", "a node other than the gateway ran into its CPU limit"},
      {"errors", "requests failed"},
      {"unsettled", "the rate, or a pair's ratio, was by over a fifth different in the second half of the trial"},
      {"drain", "a slice did not drain in time and was dropped"},
      {"idle-side", "the side that was not loaded used CPU"},
      {"indicative", "fewer than six repeats: no 95% interval"},
  }};
  for (const auto& [name, meaning] : kMeanings) {
    if (flag == name) {
      return meaning;
    }
  }
  return "";
}

std::string flagged_cells(const Run& run, const std::vector<std::string>& cells) {
  constexpr std::size_t kListed = 6;
  const std::size_t all = tally(run.results).measured;
  return cells.size() <= kListed ? join(cells, ", ")
         : cells.size() == all   ? fmt::format("all {} measured cells", all)
                                 : fmt::format("{} of {} measured cells, marked where their numbers stand", cells.size(), all);
}

std::string flags_section_html(const Run& run) {
  std::string out = "<section id=\"flags\">\n<h2>Flags</h2>\n";
  std::map<std::string, std::vector<std::string>> where;
  for (const CellResult& cell : run.results.cells) {
    for (const std::string& flag : cell.flags) {
      where[flag].push_back(cell.id);
    }
  }
  std::map<std::string, std::size_t> trials;
  HtmlTable notes{"Trials that are flagged", "notes", {{"Trial", true}, {"Cell"}, {"Flags"}, {"What did not add up"}}, {}};
  for (const Trial& trial : run.trials) {
    for (const std::string& flag : trial.flags) {
      ++trials[flag];
      where[flag];
    }
    if (!doubts(trial.flags).empty() || !trial.failed.empty()) {
      std::vector<std::string> cells;
      std::ranges::transform(trial.sides, std::back_inserter(cells), &Side::cell);
      notes.rows.push_back({td(std::to_string(trial.trial)), td(join(cells, ", ")), td(join(trial.flags, ", ")),
                            td(trial.failed.empty() ? join(trial.notes, "; ") : trial.failed)});
    }
  }
  if (where.empty()) {
    return out +
           "<p>No trial and no cell is flagged: every count added up, and the gateway was the limit wherever a limit is "
           "named.</p>\n</section>\n";
  }
  HtmlTable table{"Flags of this run", "flags", {{"Flag"}, {"Meaning"}, {"Trials", true}, {"Cells"}}, {}};
  for (const auto& [flag, cells] : where) {
    table.rows.push_back({td_html("<span class=\"flag\">⚑\u00a0" + escape_html(flag) + "</span>"), td(flag_meaning(flag)),
                          td(static_cast<double>(trials[flag]), std::to_string(trials[flag])), td(flagged_cells(run, cells))});
  }
  out += to_html(table);
  if (!notes.rows.empty()) {
    out += fmt::format("<details><summary>{}</summary>\n{}</details>\n", count(notes.rows.size(), "flagged trial", "flagged trials"),
                       to_html(notes));
  }
  return out + "</section>\n";
}

}  // namespace lab::report
