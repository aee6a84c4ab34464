#include "report/comparison_formats.hpp"
#include "report/html_parts.hpp"
#include "report/text.hpp"

#include <fmt/format.h>

namespace lab::report {

namespace {

using Row = std::vector<std::string>;  // of escaped texts

// A header row and its rule; rows follow by row_text().
std::string row_text(const Row& cells) { return "| " + join(cells, " | ") + " |\n"; }

std::string head_text(const Row& titles, const std::string& rule) { return row_text(titles) + rule + "\n"; }

// Ids and names; what would end a code span or a table's cell does not become one.
std::string code(const std::string& text) {
  return text.find_first_of("`|<\r\n") == std::string::npos ? "`" + text + "`" : escape_markdown(text);
}

std::string verdict_markdown(Measure measure, Verdict verdict) {
  const std::string text = verdict_text(measure, verdict);
  return verdict == Verdict::rose || verdict == Verdict::fell ? "**" + text + "**" : text;
}

std::string change_cell(const std::optional<Change>& change, Measure measure) {
  return change ? fmt::format("{} ({}) {}", report::change(change->ratio.median), interval_text(*change),
                              verdict_markdown(measure, change->verdict))
                : "–";
}

std::string changed_table(const Comparison& comparison) {
  std::string rows;
  for (const CellComparison& cell : comparison.cells) {
    if (changed(cell)) {
      rows += row_text({code(cell.id), from_to(*cell.throughput, number), change_cell(cell.throughput, Measure::throughput),
                        change_cell(cell.cpu, Measure::cpu), change_cell(cell.p99, Measure::p99),
                        escape_markdown(flags_text(cell.flags_a, cell.flags_b))});
    }
  }
  return rows.empty()
             ? "No cell surely changed.\n\n"
             : head_text({"cell", "pages/s, A → B", "change", "CPU a page", "p99", "flags"}, "|---|--:|---|---|---|---|") + rows + "\n";
}

std::string folded(const std::string& title, const std::string& body) {
  return body.empty() ? "" : "<details><summary>" + escape_html(title) + "</summary>\n\n" + body + "\n</details>\n";
}

std::string all_cells(const Comparison& comparison, const MeasureText& each) {
  std::string rows;
  for (const CellComparison& cell : comparison.cells) {
    if (const auto& change = cell.of(each.measure)) {
      rows += row_text({code(cell.id), number(change->a.median), number(change->b.median), report::change(change->ratio.median),
                        interval_text(*change), passes_text(*change), verdict_markdown(each.measure, change->verdict),
                        escape_markdown(change->reason)});
    }
  }
  return rows.empty() ? ""
                      : head_text({"cell", std::string("A, ") + each.title, "B", "change", "95% interval", "n", "verdict", "why"},
                                  "|---|--:|--:|--:|---|---|---|---|") +
                            rows;
}

std::string all_pairs(const Comparison& comparison) {
  std::string rows;
  for (const PairComparison& pair : comparison.pairs) {
    const Change& change = pair.change;
    const std::string verdict = pair_verdict_text(change.verdict);
    rows += row_text({code(pair.a), code(pair.b), plain_ratio(change.a.median), plain_ratio(change.b.median),
                      report::change(change.ratio.median), interval_text(change), passes_text(change), verdict,
                      escape_markdown(change.reason)});
  }
  return rows.empty() ? ""
                      : head_text({"from", "to", "ratio in A", "in B", "change", "95% interval", "n", "verdict", "why"},
                                  "|---|---|--:|--:|--:|---|---|---|---|") +
                            rows;
}

std::string not_compared(const Comparison& comparison) {
  std::string rows;
  for (const NotCompared& each : comparison.not_compared) {
    rows += row_text({code(each.what), escape_markdown(each.in_a), escape_markdown(each.in_b)});
  }
  return rows.empty() ? "" : head_text({"what", "A", "B"}, "|---|---|---|") + rows;
}

std::string differences_table(const std::vector<Difference>& differences) {
  std::string rows;
  for (const Difference& each : differences) {
    rows += row_text({each.what, escape_markdown(each.a), escape_markdown(each.b), each.why});
  }
  return rows.empty() ? "" : head_text({"less comparable by", "A", "B", "because"}, "|---|---|---|---|") + rows + "\n";
}

std::string run_line(const char* letter, const ComparedRun& run) {
  return fmt::format("{}: {}, {}, {}", letter, code(run.name), escape_markdown(run.title), instant_text(run.started));
}

}  // namespace

std::string comparison_markdown(const Comparison& comparison, const Thresholds& thresholds) {
  std::string text = fmt::format("### {} compared: {}\n\n", count(comparison.cells.size(), "cell", "cells"), summary_line(comparison));
  text += "- " + run_line("A", comparison.a) + "\n- " + run_line("B", comparison.b) + "\n";
  for (const ThresholdResult& each : thresholds) {
    text += fmt::format("- {} {}\n", each.missed.empty() ? "✓" : "✗", escape_markdown(to_string(each)));
    for (const std::string& cell : each.missed) {
      text += "  - " + code(cell) + "\n";
    }
  }
  text += "\n";
  text += differences_table(comparison.differences) + changed_table(comparison);
  for (const MeasureText& each : kMeasureTexts) {
    text += folded(fmt::format("Every cell: {}", each.title), all_cells(comparison, each));
  }
  text += folded(count(comparison.pairs.size(), "pair", "pairs"), all_pairs(comparison));
  text += folded(fmt::format("{} not compared", comparison.not_compared.size()), not_compared(comparison));
  std::string how = escape_markdown(how_it_is_decided(comparison)) + "\n";
  for (const std::string& sentence : comparison.cautions) {
    how += "\n" + escape_markdown(sentence) + "\n";
  }
  return text + folded("How this is decided, and what it cannot say", how);
}

}  // namespace lab::report
