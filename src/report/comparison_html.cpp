#include "report/comparison_formats.hpp"
#include "report/html_parts.hpp"
#include "report/html_table.hpp"
#include "report/scenario.hpp"
#include "report/template.hpp"
#include "report/text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>

namespace lab::report {

namespace {

constexpr double kBars = 150, kForest = 190, kHeight = 30;

// The look of a verdict: more pages are better, more CPU or time is worse; of a pair neither is.
const char* style_of(Measure measure, Verdict verdict) {
  if (verdict == Verdict::same || verdict == Verdict::unknown) {
    return verdict == Verdict::same ? "same" : "unknown";
  }
  return (verdict == Verdict::rose) == (measure == Measure::throughput) ? "better" : "worse";
}

std::string badge(const char* style, const Change& change, const std::string& word) {
  const std::string& reason = change.reason;
  return fmt::format("<span class=\"verdict {}\">{}</span>{}", style, escape_html(short_verdict(change.verdict, word)),
                     reason.empty() ? "" : "<small>" + escape_html(reason) + "</small>");
}

std::string id_html(const std::string& id) { return "<code>" + breakable(id) + "</code>"; }

// A over B as bars from zero, with their intervals; `most` is the right edge.
std::string bars_svg(const Change& change, const char* title, double most) {
  const auto x = [most](double value) { return most > 0 ? std::clamp(value / most, 0.0, 1.0) * (kBars - 4) : 0; };
  const auto bar = [&](const char* run, const Interval& value, double y) {
    std::string svg = fmt::format("<rect class=\"{}\" x=\"0\" y=\"{}\" width=\"{:.1f}\" height=\"9\"/>", run, y, x(value.median));
    if (value.high > value.low) {
      svg += fmt::format("<path class=\"whisker\" d=\"M{0:.1f} {2}H{1:.1f}M{0:.1f} {3}v5M{1:.1f} {3}v5\"/>", x(value.low), x(value.high),
                         y + 4.5, y + 2);
    }
    return svg;
  };
  return fmt::format("<svg class=\"bars\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}: {} in A, {} in B\">{}{}</svg>", kBars,
                     kHeight, escape_html(title), number(change.a.median), number(change.b.median), bar("a", change.a, 4),
                     bar("b", change.b, 17));
}

double reach_of(const Change& change) {
  return change.coverage > 0 ? std::max(std::abs(std::log(change.ratio.low)), std::abs(std::log(change.ratio.high))) : 0;
}

// One logarithmic axis for all rows of a table: for most of them, 10% to each side at least. What lies beyond is an arrow at its end.
double span_of(const std::vector<const Change*>& changes) {
  std::vector<double> reach;
  std::ranges::transform(changes, std::back_inserter(reach), [](const Change* change) { return reach_of(*change); });
  std::ranges::sort(reach);
  return reach.empty() ? std::log(1.1) : std::max(std::log(1.1), std::min(reach.back(), 4 * reach[reach.size() / 2]));
}

double place(double log_ratio, double span) { return kForest / 2 * (1 + std::clamp(log_ratio / span, -1.0, 1.0) * 0.94); }

std::string forest_svg(const Change& change, const char* style, double span) {
  std::string marks;
  if (change.noise_floor > 0) {
    const double from = place(-change.noise_floor, span);
    marks += fmt::format("<rect class=\"band\" x=\"{:.1f}\" y=\"2\" width=\"{:.1f}\" height=\"26\"/>", from, kForest - 2 * from);
  }
  marks += fmt::format("<path class=\"one\" d=\"M{0:.0f} 1v28\"/>", kForest / 2);
  if (change.coverage > 0) {
    marks += fmt::format("<path class=\"interval {}\" d=\"M{:.1f} 15H{:.1f}\"/>", style, place(std::log(change.ratio.low), span),
                         std::max(place(std::log(change.ratio.high), span), place(std::log(change.ratio.low), span) + 0.5));
  }
  const double by = std::log(change.ratio.median), x = place(by, span);
  if (std::abs(by) > span) {
    marks += fmt::format("<path class=\"point {}\" d=\"M{:.1f} 15l{} -6v12z\"/>", style, x + (by < 0 ? -4 : 4), by < 0 ? 9 : -9);
  } else {
    marks += fmt::format("<circle class=\"point {}\" cx=\"{:.1f}\" cy=\"15\" r=\"3.6\"/>", style, x);
  }
  return fmt::format("<svg class=\"forest\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"From A to B {}, interval {}\">{}</svg>",
                     kForest, kHeight, report::change(change.ratio.median), interval_text(change), marks);
}

std::string change_html(const Change& change) {
  return fmt::format("<b>{}</b><small>{} <br>n = {}</small>", report::change(change.ratio.median), interval_text(change),
                     passes_text(change));
}

std::string axis_note(double span) {
  return fmt::format(
      "<p class=\"meta\">The lines are intervals of the change on one logarithmic axis, {} to {}; the band is the noise floor, an arrow "
      "lies beyond.</p>\n",
      report::change(std::exp(-span / 0.94)), report::change(std::exp(span / 0.94)));
}

// The greatest value of each chart's rows: one scenario's cells of one page.
std::map<std::string, double> scales(const Comparison& comparison, Measure measure) {
  std::map<std::string, double> most;
  for (const CellComparison& cell : comparison.cells) {
    if (const auto& change = cell.of(measure)) {
      double& value = most[cell.id.substr(0, cell.id.find('/', cell.id.find("page=")))];
      value = std::max({value, change->a.high, change->b.high});
    }
  }
  return most;
}

std::string legend() {
  return "<ul class=\"legend\"><li><span class=\"swatch run-a\"></span>A</li><li><span class=\"swatch run-b\"></span>B</li></ul>\n";
}

std::string measure_html(const Comparison& comparison, const MeasureText& measure) {
  std::vector<const Change*> changes;
  for (const CellComparison& cell : comparison.cells) {
    if (const auto& change = cell.of(measure.measure)) {
      changes.push_back(&*change);
    }
  }
  if (changes.empty()) {
    return "<p>No cell has this figure in both runs.</p>\n";
  }
  const double span = span_of(changes);
  const auto most = scales(comparison, measure.measure);
  std::string out = legend() + axis_note(span);
  HtmlTable table{fmt::format("{}, A and B, and what changed", measure.title),
                  "changes cards",
                  {{"Cell"}, {"A and B"}, {"A", true}, {"B", true}, {"Change", true}, {"Interval"}, {"Verdict"}},
                  {}};
  for (const CellComparison& cell : comparison.cells) {
    const auto& change = cell.of(measure.measure);
    if (!change) {
      continue;
    }
    const char* style = style_of(measure.measure, change->verdict);
    const std::string flags = flags_text(cell.flags_a, cell.flags_b);
    table.rows.push_back({td_html(id_html(cell.id) + (flags.empty() ? "" : "<small>⚑\u00a0" + escape_html(flags) + "</small>")),
                          td_html(bars_svg(*change, measure.title, most.at(cell.id.substr(0, cell.id.find('/', cell.id.find("page=")))))),
                          td(change->a.median, number(change->a.median)),
                          td(change->b.median, number(change->b.median)),
                          {change_html(*change), change->ratio.median},
                          td_html(forest_svg(*change, style, span)),
                          td_html(badge(style, *change, verdict_text(measure.measure, change->verdict)))});
  }
  return out + to_html(table);
}

std::string pairs_html(const Comparison& comparison) {
  std::vector<const Change*> changes;
  for (const PairComparison& pair : comparison.pairs) {
    changes.push_back(&pair.change);
  }
  const double span = span_of(changes);
  HtmlTable table{"Ratios of pairs in both runs",
                  "changes cards",
                  {{"Pair"}, {"Ratio in A", true}, {"In B", true}, {"Change", true}, {"Interval"}, {"Verdict"}},
                  {}};
  for (const PairComparison& pair : comparison.pairs) {
    const Change& change = pair.change;
    const bool told = change.verdict == Verdict::rose || change.verdict == Verdict::fell;
    const char* style = told ? "better" : style_of(Measure::throughput, change.verdict);
    table.rows.push_back({td_html(id_html(pair.a) + "<br>→ " + id_html(pair.b)),
                          td(change.a.median, times(change.a.median)),
                          td(change.b.median, times(change.b.median)),
                          {change_html(change), change.ratio.median},
                          td_html(forest_svg(change, style, span)),
                          td_html(badge(style, change, pair_verdict_text(change.verdict)))});
  }
  return "<p>The sides of a pair were loaded in turn inside one trial, so that its ratio is free of what its hour was like. Compared are "
         "the "
         "ratios: a change that both sides share does not show here.</p>\n" +
         axis_note(span) + to_html(table);
}

std::string tile(std::size_t figure, const char* label, const char* style) {
  return fmt::format("<li class=\"tile {}\"><b>{}</b> <span>{}</span></li>\n", figure > 0 ? style : "", figure, label);
}

std::string summary_html(const Comparison& comparison, const Thresholds& thresholds) {
  const Tally counts = tally(comparison);
  std::string out = fmt::format("<p class=\"lead\">Pages a second of {}, from A to B.</p>\n<ul class=\"tiles\">\n",
                                count(comparison.cells.size(), "cell", "cells"));
  out += tile(counts.faster, "faster", "faster") + tile(counts.slower, "slower", "slower") +
         tile(counts.same, "no difference beyond the noise", "") + tile(counts.unknown, "can’t be told", "unknown") +
         tile(comparison.not_compared.size(), "not compared", "unknown") + "</ul>\n";
  std::vector<std::string> sentences;
  for (const ThresholdResult& each : thresholds) {
    sentences.push_back(to_string(each) + (each.missed.empty() ? "" : ". Missed by " + listing(each.missed)));
  }
  if (!sentences.empty()) {
    out += "<h3>Thresholds</h3>\n" + list_html(sentences, "plain");
  }
  const auto run = [](const char* letter, const ComparedRun& each) {
    return std::vector<Td>{td(letter),       td_html("<code>" + escape_html(each.name) + "</code>"),
                           td(each.title),   td(instant_text(each.started)),
                           td(each.version), td(each.noise_floor > 0 ? "±" + percent(std::exp(each.noise_floor) - 1) : "none")};
  };
  out += to_html({"The two runs",
                  "runs",
                  {{"Run"}, {"Name"}, {"What"}, {"Begun"}, {"Version"}, {"Noise floor"}},
                  {run("A", comparison.a), run("B", comparison.b)}});
  return out + "<aside class=\"box limits\">\n<h3>What this cannot say</h3>\n" + list_html(comparison.cautions, "plain") + "</aside>\n";
}

std::string differences_html(const Comparison& comparison) {
  if (comparison.differences.empty()) {
    return "<p>None: same lab, playbook, plan, host and version.</p>\n";
  }
  HtmlTable table{"Differences of environment", "facts", {{"What"}, {"A"}, {"B"}, {"What it makes of the comparison"}}, {}};
  for (const Difference& each : comparison.differences) {
    table.rows.push_back({td(each.what), td(each.a), td(each.b), td(each.why)});
  }
  return to_html(table);
}

std::string not_compared_html(const Comparison& comparison) {
  HtmlTable table{"What is not in both runs", "facts", {{"What"}, {"A"}, {"B"}}, {}};
  for (const NotCompared& each : comparison.not_compared) {
    table.rows.push_back({td_html(id_html(each.what)), td(each.in_a), td(each.in_b)});
  }
  return to_html(table);
}

}  // namespace

std::string comparison_html(const Comparison& comparison, const Thresholds& thresholds) {
  std::vector<Section> sections{{"summary", "Summary", summary_html(comparison, thresholds)},
                                {"differences", "What makes them less comparable", differences_html(comparison)},
                                {"throughput", "Pages a second", measure_html(comparison, kMeasureTexts[0])},
                                {"cpu", "CPU time a page, of the gateway", measure_html(comparison, kMeasureTexts[1])},
                                {"p99", "Service time, 99th percentile", measure_html(comparison, kMeasureTexts[2])}};
  if (!comparison.pairs.empty()) {
    sections.push_back({"pairs", "Pairs", pairs_html(comparison)});
  }
  if (!comparison.not_compared.empty()) {
    sections.push_back({"not-compared", "Not compared", not_compared_html(comparison)});
  }
  sections.push_back({"method", "How this is decided", "<p>" + escape_html(how_it_is_decided(comparison)) + "</p>\n"});
  return plain_page("lab comparison", "Two runs: " + summary_line(comparison),
                    fmt::format("A: {} · B: {}", comparison.a.name, comparison.b.name), sections);
}

}  // namespace lab::report
