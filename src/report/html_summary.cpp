#include "report/claim_text.hpp"
#include "report/host.hpp"
#include "report/html_parts.hpp"
#include "report/html_table.hpp"
#include "report/observations.hpp"
#include "report/text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
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

// Where the measured interval lies against the published figure, on one logarithmic axis for all rows: half to twice.
std::string strip_svg(const Interval& value) {
  constexpr double kWidth = 132, kMiddle = 66, kSpan = 0.75;
  const auto place = [](double ratio) { return std::clamp(kMiddle + std::log(ratio) / kSpan * kMiddle, 3.0, kWidth - 3); };
  const double low = place(value.low), high = place(value.high);
  return fmt::format(
      "<svg class=\"strip\" viewBox=\"0 0 132 18\" role=\"img\" aria-label=\"measured is {} of published\">"
      "<rect class=\"band\" x=\"{:.1f}\" y=\"1\" width=\"{:.1f}\" height=\"16\"/><line class=\"published\" x1=\"66\" x2=\"66\" y1=\"1\" "
      "y2=\"17\"/>"
      "<line class=\"interval\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"9\" y2=\"9\"/><circle cx=\"{:.1f}\" cy=\"9\" r=\"3.5\"/></svg>",
      percent(value.median), place(0.9), place(1.1) - place(0.9), low, std::max(high, low + 0.5), place(value.median));
}

std::string verdict_html(const ClaimResult& claim) {
  const char* sign = claim.verdict == "agrees" ? "✓" : claim.verdict == "differs" ? "✗" : "?";
  return fmt::format("<span class=\"verdict {}\"><span aria-hidden=\"true\">{}</span> {}</span>", escape_html(claim.verdict), sign,
                     escape_html(verdict_text(claim)));
}

// A cell's or a claim's id, which may be broken after each axis.
std::string breakable(const std::string& id) {
  std::string out;
  for (const char c : escape_html(id)) {
    out += c;
    out += c == '/' ? "<wbr>" : "";
  }
  return out;
}

// The first reason in sight, the others a click away.
std::string reason_html(const std::string& reason) {
  const auto end = reason.find("; ");
  if (reason.size() < 160 || end == std::string::npos) {
    return escape_html(reason);
  }
  return fmt::format("{}<details><summary>more</summary>{}</details>", escape_html(reason.substr(0, end)),
                     escape_html(reason.substr(end + 2)));
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

std::string claims_html(const Run& run) {
  std::string out = "<section id=\"claims\">\n<h2>Published claims</h2>\n";
  if (run.results.claims.empty()) {
    return out + "<p>The playbook checks no claims.</p>\n</section>\n";
  }
  out +=
      "<p>What the study published, beside the median measured here with its 95% interval (under six repeats: the range) and the number of "
      "repeats n. The strip shows measured ÷ published: the dot is the median, the bar its interval, the line the published figure, the "
      "band "
      "± 10% around it.</p>\n";
  HtmlTable table{"Published claims against this run",
                  "claims cards",
                  {{"Claim"}, {"Published", true}, {"Measured", true}, {"Measured ÷ published"}, {"Verdict"}, {"Why"}},
                  {}};
  std::string before;
  for (const ClaimResult& claim : run.results.claims) {
    const bool again = claim.id == before;
    before = claim.id;
    const auto strip = against_published(claim);
    const auto [figure, spread] = measured_parts(claim);
    Td seen = td_html(fmt::format("<b>{}</b><small>{}</small>", escape_html(figure), escape_html(spread)));
    if (claim.measured.n > 0) {
      seen.value = claim.measured.median;
    }
    table.rows.push_back({td_html(fmt::format("<span{}>{}</span><small>{}</small>", again ? " class=\"again\"" : "",
                                              escape_html(claim.says), breakable(claim_name(claim)))),
                          td(published_text(claim)), std::move(seen), td_html(strip ? strip_svg(*strip) : ""), td_html(verdict_html(claim)),
                          td_html(reason_html(claim.reason))});
  }
  return out + to_html(table) + "</section>\n";
}

std::string flag_meaning(const std::string& flag) {
  constexpr std::array<std::pair<const char*, const char*>, 10> kMeanings{{
      {"unreconciled", "the counts of driver, gateway log and page server do not add up"},
      {"driver-bound", "the load driver, not the gateway, was the limit"},
      {"backend-bound", "the page server, not the gateway, was the limit"},
      {"noisy-host", "something else used the host's CPU during the trial"},
      {"unsaturated", "no node was busy enough to be the limit"},
      {"throttled", "a node other than the gateway ran into its CPU limit"},
      {"errors", "requests failed"},
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
